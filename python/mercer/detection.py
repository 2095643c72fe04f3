"""Estimators of one class: where the data are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from mercer._parameters import FLAG, RULES, declared, parameter
from mercer._svm import SupportVectors

__all__ = ["SVDD", "OneClassSVM"]

#: Decisions of less than this share of the offset cannot be told from 0.
_ROUNDING = 1e-11


@declared
class Detector(OutlierMixin, SupportVectors):
    """A function that is positive where the data are."""

    shrinking: bool = parameter(default=True, setting="shrinking", rule=FLAG)

    _supervised = False

    def decision_function(self, X: Any) -> Any:
        """Signed distance to the border, positive inside.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
            Positive for rows like those of the training data.
        """
        decisions = self._outputs(X).ravel()
        if self._double:
            # What rounding leaves of a row on the border is no side of it.
            size = np.abs(self.offset_).max()
            decisions[np.abs(decisions) <= _ROUNDING * size] = 0.0
        return decisions

    def score_samples(self, X: Any) -> Any:
        """Score each row: the decision before `offset_` is taken off.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            More is more ordinary.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """Predict whether rows are like those of the training data.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            1 inside, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1).astype(np.intp)


@declared
class OneClassSVM(Detector):
    """Where the data are: a hyperplane that parts them from the origin of feature space.

    A drop-in for :class:`sklearn.svm.OneClassSVM`.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        decision_function = score_samples - `offset_`.

    See Also
    --------
    SVDD : The smallest sphere around the data.

    >>> model = OneClassSVM(gamma="auto", nu=0.25).fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> model.predict([[0.45], [9.0]])
    array([ 1, -1])
    """

    nu: float = parameter(default=0.5, setting="nu")

    _method = "one-class"

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.offset_ = -self._intercept_


@declared
class SVDD(Detector):
    """The smallest sphere around the data in feature space.

    Minimises R² + C Σξᵢ subject to ‖φ(xᵢ) − a‖² ≤ R² + ξᵢ, ξᵢ ≥ 0 (Tax and Duin). The decision is R² − ‖φ(x) − a‖².

    Attributes
    ----------
    square_radius_ : float
        R²
    offset_ : float
        decision_function = score_samples - `offset_`, and score_samples = −‖φ(x) − a‖².

    See Also
    --------
    OneClassSVM : A hyperplane in place of the sphere.

    >>> model = SVDD(kernel="linear", C=1.0).fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]])
    >>> round(model.square_radius_, 6)
    2.0
    >>> model.predict([[1.0, 1.5], [4.0, 4.0]])
    array([ 1, -1])
    """

    C: float | None = parameter(
        default=None, rule=[*RULES["C"], None], kind="float or None",
        doc="The price of a row outside, at least 1/n; from 1 on the sphere holds all rows. None for 1 / (nu n), with which at"
        " most the share `nu` is outside.",
    )
    nu: float = parameter(default=0.5, doc="The share of rows that may be outside, where C is None.")

    _method = "svdd"

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | ({"nu": self.nu} if self.C is None else {"c": self.C})

    def _outputs(self, X: Any, what: str = "decisions") -> Any:
        check_is_fitted(self)
        if self._input != "function":
            return super()._outputs(X, what)
        # A table of the function's values has k(x, x) of the training rows alone.
        rows = self._checked_rows(X)
        scores = self._fitted.outputs(self._run(), self._as_points(rows), "scores", True)
        return 2.0 * scores.ravel() - self._own_values(rows)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.square_radius_ = self._model.facts()["square_radius"]
        self.offset_ = -self.square_radius_
