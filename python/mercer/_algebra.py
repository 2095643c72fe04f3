"""What the estimators that are linear algebra have in common."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from mercer._native import NativeEstimator
from mercer._parameters import declared

__all__ = ["Algebra", "PairwiseAlgebra"]


@declared
class Algebra(NativeEstimator):
    """An estimator that is linear algebra on a Gram matrix.

    Attributes
    ----------
    residual_ : float
        The certificate: the largest relative residual of the linear systems or eigenproblems that were solved.
    """

    _constraints = {
        "degree": [Interval(Real, 0.0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left"), None],
    }

    def _found(self, X: Any) -> None:
        self.residual_ = 0.0 if self._model is None else self._model.quality()["residual"]


@declared
class PairwiseAlgebra(Algebra):
    """An estimator whose kernel is named as in scikit-learn's pairwise kernels.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="linear"
        A name of :func:`sklearn.metrics.pairwise.pairwise_kernels` that goes with `gamma`, `degree` and `coef0`; a kernel
        of :mod:`mercer.kernels`, or its text, such as ``"spectrum(p=3)"`` where X are texts; "precomputed" where the data
        are kernel values; or a function of two rows.
    gamma : float, "scale" or "auto", default=None
        The coefficient of the named kernels; None and "auto" for 1 / n_features.
    degree : float, default=3
        The power of "poly".
    coef0 : float, default=1
        The constant of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords for a kernel that is a function.

    Attributes
    ----------
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The training data.
    """

    kernel: Any = "linear"
    gamma: float | str | None = None
    coef0: float = 1
    kernel_params: dict[str, Any] | None = None

    _rowwise = True
