"""Classifiers of all classes together, of one class against the others, of several labels, and by cells."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from mercer import _mercer
from mercer._native import names_of
from mercer._svm import COMMON, Machine
from mercer.classification import Classifier

__all__ = ["CrammerSingerSVC", "KernelSoftmax", "LocalSVC", "OneVsRestSVC", "WestonWatkinsSVC"]

_PARAMETERS = (*COMMON, "C", "class_weight")

#: Rows in a cell, about, and the most cells where their number is not given.
_CELL = 10_000
_MOST_CELLS = 64


class ScoreClassifier(Classifier):
    """A function for each class, of which the largest decides."""

    _parameter_constraints = Machine._constraints(*_PARAMETERS, C=[Interval(Real, 0.0, None, closed="neither")])
    #: The word for the loss in the native library.
    _loss: str

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 2000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        parameters = {**solver, "c": float(self.C)}
        return _mercer.fit(run, self._loss, parameters, kernel, points, self._labels(target), weights)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self._n_support = np.array([len(self.support_)], dtype=np.int32)

    def decision_function(self, X: Any) -> Any:
        """Evaluate the score of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes) or (n_samples,)
            A column for each class; for two classes the score of the second less that of the first.
        """
        scores = self._decisions(X)
        if len(self._present) == len(self.classes_):
            scores = self._by_class(scores)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


class CrammerSingerSVC(ScoreClassifier):
    """Support vector classification of all classes in one programme (Crammer and Singer).

    Minimises ½Σ‖w_c‖² + C Σᵢ max over c ≠ yᵢ of max(0, 1 − (F_yᵢ(xᵢ) − F_c(xᵢ))): only the worst of the other classes
    counts.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error.
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
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of the solver; -1 for max(10⁷, 100 n).
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
        Indices of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.

    See Also
    --------
    WestonWatkinsSVC : Each of the other classes counts.
    SVC : A machine for each pair of classes.

    Examples
    --------
    >>> from mercer import CrammerSingerSVC
    >>> model = CrammerSingerSVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [2.5], [4.5]])
    array([0, 1, 2])
    """

    _loss = "crammer-singer"


class WestonWatkinsSVC(ScoreClassifier):
    """Support vector classification of all classes in one programme (Weston and Watkins).

    Minimises ½Σ‖w_c‖² + C Σᵢ Σ over c ≠ yᵢ of max(0, 1 − (F_yᵢ(xᵢ) − F_c(xᵢ))): each of the other classes counts.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error.
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
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of the solver; -1 for max(10⁷, 100 n).
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
        Indices of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.

    See Also
    --------
    CrammerSingerSVC : Only the worst of the other classes counts.

    Examples
    --------
    >>> from mercer import WestonWatkinsSVC
    >>> model = WestonWatkinsSVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [2.5], [4.5]])
    array([0, 1, 2])
    """

    _loss = "weston-watkins"


class OneVsRestSVC(ScoreClassifier):
    """Support vector classification of each class against all others, or of several labels a row.

    With a matrix of 0 and 1 for y there is a machine for each column.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error.
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
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of the solver; -1 for max(10⁷, 100 n).
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
        Indices of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.

    See Also
    --------
    SVC : A machine for each pair of classes.

    Examples
    --------
    >>> from mercer import OneVsRestSVC
    >>> model = OneVsRestSVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [2.5], [4.5]])
    array([0, 1, 2])
    """

    _loss = "ovr"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _restore(self, model: _mercer.Model) -> None:
        self.multilabel_ = model.kind == "multilabel"
        super()._restore(model)

    def _targets(self, y: Any) -> Any:
        self.multilabel_ = type_of_target(y) == "multilabel-indicator"
        if not self.multilabel_:
            return super()._targets(y)
        labels = y.toarray() if sp.issparse(y) else np.asarray(y)
        self.classes_ = np.arange(labels.shape[1])
        self.class_weight_ = np.ones(labels.shape[1])
        self._present = self.classes_
        return labels

    def _weights(self, weights: Any, target: Any) -> Any:
        return weights if self.multilabel_ else super()._weights(weights, target)

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        if y is not None and not isinstance(y, str):
            options["multi_output"] = type_of_target(y) == "multilabel-indicator"
        return super()._validated(X, y, **options)

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        if not self.multilabel_:
            return super()._fit_native(run, solver, kernel, points, target, weights)
        sets = names_of(self.classes_), target != 0
        return _mercer.fit(run, "multilabel", {**solver, "c": float(self.C)}, kernel, points, sets, weights)

    def decision_function(self, X: Any) -> Any:
        """Evaluate the score of each class or label.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes) or (n_samples,)
            A column for each class; for two classes the score of the second less that of the first.
        """
        check_is_fitted(self)
        return self._decisions(X) if self.multilabel_ else super().decision_function(X)

    def predict(self, X: Any) -> Any:
        """Predict the class, or the labels, of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels; of several labels 1 where a row has one.
        """
        check_is_fitted(self)
        return (self._decisions(X) > 0.0).astype(np.int64) if self.multilabel_ else super().predict(X)

    def _iterations(self) -> None:
        self.n_iter_ = np.array([max(c["iterations"], 1) for c in self._certificates()], dtype=np.int32)


class KernelSoftmax(ScoreClassifier):
    """Kernel logistic regression of any number of classes.

    Minimises ½Σ‖w_c‖² + C Σᵢ log Σ_c exp(F_c(xᵢ) − F_yᵢ(xᵢ)): the scores are logarithms of probabilities.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error.
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
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of the solver; -1 for max(10⁷, 100 n).
    time_limit : float, default=None
        Most seconds for the solver.
    exact : bool or "auto", default="auto"
        Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`, and
        evaluated in double precision. "auto" does so up to 500 rows.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_classes, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.

    See Also
    --------
    SVC : Probabilities learnt after the fit, by `probability`.

    Examples
    --------
    >>> from mercer import KernelSoftmax
    >>> model = KernelSoftmax(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[0.0]])[0].sum()
    np.float64(1.0)
    """

    _loss = "softmax"
    #: Its exact finish is a system of all rows and classes.
    _exact_rows = 500

    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of `classes_`.
        """
        points = self._checked_points(X)
        return self._by_class(self._fitted.probabilities(self._run(), points, self._double))

    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of `classes_`.
        """
        return np.log(self.predict_proba(X))


class LocalSVC(Classifier):
    """Support vector classification by cells, for 100,000 rows and more.

    The data are parted into cells, and each has a machine of its own: an approximation of :class:`SVC` that costs a
    fraction of its time.

    Parameters
    ----------
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
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    time_limit : float, default=None
        Most seconds for the solver.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.
    n_cells : int, default=None
        Cells, at most; None for one for each 10,000 rows, from 1 to 64. With one it is the exact machine.

    Attributes
    ----------
    cell_sizes_ : ndarray of shape (n_cells,)
        Training rows of each cell.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    SVC : The exact machine.

    Examples
    --------
    >>> from mercer import LocalSVC
    >>> model = LocalSVC(gamma=2.0, C=10.0, n_cells=2)
    >>> model.fit([[0.0], [0.1], [0.9], [1.0], [50.0], [50.1], [50.9], [51.0]], [0, 0, 1, 1, 1, 1, 2, 2]).cell_sizes_
    array([4, 4])
    >>> model.predict([[0.05], [0.95], [50.0], [50.8]])
    array([0, 1, 1, 2])
    """

    _parameter_constraints = {
        **Machine._constraints(*(name for name in _PARAMETERS if name != "exact")),
        "n_cells": [Interval(Integral, 1, 512, closed="both"), None],
    }
    #: One cell is finished exactly where it is small.
    exact = "auto"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 2000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_threads: int | None = None,
        n_cells: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_threads = n_threads
        self.n_cells = n_cells

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        cells = min(max(len(points) // _CELL, 1), _MOST_CELLS) if self.n_cells is None else int(self.n_cells)
        parameters = {**solver, "c": float(self.C), "cells": cells}
        return _mercer.fit(run, "local", parameters, kernel, points, self._labels(target), weights)

    def _found(self, X: Any) -> None:
        self.cell_sizes_ = np.array([cell["rows"] for cell in self._model.facts()["cells"]])
        self.fit_status_ = int(any(c["stop"] != "converged" for c in self._certificates()))
        self.n_iter_ = max(self.certificate_.iterations, 1)
        self.support_vectors_ = np.empty((0, 0))

    @property
    def _fitted(self) -> _mercer.Model:
        return self._model

    @property
    def _double(self) -> bool:
        return False
