"""Support vector regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from mercer import _mercer
from mercer._svm import COMMON, Machine

__all__ = ["SVR", "NuSVR"]


class Regressor(RegressorMixin, Machine):
    """A machine that predicts numbers."""

    def _found(self, X: Any) -> None:
        super()._found(X)
        self._n_support = np.array([len(self.support_)], dtype=np.int32)

    def predict(self, X: Any) -> Any:
        """Predict a number for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Predictions.
        """
        return self._decisions(X).ravel()


class SVR(Regressor):
    """Support vector regression with an insensitive zone.

    A drop-in for :class:`sklearn.svm.SVR`.

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
    C : float, default=1.0
        The price of an error. Infinity allows none.
    epsilon : float, default=0.1
        The half width of the zone in which errors cost nothing.
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What an error beyond the zone costs: C times it, or C/2 times its square.
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
    NuSVR : The same with a bound on the share of errors in place of epsilon.
    KernelRidge : Squared errors without a zone, in closed form.

    Examples
    --------
    >>> from mercer import SVR
    >>> model = SVR(C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[2.0]]).round(1)
    array([4.])
    """

    _parameter_constraints = Machine._constraints(
        *COMMON, "C", "epsilon", "shrinking",
        loss=[StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    )

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 2000,
        verbose: bool = False,
        max_iter: int = -1,
        loss: str = "epsilon_insensitive",
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
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.loss = loss
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        own = {"c": float(self.C), "epsilon": float(self.epsilon), "squared": self.loss != "epsilon_insensitive"}
        return _mercer.fit(run, "svr", {**solver, **own}, kernel, points, target.reshape(-1, 1), weights)


class NuSVR(Regressor):
    """Support vector regression with a bound on the share of errors.

    A drop-in for :class:`sklearn.svm.NuSVR`.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound on the share of errors and a lower bound on that of support vectors, above 0 and at most 1.
    C : float, default=1.0
        The price of an error. Infinity allows none.
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
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
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
    epsilon_ : float
        The half width of the zone that was found.
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
    SVR : The same with epsilon given.

    Examples
    --------
    >>> from mercer import NuSVR
    >>> model = NuSVR(C=100.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> bool(model.epsilon_ >= 0.0)
    True
    """

    _parameter_constraints = Machine._constraints(*COMMON, "C", "nu", "shrinking")

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 2000,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        own = {"c": float(self.C), "nu": float(self.nu)}
        model = _mercer.fit(run, "nu-svr", {**solver, **own}, kernel, points, target.reshape(-1, 1), weights)
        self.epsilon_ = model.found()["epsilon"]
        return model
