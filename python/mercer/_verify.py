"""Whether the certificate of a model is true."""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import _num_samples

from mercer._files import _model_of, load
from mercer._labels import positive_weights


@dataclass(frozen=True)
class Verification:
    """What a verification has found; true or false as a condition.

    Parameters
    ----------
    true : bool
        Whether nothing was found that is not true.
    checks : tuple of dict
        The numbers that were compared: what each is `of` and `what` it is; as the model has it (`told`, None where it does
        not) and as it was `found`; by how much rounding may part the two (`tolerance`), and whether it `holds`.
    flaws : tuple of str
        What does not fit together: a support vector that is no row of the data, a coefficient beyond its bound.
    notes : tuple of str
        What was assumed, and what could not be looked at.

    Examples
    --------
    >>> from mercer import SVC, verify
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> found = verify(SVC().fit(X, y), X, y)
    >>> bool(found), found.flaws
    (True, ())
    """

    true: bool
    checks: tuple[dict[str, Any], ...]
    flaws: tuple[str, ...]
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.true


def verify(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, C: float | None = None, nu: float | None = None,
    epsilon: float | None = None, tol: float | None = None,
) -> Verification:
    """Recompute from the training data what a model says of itself.

    Kernel values are computed one by one as the kernel is defined, in double precision, and from them objectives, gap,
    violation, offsets and residuals, without anything of the solvers.

    Parameters
    ----------
    model : estimator of this package, or str or path-like
        A fitted estimator, or the file of one.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of str, graphs or sets
        The data of the fit.
    y : array-like, default=None
        The targets of the fit.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the fit.
    C : float, default=None
        C of the fit, where the model does not tell it: LIBSVM's does not.
    nu : float, default=None
        nu of the fit, where the model does not tell it.
    epsilon : float, default=None
        epsilon of the fit, where the model does not tell it.
    tol : float, default=None
        The largest violation that a model without a certificate may have; None for 0.001.

    Returns
    -------
    found : Verification
        True as a condition where all that the model says is true.

    Examples
    --------
    >>> from mercer import SVC, verify
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> model = SVC(C=10).fit(X, y)
    >>> bool(verify(model, X, y)), bool(verify(model, X, y[::-1]))
    (True, False)
    """
    fitted = load(model) if isinstance(model, (str, os.PathLike)) else model
    native = _model_of(fitted)
    # The checks of a fit leave their traces in a copy.
    estimator = copy.copy(fitted)
    X, y = estimator._checked(X, y)
    target = estimator._target(y)
    weights = estimator._weights(positive_weights(sample_weight, _num_samples(X), X), target)
    _, points = estimator._training_points(X, weights)
    found = native.verify(estimator._run(), points, target, weights, (C, nu, epsilon, tol))
    return Verification(found["true"], tuple(found["checks"]), tuple(found["flaws"]), tuple(found["notes"]))
