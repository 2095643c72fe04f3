"""Classifiers of all classes together, of one class against the others, of several labels, and by cells."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from mercer import _mercer
from mercer._native import names_of
from mercer._svm import Machine
from mercer.svm import _COMMON, Classifier

__all__ = ["CrammerSingerSVC", "KernelSoftmax", "LocalSVC", "MultiLabelSVC", "OneVsRestSVC", "WestonWatkinsSVC"]

_PARAMETERS = (*_COMMON, "C", "class_weight")


class ScoreClassifier(Classifier):
    """A function for each class, of which the largest decides."""

    _parameter_constraints = Machine._constraints(*_PARAMETERS)
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
        return _mercer.fit_scores(
            run, solver, kernel, points, self._labels(target), weights, loss=self._loss, c=float(self.C)
        )

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
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


class CrammerSingerSVC(ScoreClassifier):
    """Support vector classification of all classes in one programme (Crammer and Singer).

    Minimises ½Σ‖w_c‖² + C Σᵢ max over c ≠ yᵢ of max(0, 1 − (F_yᵢ(xᵢ) − F_c(xᵢ))): only the worst of the other classes
    counts.

    Parameters
    ----------
@TOGETHER

    Attributes
    ----------
@SCORE_ATTRIBUTES

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
@TOGETHER

    Attributes
    ----------
@SCORE_ATTRIBUTES

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
    """Support vector classification of each class against all others.

    Parameters
    ----------
@TOGETHER

    Attributes
    ----------
@SCORE_ATTRIBUTES

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

    def _iterations(self) -> None:
        self.n_iter_ = np.array([max(c["iterations"], 1) for c in self._model.certificates], dtype=np.int32)


class KernelSoftmax(ScoreClassifier):
    """Kernel logistic regression of any number of classes.

    Minimises ½Σ‖w_c‖² + C Σᵢ log Σ_c exp(F_c(xᵢ) − F_yᵢ(xᵢ)): the scores are logarithms of probabilities.

    Parameters
    ----------
@TOGETHER

    Attributes
    ----------
@SCORE_ATTRIBUTES

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
        scores = self._decisions(X)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        found = powers / powers.sum(axis=1, keepdims=True)
        if len(self._present) == len(self.classes_):
            return found
        whole = np.zeros((len(found), len(self.classes_)))
        whole[:, self._present] = found
        return whole

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
