"""What the estimators that solve quadratic programmes have in common."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot

from mercer import _data, _mercer
from mercer._certificate import Certificate
from mercer._native import LARGE, NativeEstimator, warn
from mercer._parameters import POSITIVE, declared, parameter
from mercer.kernels import Kernel


@declared
class Solved(NativeEstimator):
    """An estimator that solves quadratic programmes.

    Attributes
    ----------
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int or ndarray of int
        Steps taken, for each problem where pairs or classes have problems of their own.
    """

    tol: float = parameter(default=1e-3, setting="tolerance", rule=POSITIVE)
    cache_size: float = parameter(default=2000, setting="cache", rule=POSITIVE)
    max_iter: int = parameter(
        default=-1, doc="Most steps of the solver; -1 for max(10⁷, 100 n), as in LIBSVM.",
        rule=[Interval(Integral, -1, None, closed="left")],
    )
    time_limit: float | None = parameter(default=None, setting="time-limit", rule=[*POSITIVE, None])
    exact: bool | str = parameter(
        default="auto", rule=["boolean", StrOptions({"auto"})],
        doc="Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`,"
        ' and evaluated in double precision. "auto" does so up to 2000 rows, 500 of :class:`KernelSoftmax`.',
    )

    _unchecked = True
    #: Rows up to which an answer is finished exactly where `exact` is "auto".
    _exact_rows = 2000
    #: Whether steps are told for each problem.
    _counts_apart = False

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        return super()._settings(points) | {
            "cache": self._cache(points),
            "max-iterations": None if self.max_iter == -1 else self.max_iter,
            "exact": len(points) <= self._exact_rows if self.exact == "auto" else bool(self.exact),
        }

    def _cache(self, points: _mercer.Points) -> float:
        """Megabytes for kernel rows. Of large data the solver's other memory counts too: a copy of the rows that are still
        undecided, and about a dozen numbers for each row."""
        budget = float(self.cache_size)
        if len(points) < LARGE:
            return budget
        return max(budget - (points.nbytes + 100 * len(points)) / 2**20, budget / 2.0)

    def _found(self, X: Any) -> None:
        # Of many pairs the parts of the certificate take longer to make than the fit.
        found = Certificate._whole(self._model.totals())
        # A problem that is solved at once counts as one step.
        self.n_iter_: Any = max(found.iterations, 1)
        if self._counts_apart:
            self.n_iter_ = np.maximum(self._model.iterations().astype(np.int32), 1)
        self.fit_status_ = int(found.stop not in ("converged", "unknown"))
        nu = self._model.found().get("nu_with_margin")
        if nu is not None and X is not None:
            text = f"nu leaves no margin that could be found: the function is that of a large C; nu={nu:g} has one."
            warn(text, ConvergenceWarning)
        if self.fit_status_ and X is not None:
            self._warn(found)

    def _warn(self, found: Certificate) -> None:
        """Says what to change where the solver did not come to its end."""
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
        warn(text + state, ConvergenceWarning)

    def _summary(self) -> str:
        found = self.certificate_
        gap = "" if found.gap is None else f", gap {found.gap:.1e}"
        return f"{found.stop}: violation {found.violation:.1e}{gap}, {found.iterations} steps"

    @property
    def certificate_(self) -> Certificate:
        """Gap, violation, objective, reason to stop and kernel rows computed."""
        if not hasattr(self, "_model"):
            raise AttributeError("certificate_ is there after fit")
        return Certificate._of(self._model.quality())


@declared
class SupportVectors(Solved):
    """An estimator whose model is a sum over support vectors.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class where there are pairs of classes.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features), or ndarray of shape (n_SV,)
        The support vectors, in the precision of the training data, or texts, graphs or sets; empty where kernel values were given.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Number of support vectors, for each class where there are pairs of classes.
    dual_coef_ : ndarray or sparse matrix of shape (n_functions, n_SV) or (n_classes - 1, n_SV)
        Coefficients of the support vectors; where there are pairs of classes a row for each of the other classes.
    coef_ : ndarray or sparse matrix of shape (n_functions, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_functions,)
        Constants of the decisions.
    shape_fit_ : tuple of int
        Shape of the training data.
    """

    def _found(self, X: Any) -> None:
        model = self._model
        self.support_ = model.support()
        vectors: Any = _data.to_python(model.points) if X is None else None
        self._sparse = self._input == "vectors" and sp.issparse(vectors if X is None else X)
        if X is not None:
            self.shape_fit_ = getattr(X, "shape", (self._fitted_rows,))
        else:
            self.shape_fit_ = vectors.shape if self._input in _data.OBJECTS else (self._fitted_rows, self.n_features_in_)
        if self._input in ("values", "function"):
            self.support_vectors_: Any = np.empty((0, 0))
        else:
            self.support_vectors_ = vectors if X is None else X[self.support_]
        coefficients = model.coefficients()
        self._n_support = np.array([coefficients.shape[1]], dtype=np.int32)
        if self._sparse:
            coefficients = _stored(coefficients, sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix)
        self._dual_coef_ = self.dual_coef_ = coefficients
        self._intercept_ = -model.offsets() + 0.0
        self.intercept_ = self._intercept_.copy()
        self._given = (self._dual_coef_, self._intercept_)
        super()._found(X)

    def _doubled(self) -> bool:
        """An exact answer is also evaluated in double precision; so is a small one of which nothing is known."""
        found = Certificate._whole(self._model.totals())
        return found.exact or (found.stop == "unknown" and self.support_vectors_.shape[0] <= self._exact_rows)

    def _checked_rows(self, X: Any) -> Any:
        X = super()._checked_rows(X)
        if not self._sparse:
            if sp.issparse(X) and self._input != "function":
                raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data")
            vectors = self.support_vectors_
            if vectors.size > 0 and self.n_support_.sum() != vectors.shape[0]:
                raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return X

    @property
    def _fitted(self) -> _mercer.Model:
        """The model; with other coefficients where the caller has put some into ``_dual_coef_`` or ``_intercept_``."""
        dual: Any = self._dual_coef_
        intercept = self._intercept_
        model: _mercer.Model = self._model
        if dual is self._given[0] and intercept is self._given[1]:
            return model
        dense = dual.toarray() if sp.issparse(dual) else np.asarray(dual, dtype=np.float64)
        return model.with_coefficients(dense, -np.asarray(intercept, dtype=np.float64))

    @property
    def n_support_(self) -> Any:
        """Number of support vectors, for each class where there are classes."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is there after fit")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights of the features, for a linear kernel; read-only."""
        kernel = self.kernel
        if not isinstance(kernel, (str, Kernel)) or str(kernel) != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._weights_of_features()
        (coef.data if sp.issparse(coef) else coef).flags.writeable = False
        return coef

    def _weights_of_features(self) -> Any:
        return safe_sparse_dot(self._dual_coef_, self.support_vectors_)


def _stored(values: Any, kind: Any) -> Any:
    """A sparse matrix of which every entry is stored, also one that is zero, as in scikit-learn."""
    rows, count = values.shape
    index = np.tile(np.arange(count, dtype=np.int32), rows)
    start = np.arange(0, rows * count + 1, max(count, 1), dtype=np.int32)[: rows + 1]
    return kind((values.ravel(), index, start), shape=(rows, count)) if count else kind([[]])
