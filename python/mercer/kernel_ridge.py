"""Kernel ridge regression."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from mercer import _data, _mercer
from mercer._algebra import PairwiseAlgebra
from mercer._native import warn
from mercer._parameters import FLAG, NON_NEGATIVE, declared, parameter
from mercer.errors import NotDefiniteError

__all__ = ["KernelRidge"]


@declared
class KernelRidge(MultiOutputMixin, RegressorMixin, PairwiseAlgebra):
    """Kernel ridge regression.

    Minimises Σ(yᵢ − f(xᵢ))² + α‖w‖² over f(x) = w·φ(x): (K + αI) a = y. A drop-in for
    :class:`sklearn.kernel_ridge.KernelRidge`.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        a, a coefficient for each row.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    alpha_ : float or ndarray of shape (n_targets,)
        The price of ‖w‖² that was taken.
    path_ : ndarray of shape (n_alphas, 3)
        Of each price that was tried: the price, the mean squared error at rows left out, how many parameters the fit is
        worth; there where there were several.
    loo_residuals_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        What the prediction for each row misses where it is left out, y − f₋ᵢ(xᵢ); there with `loo`.
    loo_error_ : float
        The mean squared error at rows left out; there with `loo` and where there were several prices.

    See Also
    --------
    SVR : Errors within a zone cost nothing, which makes it sparse.

    >>> model = KernelRidge(kernel="rbf", alpha=0.01).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[2.0]]).round(1)
    array([4.])
    >>> model = KernelRidge(kernel="rbf", alphas=[0.01, 1.0]).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.alpha_
    0.01
    """

    alpha: Any = parameter(
        default=1, kw_only=False, rule=[*NON_NEGATIVE, StrOptions({"auto"}), "array-like"],
        kind='float, array-like of shape (n_targets,) or "auto"',
        doc='The price of ‖w‖², for each target if there are several; "auto" for the best of 45, from 10⁻⁸ to 10³ times the mean'
        " of k(x, x), by the error at rows left out of the fit.",
    )
    alphas: Any = parameter(
        default=None, rule=["array-like", None], kind="array-like of shape (n_alphas,)",
        doc="Prices of which the one with the smallest error at rows left out is taken, in place of `alpha`.",
    )
    loo: bool = parameter(default=False, setting="loo", rule=FLAG)
    fit_intercept: bool = parameter(default=False, setting="offset", rule=FLAG)
    solver: str = parameter(default="auto", setting="solver", rule=[StrOptions({"auto", "cholesky", "cg"})])
    tol: float = parameter(default=1e-10, setting="tolerance", rule=[Interval(Real, 0.0, 1.0, closed="neither")])

    _method = "ridge"
    _target_options = {"multi_output": True, "y_numeric": True}

    def _target(self, y: Any) -> Any:
        self._single = np.ndim(y) == 1
        return np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        if self.alphas is not None or isinstance(self.alpha, str):
            several = "auto" if self.alphas is None else np.asarray(self.alphas, dtype=np.float64).ravel().tolist()
            return self._by(several, run, kernel, points, target, weights)
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or len(alphas) not in (1, target.shape[1]):
            raise ValueError("Number of targets and number of penalties do not correspond: "
                             f"got {len(alphas)} penalties and {target.shape[1]} targets")
        first = self._by_one(float(alphas[0]), run, kernel, points, target, weights)
        if len(set(alphas)) == 1:
            return first
        if self.loo:
            raise ValueError("loo: rows are left out for one penalty, not for one of each target")
        coefficients, offsets = first.coefficients(), first.offsets()
        for alpha in np.unique(alphas):
            own = alphas == alpha
            part = self._by_one(float(alpha), run, kernel, points, np.ascontiguousarray(target[:, own]), weights)
            coefficients[own], offsets[own] = part.coefficients(), part.offsets()
        return first.with_coefficients(coefficients, offsets)

    def _by(self, penalty: Any, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> _mercer.Model:
        """The model with a penalty, or with the best of several."""
        settings = self._settings(points) | {"lambda": penalty}
        return _mercer.fit(run, self._method, settings, kernel, points, target, weights)

    def _by_one(self, alpha: float, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> _mercer.Model:
        """The model with a penalty; of a singular matrix that of least squares, as in scikit-learn."""
        try:
            return self._by(alpha, run, kernel, points, target, weights)
        except NotDefiniteError:
            if self.fit_intercept or self.loo:
                raise
        warn("Singular matrix in solving dual problem. Using least-squares solution instead.")
        # A penalty beyond all rows' sums makes it definite: a model with coefficients to be replaced.
        values = kernel.gram(points)
        least = 2.0 * np.abs(values).sum(axis=1).max() * (1.0 if weights is None else weights.max()) + 1.0
        model = self._by(least, run, kernel, points, target, weights)
        kept = model.support()
        system = values[np.ix_(kept, kept)]
        system[np.diag_indices_from(system)] += alpha / (1.0 if weights is None else weights[kept])
        coefficients = scipy.linalg.lstsq(system, target[kept])[0].T
        return model.with_coefficients(np.ascontiguousarray(coefficients), model.offsets())

    def _found(self, X: Any) -> None:
        super()._found(X)
        model, found = self._model, self._model.found()
        offsets, values = -model.offsets() + 0.0, model.coefficients().T
        if X is None:
            self._single = values.shape[1] == 1
            self.dual_coef_ = values.ravel() if self._single else values
            self.X_fit_ = _data.to_python(model.points)
        else:
            self.dual_coef_ = self._of_rows(values, 0.0)
            self.X_fit_ = X
        self.intercept_ = float(offsets[0]) if self._single else offsets
        each = X is not None and self.alphas is None and np.ndim(self.alpha) > 0
        self.alpha_ = np.asarray(self.alpha, dtype=np.float64) if each else model.facts()["lambda"]
        for name in ("path_", "loo_residuals_", "loo_error_"):
            self.__dict__.pop(name, None)
        if "left_out_mean_square" in found:
            self.loo_error_ = found["left_out_mean_square"]
        if "left_out" in found:
            self.loo_residuals_ = self._of_rows(found["left_out"], np.nan)
        if "path" in found:
            points = ((at["lambda"], at["left_out_mean_square"].mean(), at["degrees"]) for at in found["path"])
            self.path_ = np.array(list(points))

    def _of_rows(self, values: Any, absent: float) -> Any:
        """A row for each row of the training data, also for those that were left out by their weight."""
        rows = np.full((self._fitted_rows, values.shape[1]), absent)
        rows[self._model.support()] = values
        return rows.ravel() if self._single else rows

    def predict(self, X: Any) -> Any:
        """Predict the targets of each row."""
        values = self._outputs(X)
        return values.ravel() if self.dual_coef_.ndim == 1 else values
