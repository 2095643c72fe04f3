"""What the estimators that are linear algebra have in common."""

from __future__ import annotations

import time
from numbers import Real
from typing import Any

import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions

from mercer import _mercer
from mercer._native import NativeEstimator
from mercer.kernels import Kernel

__all__ = ["KERNEL", "Algebra"]

#: The constraints of the parameters of a kernel.
KERNEL: dict[str, Any] = {
    "kernel": [str, Kernel, callable],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left"), None],
    "degree": [Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}


class Algebra(NativeEstimator):
    """An estimator that is linear algebra."""

    _parameter_constraints: dict[str, Any] = {**NativeEstimator._parameter_constraints, **KERNEL}

    def _begin(self, X: Any, weights: Any) -> tuple[_mercer.Kernel, _mercer.Points]:
        """The kernel and the points of a fit."""
        started = time.perf_counter()
        if sp.issparse(X) and self._kernel_name() == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported.")
        self.__dict__.pop("_X_fit", None)
        found = self._training_points(X, weights)
        self._fitted_rows = X.shape[0]
        self._seconds = {"convert": time.perf_counter() - started}
        return found
