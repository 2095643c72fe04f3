"""Classifiers that learn from one row after the other."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from mercer._native import Expanded
from mercer._parameters import COUNT, FLAG, declared, parameter
from mercer.classification import Scored

__all__ = ["KernelPerceptron"]


@declared
class KernelPerceptron(Scored, Expanded):
    """The kernel perceptron of two or more classes, averaged, with a budget of support vectors or without.

    Presents the rows one after the other; where another class has a score as large as a row's own, the row is added to the
    function of its class and taken from that of the other. On separable rows there are at most (R/γ)² mistakes, γ the
    margin and R² the largest k(x, x), whatever their order.

    Attributes
    ----------
    intercept_ : ndarray of shape (n_classes,)
        Constants of the decisions.
    mistakes_ : ndarray of shape (n_iter_,)
        The share of mistakes in each pass.
    n_iter_ : int
        Passes made.

    See Also
    --------
    SVC : The classifier of largest margin.

    >>> model = KernelPerceptron(budget=4)
    >>> model.fit([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]], [0, 0, 0, 1, 1, 1]).predict([[-1.2], [3.0]])
    array([0, 1])
    >>> float(model.mistakes_[-1])
    0.0
    """

    passes: int = parameter(default=10, setting="passes", rule=COUNT)
    average: bool = parameter(default=True, setting="average", rule=FLAG)
    budget: int | None = parameter(
        default=None, setting="budget", rule=[Interval(Integral, 2, None, closed="left"), None]
    )
    fit_intercept: bool = parameter(default=True, setting="offset", rule=FLAG)
    shuffle: bool = parameter(default=True, doc="Whether the order of the rows is drawn anew for each pass.", rule=FLAG)
    random_state: Any = parameter(default=None, doc="What the orders are drawn by; None is the same each time.")

    _method = "perceptron"

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"seed": self._seed() if self.shuffle else None}

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from the rows.

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
        self.intercept_ = -self._model.offsets() + 0.0
