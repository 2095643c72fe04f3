"""Kernel ridge regression."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
import scipy.linalg
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from mercer import _data, _mercer
from mercer._algebra import Algebra
from mercer._native import positive_weights
from mercer._progress import with_callbacks
from mercer.errors import DataError

__all__ = ["KernelRidge"]


class KernelRidge(MultiOutputMixin, RegressorMixin, Algebra):
    """Kernel ridge regression.

    Minimises Σ(yᵢ − f(xᵢ))² + α‖w‖² over f(x) = w·φ(x): (K + αI) a = y. A drop-in for
    :class:`sklearn.kernel_ridge.KernelRidge`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The price of ‖w‖², for each target if there are several.
    kernel : str, Kernel or callable, default="linear"
        A name of :func:`sklearn.metrics.pairwise.pairwise_kernels` that goes with `gamma`, `degree` and `coef0`; a kernel
        of :mod:`mercer.kernels`, or its text; "precomputed" where the data are kernel values; or a function of two rows.
    gamma : float, "scale" or "auto", default=None
        The coefficient of the named kernels; None and "auto" for 1 / n_features.
    degree : float, default=3
        The power of "poly".
    coef0 : float, default=1
        The constant of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords for a kernel that is a function.
    fit_intercept : bool, default=False
        Whether there is a constant, which costs nothing.
    solver : {"auto", "cholesky", "cg"}, default="auto"
        By a factor of the Gram matrix where that fits into memory, else by conjugate gradients, which never hold it.
    tol : float, default=1e-10
        The relative residual at which conjugate gradients stop.
    verbose : bool, default=False
        Whether a bar shows what is done and the time on standard error.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        a, a coefficient for each row.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The training data.
    residual_ : float
        The certificate: the largest relative residual of the linear systems.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    SVR : Errors within a zone cost nothing, which makes it sparse.

    Examples
    --------
    >>> from mercer import KernelRidge
    >>> model = KernelRidge(kernel="rbf", alpha=0.01).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[2.0]]).round(1)
    array([4.])
    """

    _parameter_constraints: dict[str, Any] = {
        **Algebra._parameter_constraints,
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "kernel_params": [dict, None],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "cholesky", "cg"})],
        "tol": [Interval(Real, 0.0, 1.0, closed="neither")],
    }
    _rowwise = True

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.verbose = verbose
        self.n_threads = n_threads

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            A weight for each row. A whole number is the same as so many copies of the row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        single = np.ndim(y) == 1
        targets = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        weights = positive_weights(sample_weight, X.shape[0], X)
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or len(alphas) not in (1, targets.shape[1]):
            raise ValueError("Number of targets and number of penalties do not correspond: "
                             f"got {len(alphas)} penalties and {targets.shape[1]} targets")
        kernel, points = self._begin(X, weights)
        with self._following(X, y, None) as run:
            model = self._solved(run, kernel, points, targets, weights, float(alphas[0]))
            if len(set(alphas)) > 1:
                model = self._each(run, kernel, points, targets, weights, alphas, model)
        self._model = model
        dual = np.zeros((X.shape[0], targets.shape[1]))
        dual[model.support()] = model.coefficients().T
        self.dual_coef_ = dual.ravel() if single else dual
        self.intercept_ = float(-model.offsets()[0]) + 0.0 if single else -model.offsets() + 0.0
        self.residual_ = model.quality()["residual"]
        self.X_fit_ = X
        return self

    def _restore(self, model: _mercer.Model) -> None:
        super()._restore(model)
        dual = model.coefficients().T
        single = dual.shape[1] == 1
        self.dual_coef_ = dual.ravel() if single else dual
        self.intercept_ = float(-model.offsets()[0]) + 0.0 if single else -model.offsets() + 0.0
        self.residual_ = model.quality()["residual"]
        self.X_fit_ = _data.to_python(model.points)

    def _solved(self, run: Any, kernel: Any, points: Any, targets: Any, weights: Any, alpha: float) -> Any:
        def fit(penalty: float) -> _mercer.Model:
            parameters = {
                "lambda": penalty, "offset": bool(self.fit_intercept), "solver": self.solver, "tolerance": float(self.tol)
            }
            return _mercer.fit(run, "ridge", parameters, kernel, points, targets, weights)

        try:
            return fit(alpha)
        except DataError as error:
            if self.fit_intercept or "definite" not in str(error):
                raise
        warnings.warn(
            "Singular matrix in solving dual problem. Using least-squares solution instead.", stacklevel=5
        )
        # A penalty beyond all rows' sums makes it definite: a model with coefficients to be replaced.
        values = kernel.gram(points)
        model = fit(2.0 * np.abs(values).sum(axis=1).max() * (1.0 if weights is None else weights.max()) + 1.0)
        kept = model.support()
        system = values[np.ix_(kept, kept)]
        system[np.diag_indices_from(system)] += alpha / (1.0 if weights is None else weights[kept])
        coefficients = scipy.linalg.lstsq(system, targets[kept])[0].T
        return model.with_coefficients(np.ascontiguousarray(coefficients), model.offsets())

    def _each(self, run: Any, kernel: Any, points: Any, targets: Any, weights: Any, alphas: Any, first: Any) -> Any:
        """A penalty of its own for each target."""
        coefficients, offsets = first.coefficients(), first.offsets()
        for alpha in np.unique(alphas):
            own = alphas == alpha
            found = self._solved(run, kernel, points, np.ascontiguousarray(targets[:, own]), weights, float(alpha))
            coefficients[own], offsets[own] = found.coefficients(), found.offsets()
        return first.with_coefficients(coefficients, offsets)

    def predict(self, X: Any) -> Any:
        """Predict the targets of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        found = self._checked_points(X)
        values = self._model.decisions(self._run(), found, True)
        return values.ravel() if self.dual_coef_.ndim == 1 else values
