"""Model files: mercer's own, and LIBSVM's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import mercer
from mercer import _mercer
from mercer.errors import UnsupportedError
from mercer.kernels import Kernel

__all__ = ["from_libsvm", "load", "save", "to_libsvm"]


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write the model of a fitted estimator to a file that cannot run code.

    The program ``mercer`` reads it too (``mercer predict``, ``mercer inspect``). It is written under a temporary name and
    renamed: at no time is there half a file.

    Parameters
    ----------
    estimator : estimator of this package
        A fitted one.
    path : str or path-like
        The file.

    See Also
    --------
    load : Reads it.

    Examples
    --------
    >>> import os, tempfile, mercer
    >>> model = mercer.SVC().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, os.path.join(folder, "model.mercer"))
    ...     loaded = mercer.load(os.path.join(folder, "model.mercer"))
    >>> loaded.predict([[-1.0], [4.0]])
    array(['a', 'b'], dtype='<U1')
    """
    model = _model_of(estimator)
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
    model.save(Path(path), names)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file of :func:`save` or of the program ``mercer`` as a fitted estimator.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : estimator of this package
        Fitted: it predicts the same bits. Its kernel is the expression of the file; parameters that a model file does not
        hold have their defaults.

    See Also
    --------
    save : Writes it.

    Examples
    --------
    >>> import os, tempfile, mercer
    >>> model = mercer.KernelRidge(kernel="rbf").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, os.path.join(folder, "model.mercer"))
    ...     loaded = mercer.load(os.path.join(folder, "model.mercer"))
    >>> bool((loaded.predict([[1.5]]) == model.predict([[1.5]])).all())
    True
    """
    return _estimator(_mercer.Model.load(Path(path)))


def to_libsvm(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write the model of a fitted machine as LIBSVM's model text.

    Parameters
    ----------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        A fitted one, with one of LIBSVM's kernels.
    path : str or path-like
        The file.

    See Also
    --------
    from_libsvm : Reads it.

    Examples
    --------
    >>> import os, tempfile, mercer
    >>> model = mercer.SVC().fit([[0.0], [1.0], [2.0], [3.0]], [1, 1, 2, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.to_libsvm(model, os.path.join(folder, "model"))
    ...     mercer.from_libsvm(os.path.join(folder, "model")).predict([[-1.0], [4.0]])
    array([1, 2])
    """
    _model_of(estimator).to_libsvm(Path(path))


def from_libsvm(path: str | os.PathLike[str]) -> Any:
    """Read LIBSVM's model text as a fitted estimator.

    Parameters
    ----------
    path : str or path-like
        A file of svm-train, of LIBSVM's Python interface or of :func:`to_libsvm`.

    Returns
    -------
    estimator : SVC, SVR or OneClassSVM
        Fitted; of nu-SVC and nu-SVR the text does not say nu, and they come as SVC and SVR.

    See Also
    --------
    to_libsvm : Writes it.

    Examples
    --------
    >>> import os, tempfile, mercer
    >>> model = mercer.SVR().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.to_libsvm(model, os.path.join(folder, "model"))
    ...     type(mercer.from_libsvm(os.path.join(folder, "model"))).__name__
    'SVR'
    """
    return _estimator(_mercer.Model.from_libsvm(Path(path)))


def _model_of(estimator: Any) -> _mercer.Model:
    """The native model of a fitted estimator."""
    check_is_fitted(estimator)
    model: Any = getattr(estimator, "_model", None)
    if not isinstance(model, _mercer.Model):
        raise UnsupportedError(f"{type(estimator).__name__} has no model that a file could hold")
    if hasattr(estimator, "_X_fit"):
        raise UnsupportedError(
            "a model file cannot hold a kernel that is a Python function: use a kernel of mercer.kernels, or pickle"
        )
    found: _mercer.Model = estimator._fitted
    return found


def _estimator(model: _mercer.Model) -> Any:
    """A fitted estimator around a native model."""
    listed: list[Any] = [vars(mercer)[name] for name in mercer.__all__]
    classes: dict[str, Any] = {each._method: each for each in listed if hasattr(each, "_method")}
    training = model.training()
    nu, kind = training.get("nu"), {"multilabel": "ovr"}.get(model.kind, model.kind)
    make = classes.get(f"nu-{kind}", classes[kind]) if nu is not None else classes[kind]
    text = str(model.kernel)
    facts = model.facts()
    known = {
        "C": training.get("c"), "nu": nu, "epsilon": training.get("epsilon"), "tol": training.get("tolerance"),
        "multiclass": "ovo-sum" if facts.get("rule") == "sum" else None,
        "mu": facts.get("mu"), "alpha": facts.get("lambda", facts.get("kappa")),
    }
    own = make().get_params()
    parameters = {name: value for name, value in known.items() if value is not None and name in own}
    estimator = make(kernel="precomputed" if text == "precomputed" else Kernel(text), **parameters)
    estimator._restore(model)
    if model.names:
        estimator.feature_names_in_ = np.array(model.names, dtype=object)
    return estimator
