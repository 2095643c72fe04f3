"""The kernel Fisher discriminant."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer import _mercer
from mercer._algebra import Algebra
from mercer._native import classes_in, classes_of, kind_of, names_of, positive_weights
from mercer._progress import with_callbacks

__all__ = ["KernelFisher"]


class KernelFisher(ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, Algebra):
    """The kernel Fisher discriminant of two or more classes.

    Finds axes in feature space with large scatter between the classes and small scatter within them, with a penalty
    α‖w‖² (Mika et al.).

    Parameters
    ----------
    alpha : float, default=1e-3
        The price of ‖w‖² beside the scatter within classes.
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
    n_points : int, default=None
        Training rows that the axes are built from, at most, chosen greedily; None for all.
    threshold : {"means", "svm"}, default="means"
        Where two classes part on their axis: half way between their means, or where a linear support vector machine on
        the axis has its border.
    C : float, default=1.0
        The price of an error of that machine.
    random_state : int, RandomState instance or None, default=None
        What candidates for `n_points` are drawn by; None is the same each time.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    means_ : ndarray of shape (n_classes, n_axes)
        The mean of each class on the axes.
    ratios_ : ndarray of shape (n_axes,)
        The share of the scatter along each axis that is between the classes.
    support_ : ndarray of shape (n_points,)
        Indices of the rows that the axes are built from.
    dual_coef_ : ndarray of shape (n_axes, n_points)
        Their coefficients.
    residual_ : float
        The certificate: the relative residual of the linear systems that the axes solve.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    SVC : The classifier of largest margin.

    Examples
    --------
    >>> from mercer import KernelFisher
    >>> model = KernelFisher().fit([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[-1.2], [3.0]])
    array([0, 1])
    >>> model.transform([[-1.2]]).shape
    (1, 1)
    """

    _parameter_constraints: dict[str, Any] = {
        **Algebra._parameter_constraints,
        "alpha": [Interval(Real, 0.0, None, closed="neither")],
        "n_points": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [StrOptions({"means", "svm"})],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        alpha: float = 1e-3,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        n_points: int | None = None,
        threshold: str = "means",
        C: float = 1.0,
        random_state: Any = None,
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_points = n_points
        self.threshold = threshold
        self.C = C
        self.random_state = random_state
        self.verbose = verbose
        self.n_threads = n_threads

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the axes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row. A whole number is the same as so many copies of the row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._validated(X, y)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, index = classes_in(y)
        weights = positive_weights(sample_weight, X.shape[0], X)
        self._present = np.unique(index if weights is None else index[weights > 0.0])
        if len(self._present) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got 1 class"
                + ("" if weights is None else " with positive weights")
            )
        kernel, points = self._begin(X, weights)
        labels = names_of(self.classes_), index, kind_of(self.classes_)
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        with self._following(X, y, None) as run:
            parameters = {
                "mu": float(self.alpha), "points": self.n_points, "seed": seed, "threshold": self.threshold,
                "c": float(self.C) if self.threshold == "svm" else None,
            }
            self._model = _mercer.fit(run, "fisher", parameters, kernel, points, labels, weights)
        self._found()
        return self

    def _restore(self, model: _mercer.Model) -> None:
        super()._restore(model)
        labels = classes_of(model.classes, model.labels)
        order = np.argsort(labels, kind="stable")
        self.classes_, self._present = labels[order], np.argsort(order, kind="stable")
        self._found()

    def _found(self) -> None:
        """The attributes that people read."""
        details = self._model.facts()
        # Of two classes the second lies above, on the axis as in the decision.
        self._side = -1.0 if len(self._present) == 2 and self._present[0] < self._present[1] else 1.0
        self.means_ = self._side * details["centers"]
        self.ratios_ = details["ratios"]
        self.support_ = self._model.support()
        self.dual_coef_ = self._side * self._model.coefficients()
        self.residual_ = self._model.quality()["residual"]
        self._n_features_out = len(self.ratios_)

    def decision_function(self, X: Any) -> Any:
        """Evaluate what decides.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes how far beyond the threshold a row lies, positive for the second. For more a column for each
            class: −½ the squared distance to its mean.
        """
        decisions = self._model_of(X, "decisions")
        if decisions.shape[1] == 1:
            return self._side * decisions.ravel()
        if len(self._present) < len(self.classes_):
            return decisions
        columns = np.empty_like(decisions)
        columns[:, self._present] = decisions
        return columns

    def predict(self, X: Any) -> Any:
        """Predict the class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.
        """
        index = self._model_of(X, "predict")
        return self.classes_.take(self._present[index])

    def transform(self, X: Any) -> Any:
        """Project rows onto the axes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_axes)
            Their place on the axes.
        """
        axes = self._model_of(X, "transform")
        return self._side * axes

    def _model_of(self, X: Any, what: str) -> Any:
        points = self._checked_points(X)
        how = () if what == "transform" else (True,)
        return getattr(self._model, what)(self._run(), points, *how)
