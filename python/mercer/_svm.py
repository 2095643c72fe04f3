"""What the machines that are a quadratic programme have in common."""

from __future__ import annotations

import time
import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Hidden, Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import (
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from mercer import _data, _mercer
from mercer._certificate import Certificate
from mercer._native import NativeEstimator, positive_weights
from mercer._progress import with_callbacks
from mercer.kernels import Kernel

__all__ = ["COMMON", "Machine"]

#: The parameters that all of them have.
COMMON = (
    "kernel", "degree", "gamma", "coef0", "tol", "cache_size", "max_iter", "verbose", "n_threads", "time_limit", "exact"
)

#: Rows from which on the C library's stock of freed memory is kept small: it can be as much again as a fit holds.
_LARGE = 50_000


class Machine(NativeEstimator):
    """A machine that is a quadratic programme."""

    _parameter_constraints: dict[str, Any] = {
        **NativeEstimator._parameter_constraints,
        "kernel": [str, Kernel, callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "shrinking": ["boolean"],
        "probability": ["boolean", StrOptions({"sigmoid", "isotonic"}), Hidden(StrOptions({"deprecated"}))],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "random_state": ["random_state"],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "fit_intercept": ["boolean"],
        "time_limit": [Interval(Real, 0.0, None, closed="neither"), None],
        "exact": ["boolean", StrOptions({"auto"})],
    }

    @classmethod
    def _constraints(cls, *names: str, **own: Any) -> dict[str, Any]:
        """The constraints of these parameters."""
        every = Machine._parameter_constraints
        return {**{name: every[name] for name in names}, **own}

    # -- fit ----------------------------------------------------------------------------------------------------------

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the machine to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``. Single precision is kept.
        y : array-like of shape (n_samples,)
            Class labels, or numbers for regression; ignored by the machines of one class.
        sample_weight : array-like of shape (n_samples,), default=None
            A factor on C for each row. A whole number is the same as so many copies of the row; rows of weight 0 or
            less are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        started = time.perf_counter()
        sparse = sp.issparse(X)
        name = self._kernel_name()
        if sparse and name == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported.")
        self.__dict__.pop("_X_fit", None)
        own = self._callable and callable(self.kernel)
        if own:
            if y is not None:
                check_consistent_length(X, y)
        elif self._supervised:
            X, y = self._validated(X, y)
        else:
            X = self._validated(X)
        self._sparse = sparse and not own
        target = self._targets(y)
        samples = _num_samples(X)
        weights = self._weights(positive_weights(sample_weight, samples, X), target)
        kernel, points = self._training_points(X, weights)
        self._fitted_rows = samples
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (samples,)
        exact = samples <= self._exact_rows if self.exact == "auto" else bool(self.exact)
        solver = {
            "tolerance": float(self.tol),
            "cache": self._cache(X),
            "max-iterations": None if self.max_iter == -1 else int(self.max_iter),
            "time-limit": None if self.time_limit is None else float(self.time_limit),
            "exact": exact,
        }
        if hasattr(self, "shrinking"):
            solver["shrinking"] = bool(self.shrinking)
        if samples >= _LARGE:
            _mercer.return_freed_memory()
        self._seconds = {"convert": time.perf_counter() - started}
        with self._following(X, y, float(self.tol)) as run:
            self._model = self._fit_native(run, solver, kernel, points, target, weights)
        self._found(X)
        self._warn()
        return self

    def _cache(self, X: Any) -> float:
        """Megabytes for kernel rows. Of large data the solver's other memory counts too: a copy of the rows that are still
        undecided, and about a dozen numbers for each row."""
        budget = float(self.cache_size)
        samples: int = _num_samples(X)
        if samples < _LARGE:
            return budget
        return max(budget - (getattr(X, "nbytes", 0) + 100 * samples) / 2**20, budget / 2.0)

    #: Rows up to which an answer is finished exactly where `exact` is "auto".
    _exact_rows = 2000
    n_iter_: Any
    #: Whether y is needed.
    _supervised = True

    def _targets(self, y: Any) -> Any:
        """y as the native library wants it."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        target = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        if not np.isfinite(target).all():
            raise ValueError("Input y contains NaN or infinity.")
        return target

    def _weights(self, weights: Any, target: Any) -> Any:
        """Weights of the rows with those of their classes."""
        return weights

    def _fit_native(
        self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any
    ) -> _mercer.Model:
        raise NotImplementedError

    def _found(self, X: Any) -> None:
        """The attributes that people read."""
        model = self._model
        self.support_ = model.support()
        coefficients = model.coefficients()
        if self._kernel_name() == "precomputed" or hasattr(self, "_X_fit"):
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = _data.to_python(model.points) if X is None else X[self.support_]
        if self._sparse:
            kind = sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix
            rows, count = coefficients.shape
            # Every entry is stored, also one that is zero, as in scikit-learn.
            index = np.tile(np.arange(count, dtype=np.int32), rows)
            start = np.arange(0, rows * count + 1, max(count, 1), dtype=np.int32)[: rows + 1]
            coefficients = (
                kind((coefficients.ravel(), index, start), shape=(rows, count)) if count else kind([[]])
            )
        self._dual_coef_ = self.dual_coef_ = coefficients
        self._intercept_ = -model.offsets() + 0.0
        self.intercept_ = self._intercept_.copy()
        self._given = (self._dual_coef_, self._intercept_)
        self.fit_status_ = int(any(c["stop"] != "converged" for c in self._certificates()))
        self._iterations()

    def _restore(self, model: _mercer.Model) -> None:
        super()._restore(model)
        self._sparse = self._kernel_name() != "precomputed" and isinstance(model.points.to_python(), tuple)
        self.shape_fit_ = (self._fitted_rows, self.n_features_in_)
        self._found(None)

    def _iterations(self) -> None:
        """How many steps were taken; a problem that is solved at once counts as one."""
        self.n_iter_ = max(int(self.certificate_.iterations), 1)

    def _summary(self) -> str:
        found = self.certificate_
        gap = "" if found.gap is None else f", gap {found.gap:.1e}"
        return f"{found.stop}: violation {found.violation:.1e}{gap}, {found.iterations} steps"

    def _warn(self) -> None:
        """Says what to change where the solver did not come to its end."""
        if not self.fit_status_:
            return
        found = self.certificate_
        gap = "" if found.gap is None else f", gap {found.gap:.2g}"
        state = f" It stopped at a violation of {found.violation:.2g} (tol={self.tol:g}{gap})."
        if found.stop == "iteration-limit":
            limit = self.max_iter if self.max_iter != -1 else max(10_000_000, 100 * self._fitted_rows)
            text = (
                f"Solver terminated early (max_iter={limit}).  Consider pre-processing your data with"
                " StandardScaler or MinMaxScaler, or raise max_iter."
            )
        elif found.stop == "time-limit":
            text = f"Solver terminated early (time_limit={self.time_limit}): raise time_limit, or tol."
        else:
            text = (
                "Solver stalled: no step improves the objective in this precision. Consider pre-processing your data with"
                " StandardScaler or MinMaxScaler, or raise tol."
            )
        # Past fit and what wraps it, to the line that called it.
        warnings.warn(text + state, ConvergenceWarning, stacklevel=5)

    # -- predictions --------------------------------------------------------------------------------------------------

    def _checked_points(self, X: Any) -> _mercer.Points:
        check_is_fitted(self)
        own = hasattr(self, "_X_fit") and callable(self.kernel)
        if not own:
            X = self._validated(X, reset=False)
        if sp.issparse(X) and not self._sparse and not own:
            raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
        vectors = self.support_vectors_
        if not self._sparse and vectors.size > 0 and self.n_support_.sum() != vectors.shape[0]:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return self._points(X)

    @property
    def certificate_(self) -> Certificate:
        """Gap, violation, objective, reason to stop and kernel rows computed."""
        if not hasattr(self, "_model"):
            raise AttributeError("certificate_ is there after fit")
        return Certificate._of(self._certificates())

    def _certificates(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._model.quality().get("certificates", [])
        return found

    @property
    def _fitted(self) -> _mercer.Model:
        """The model; with other coefficients where somebody has put some into ``_dual_coef_`` or ``_intercept_``."""
        dual: Any = self._dual_coef_
        intercept = self._intercept_
        if dual is self._given[0] and intercept is self._given[1]:
            return self._model
        dense = dual.toarray() if sp.issparse(dual) else np.asarray(dual, dtype=np.float64)
        return self._model.with_coefficients(dense, -np.asarray(intercept, dtype=np.float64))

    @property
    def _double(self) -> bool:
        """An exact answer is also evaluated in double precision; so is a small one of which nothing is known."""
        certificate = self.certificate_
        return certificate.exact or (certificate.stop == "unknown" and self.support_vectors_.shape[0] <= self._exact_rows)

    def _decisions(self, X: Any) -> Any:
        points = self._checked_points(X)
        return self._fitted.decisions(self._run(), points, self._double)

    @property
    def n_support_(self) -> Any:
        """Number of support vectors, for each class where there are classes."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is there after fit")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights of the features, for a linear kernel; read-only."""
        if not self._linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._weights_of_features()
        (coef.data if sp.issparse(coef) else coef).flags.writeable = False
        return coef

    @property
    def _linear(self) -> bool:
        kernel = self.kernel
        return (isinstance(kernel, str) and kernel == "linear") or (
            isinstance(kernel, Kernel) and str(kernel) == "linear"
        )

    def _weights_of_features(self) -> Any:
        return safe_sparse_dot(self._dual_coef_, self.support_vectors_)
