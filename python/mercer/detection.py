"""Machines of one class: where the data are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin

from mercer import _mercer
from mercer._svm import COMMON, Machine

__all__ = ["SVDD", "OneClassSVM"]

#: Decisions of less than this share of the offset cannot be told from 0.
_ROUNDING = 1e-11


class Detector(OutlierMixin, Machine):
    """A machine of one class."""

    _supervised = False

    def _targets(self, y: Any) -> Any:
        return None

    def _found(self, X: Any) -> None:
        super()._found(X)
        self._n_support = np.array([len(self.support_)], dtype=np.int32)

    def decision_function(self, X: Any) -> Any:
        """Signed distance to the border, positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
            Positive for rows like those of the training data.
        """
        decisions = self._decisions(X).ravel()
        if self._double:
            # What rounding leaves of a row on the border is no side of it.
            size = np.abs(self.offset_).max()
            decisions[np.abs(decisions) <= _ROUNDING * size] = 0.0
        return decisions

    def score_samples(self, X: Any) -> Any:
        """Score each row: the decision before `offset_` is taken off.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            More is more ordinary.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """Predict whether rows are like those of the training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            1 inside, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1).astype(np.intp)


class OneClassSVM(Detector):
    """Where the data are: a hyperplane that parts them from the origin of feature space.

    A drop-in for :class:`sklearn.svm.OneClassSVM`.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as
        ``"rbf(gamma=0.5) + 2*linear"``; "precomputed" where the data are kernel values; or a function of two matrices
        that gives them.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the
        weighted rows, 1 / n_features for "auto".
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
    nu : float, default=0.5
        An upper bound on the share of errors and a lower bound on that of support vectors, above 0 and at most 1.
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    time_limit : float, default=None
        Most seconds for the solver.
    exact : bool or "auto", default="auto"
        Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`, and
        evaluated in double precision. "auto" does so up to 2000 rows.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    offset_ : float
        decision_function = score_samples - `offset_`.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_pairs, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_pairs,) or (1,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int or ndarray of shape (n_pairs,)
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.

    See Also
    --------
    SVDD : The smallest sphere around the data.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> model = OneClassSVM(gamma="auto", nu=0.25).fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> model.predict([[0.45], [9.0]])
    array([ 1, -1])
    """

    _parameter_constraints = Machine._constraints(*COMMON, "nu", "shrinking")

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 2000,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        return _mercer.fit(run, "one-class", {**solver, "nu": float(self.nu)}, kernel, points, None, weights)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.offset_ = -self._intercept_


class SVDD(Detector):
    """The smallest sphere around the data in feature space.

    Minimises R² + C Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ, ξᵢ ≥ 0 (Tax and Duin). The decision is R² − ‖φ(x) − a‖².

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as
        ``"rbf(gamma=0.5) + 2*linear"``; "precomputed" where the data are kernel values; or a function of two matrices
        that gives them.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the
        weighted rows, 1 / n_features for "auto".
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
    C : float or None, default=None
        The price of a row outside, at least 1/n; from 1 on the sphere holds all rows. None for 1 / (nu n), with which at
        most the share `nu` is outside.
    nu : float, default=0.5
        The share of rows that may be outside, where C is None.
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    time_limit : float, default=None
        Most seconds for the solver.
    exact : bool or "auto", default="auto"
        Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`, and
        evaluated in double precision. "auto" does so up to 2000 rows.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    square_radius_ : float
        R²
    offset_ : float
        decision_function = score_samples - `offset_`, and score_samples = −‖φ(x) − a‖².
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_pairs, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_pairs,) or (1,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int or ndarray of shape (n_pairs,)
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.

    See Also
    --------
    OneClassSVM : A hyperplane in place of the sphere.

    Examples
    --------
    >>> from mercer import SVDD
    >>> model = SVDD(kernel="linear", C=1.0).fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]])
    >>> round(model.square_radius_, 6)
    2.0
    >>> model.predict([[1.0, 1.5], [4.0, 4.0]])
    array([ 1, -1])
    """

    _parameter_constraints = Machine._constraints(
        *COMMON, "nu", "shrinking", C=[*Machine._parameter_constraints["C"], None]
    )

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float | None = None,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 2000,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        count = len(points) if weights is None else float(weights.sum())
        c = 1.0 / (self.nu * count) if self.C is None else float(self.C)
        return _mercer.fit(run, "svdd", {**solver, "c": c}, kernel, points, None, weights)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.square_radius_ = self._model.facts()["square_radius"]
        self.offset_ = -self.square_radius_
