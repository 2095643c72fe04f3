"""Model files: mercer's own, and LIBSVM's."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import mercer
from mercer import _mercer
from mercer._docs import F, filled, known
from mercer.errors import UnsupportedError
from mercer.kernels import Kernel

_ENTRIES = known(
    estimator=("estimator of this package", "A fitted one."),
    path=("str or path-like", "The file."),
)
_EXAMPLE = """
>>> import os, tempfile, mercer
>>> model = mercer.SVC().fit([[0.0], [1.0], [2.0], [3.0]], [1, 1, 2, 2])
>>> with tempfile.TemporaryDirectory() as folder:
...     mercer.save(model, os.path.join(folder, "model.mercer"))
...     mercer.to_libsvm(model, os.path.join(folder, "model"))
...     again = mercer.load(os.path.join(folder, "model.mercer")), mercer.from_libsvm(os.path.join(folder, "model"))
>>> [each.predict([[-1.0], [4.0]]) for each in again]
[array([1, 2]), array([1, 2])]
"""
#: scikit-learn's words for the losses of linear models.
_LOSSES = {
    "hinge": "hinge", "squared-hinge": "squared_hinge", "insensitive": "epsilon_insensitive",
    "squared-insensitive": "squared_epsilon_insensitive",
}
_RETURNS = "estimator : estimator of this package\n    Fitted."


def documented(function: F) -> F:
    """A function on files, its docstring with what all of them have in common."""
    function.__doc__ = inspect.cleandoc(function.__doc__ or "") + _EXAMPLE
    return filled(function, _ENTRIES, _RETURNS if function.__annotations__["return"] == "Any" else "")


@documented
def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write the model of a fitted estimator to a file that cannot run code.

    The program ``mercer`` reads it too (``mercer predict``, ``mercer inspect``). It is written under a temporary name and
    renamed: at no time is there half a file.

    See Also
    --------
    load : Reads it.
    """
    model = _model_of(estimator)
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
    model.save(Path(path), names, False)


@documented
def load(path: str | os.PathLike[str]) -> Any:
    """Read a model file of :func:`save` or of the program ``mercer`` as a fitted estimator.

    Returns
    -------
    estimator : estimator of this package
        Fitted: it predicts the same bits. Its kernel is the expression of the file; parameters that a model file does not
        hold have their defaults.

    See Also
    --------
    save : Writes it.
    """
    return _estimator(_mercer.Model.load(Path(path), False))


@documented
def to_libsvm(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write the model of a fitted estimator as LIBSVM's model text.

    Parameters
    ----------
    estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        A fitted one, with one of LIBSVM's kernels.

    See Also
    --------
    from_libsvm : Reads it.
    """
    _model_of(estimator).save(Path(path), [], True)


@documented
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
    """
    return _estimator(_mercer.Model.load(Path(path), True))


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
    head, facts = model.head(), model.facts()
    nu, kind = head["nu"], {"multilabel": "ovr"}.get(head["kind"], head["kind"])
    if kind not in classes:
        raise UnsupportedError(f"no estimator of this package is for models of the kind {kind!r}; mercer predict reads them")
    make = classes.get(f"nu-{kind}", classes[kind]) if nu is not None else classes[kind]
    parameters = {
        "C": head["c"], "nu": nu, "epsilon": head["epsilon"], "tol": head["tolerance"],
        "multiclass": "ovo-sum" if facts.get("rule") == "sum" else None,
        "mu": facts.get("mu"), "alpha": facts.get("lambda", facts.get("kappa")), "n_clusters": facts.get("clusters"),
        "loss": _LOSSES.get(facts.get("loss", "")), "n_neighbors": facts.get("neighbors"), "neighbors_only": None if facts.get("neighbors") is None else True,
    }
    own = make().get_params()
    parameters = {name: value for name, value in parameters.items() if value is not None and name in own}
    text = head["kernel"]
    if name := next((name for name in ("kernel", "affinity") if name in own), None):
        parameters[name] = text if text == "precomputed" else Kernel(text)
    estimator = make(**parameters)
    estimator._restore(model)
    if head["names"]:
        estimator.feature_names_in_ = np.array(head["names"], dtype=object)
    return estimator
