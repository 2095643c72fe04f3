"""Self-organising maps."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._native import Assigning, Expanded, symmetric
from mercer._parameters import COUNT, NON_NEGATIVE, POSITIVE, declared, parameter

__all__ = ["KernelSOM"]


@declared
class KernelSOM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Assigning, Expanded):
    """A self-organising map in feature space: prototypes on a grid, neighbours on which are alike.

    Each unit of the grid has a prototype m = Σᵢ γᵢ φ(xᵢ), a weighted mean of the training rows in feature space; a row belongs to
    the unit whose prototype is nearest. With the linear kernel it is the ordinary map of Kohonen; with a kernel on texts,
    graphs or sets these have a map, and `median_indices_` says what its units look like.

    It is no clusterer in scikit-learn's sense, since units may be empty: `labels_` are numbers of units, of which not all need
    occur.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The nearest unit of each training row: row * n_columns + column, from 0.
    quantization_error_ : float
        The mean distance of the training rows to their nearest prototype, in feature space.
    topographic_error_ : float
        The share of training rows whose two nearest units are no neighbours.
    u_matrix_ : ndarray of shape (n_rows, n_columns)
        For each unit the mean distance of its prototype to those of its neighbours.
    hits_ : ndarray of shape (n_rows, n_columns)
        The training rows of each unit, by weight.
    median_indices_ : ndarray of shape (n_rows * n_columns,)
        For each unit the index of the training row nearest to its prototype.
    n_iter_ : int
        Epochs made.

    See Also
    --------
    mercer.plot.som_map : Draws the map.

    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0]]
    >>> model = KernelSOM(n_rows=1, n_columns=3, sigma_end=0.1).fit(X)
    >>> model.hits_
    array([[3., 3., 1.]])
    >>> model.predict([[0.3], [8.0]])
    array([0, 2])
    >>> [X[i] for i in model.median_indices_]
    [[0.1], [5.1], [9.0]]
    """

    n_rows: int = parameter(default=10, kw_only=False, setting="map-rows", rule=COUNT)
    n_columns: int = parameter(default=10, kw_only=False, setting="map-columns", rule=COUNT)
    kernel: Any = parameter(default="linear")
    grid: str = parameter(default="rectangular", setting="grid", rule=[StrOptions({"rectangular", "hexagonal"})])
    training: str = parameter(default="batch", setting="training", rule=[StrOptions({"batch", "online"})])
    n_epochs: int = parameter(default=20, setting="epochs", rule=COUNT)
    sigma: float | None = parameter(default=None, setting="radius", rule=[*POSITIVE, None])
    sigma_end: float = parameter(default=0.3, setting="end-radius", rule=NON_NEGATIVE)
    learning_rate: float = parameter(
        default=0.5, setting="rate", rule=[Interval(Real, 0.0, 1.0, closed="right")]
    )
    init: str = parameter(default="components", setting="map-start", rule=[StrOptions({"components", "random"})])
    random_state: Any = parameter(
        default=None,
        doc="What a random start and the order of the rows in online training are drawn by; None is the same each time.",
    )

    _method = "som"
    _supervised = False

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"seed": self._seed()}

    def _found(self, X: Any) -> None:
        super()._found(X)
        facts = self._model.facts()
        if X is None:
            self.n_rows, self.n_columns, self.grid = facts["rows"], facts["columns"], facts["grid"]
        self.quantization_error_ = facts["quantisation_error"]
        self.topographic_error_ = facts["topographic_error"]
        self.u_matrix_, self.hits_ = facts["u_matrix"], facts["hits"]
        self.median_indices_ = facts["medians"]
        self.n_iter_ = facts["epochs"]
        self._n_features_out = self.hits_.size
        self.labels_ = self._of_all_rows(X, facts["winners"])

    def predict(self, X: Any) -> Any:
        """Find the unit whose prototype is nearest to each row.

        Returns
        -------
        units : ndarray of shape (n_samples,)
            Numbers of units: row * n_columns + column, from 0.
        """
        return self._nearest(self._points(X))

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Train a map and find the unit of each training row.

        Parameters
        ----------
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row.

        Returns
        -------
        units : ndarray of shape (n_samples,)
            Numbers of units: row * n_columns + column, from 0.
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Train a map and compute the distances of the training rows to all prototypes.

        Parameters
        ----------
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_rows * n_columns)
            Distances in feature space, a column for each unit.
        """
        self.fit(X, sample_weight=sample_weight)
        rows = self._checked_rows(X)
        # Only the symmetric part of kernel values was fitted.
        return self._distances(symmetric(rows) if self._input == "values" else rows)

    def transform(self, X: Any) -> Any:
        """Compute the distances of rows to all prototypes, in feature space.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_rows * n_columns)
            Distances in feature space, a column for each unit.
        """
        return self._distances(self._checked_rows(X))
