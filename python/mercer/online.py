"""Classifiers that learn from one row after the other."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from mercer._native import NativeEstimator
from mercer._parameters import declared
from mercer.classification import Classes

__all__ = ["KernelPerceptron"]


@declared
class KernelPerceptron(Classes, NativeEstimator):
    """The kernel perceptron of two or more classes, averaged, with a budget of support vectors or without.

    Presents the rows one after the other; where another class has a score as large as a row's own, the row is added to the
    function of its class and taken from that of the other. On separable rows there are at most (R/γ)² mistakes, γ the
    margin and R² the largest k(x, x), whatever their order.

    Parameters
    ----------
    passes : int, default=10
        Most passes over the rows; it ends earlier after a pass without a mistake.
    average : bool, default=True
        Whether the mean of all functions on the way is taken in place of the last one.
    budget : int, default=None
        Most support vectors; the one that the others classify best without it makes room for a new one. None for no limit.
    fit_intercept : bool, default=True
        Whether there is a constant in the decision.
    shuffle : bool, default=True
        Whether the order of the rows is drawn anew for each pass.
    random_state : int, RandomState instance or None, default=None
        What the orders are drawn by; None is the same each time.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    dual_coef_ : ndarray of shape (n_classes, n_SV)
        Coefficients of the support vectors, for each class of the model.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    mistakes_ : ndarray of shape (n_iter_,)
        The share of mistakes in each pass.
    n_iter_ : int
        Passes made.

    See Also
    --------
    SVC : The classifier of largest margin.

    Examples
    --------
    >>> from mercer import KernelPerceptron
    >>> model = KernelPerceptron().fit([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[-1.2], [3.0]])
    array([0, 1])
    """

    passes: int = 10
    average: bool = True
    budget: int | None = None
    fit_intercept: bool = True
    shuffle: bool = True
    random_state: Any = None

    _constraints = {
        "passes": [Interval(Integral, 1, None, closed="left")],
        "average": ["boolean"],
        "budget": [Interval(Integral, 2, None, closed="left"), None],
        "shuffle": ["boolean"],
    }
    _method = "perceptron"

    def _settings(self, points: Any) -> dict[str, Any]:
        return {
            "passes": self.passes, "average": self.average, "budget": self.budget, "offset": self.fit_intercept,
            "seed": self._seed() if self.shuffle else None,
        }

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples), or list of str
            Training vectors, or their kernel values for ``kernel="precomputed"``, or texts.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().fit(X, y)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.mistakes_ = self._model.facts()["mistakes_by_pass"]
        self.n_iter_ = len(self.mistakes_)
        self.support_ = self._model.support()
        self.dual_coef_ = self._model.coefficients()
        self.intercept_ = -self._model.offsets() + 0.0

    def decision_function(self, X: Any) -> Any:
        """Evaluate the score of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train), or list of str
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``, or texts.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the score of the second less that of the first; for more a column for each class.
        """
        points = self._points(X)
        scores = self._by_class(self._model.decisions(self._run(), points, True))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
