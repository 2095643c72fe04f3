"""The kernel Fisher discriminant."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Hidden, StrOptions

from mercer._algebra import Algebra
from mercer._native import Expanded, warn
from mercer._parameters import COUNT, POSITIVE, declared, parameter
from mercer.classification import Classes

__all__ = ["KernelFisher"]


@declared
class KernelFisher(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classes, Expanded, Algebra):
    """The kernel Fisher discriminant of two or more classes.

    Finds axes in feature space with large scatter between the classes and small scatter within them, with a penalty
    μ‖w‖² (Mika et al.).

    Attributes
    ----------
    means_ : ndarray of shape (n_classes, n_axes)
        The mean of each class on the axes.
    ratios_ : ndarray of shape (n_axes,)
        The share of the scatter along each axis that is between the classes.

    See Also
    --------
    SVC : The classifier of largest margin.

    >>> model = KernelFisher().fit([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]], [0, 0, 0, 1, 1, 1])
    >>> model.predict([[-1.2], [3.0]])
    array([0, 1])
    >>> model.transform([[-1.2]]).shape
    (1, 1)
    """

    mu: float = parameter(default=1e-3, setting="mu", rule=POSITIVE)
    n_points: int | None = parameter(default=None, setting="points", rule=[*COUNT, None])
    threshold: str = parameter(
        default="means", setting="threshold", rule=[StrOptions({"means", "svm"})],
        doc="Where two classes part on their axis: half way between their means, or where a linear support vector machine on"
        " the axis has its border.",
    )
    C: float = parameter(default=1.0, doc="The price of an error of that machine.", rule=POSITIVE)
    random_state: Any = parameter(
        default=None, doc="What candidates for `n_points` are drawn by; None is the same each time."
    )
    alpha: float | str = parameter(
        default="deprecated", doc="The name that `mu` had before.", rule=[*POSITIVE, Hidden(StrOptions({"deprecated"}))]
    )

    _method = "fisher"

    def _settings(self, points: Any) -> dict[str, Any]:
        own: dict[str, Any] = {"seed": self._seed()}
        if not isinstance(self.alpha, str):
            warn("alpha of KernelFisher is called mu now", FutureWarning)
            own["mu"] = self.alpha
        return super()._settings(points) | own | ({"c": self.C} if self.threshold == "svm" else {})

    def _found(self, X: Any) -> None:
        super()._found(X)
        facts = self._model.facts()
        # Of two classes the second lies above, on the axis as in the decision.
        self._side = -1.0 if len(self._present) == 2 and self._present[0] < self._present[1] else 1.0
        self.means_ = self._side * facts["centers"]
        self.ratios_ = facts["ratios"]
        self.dual_coef_ = self._side * self.dual_coef_
        self._n_features_out = len(self.ratios_)

    def decision_function(self, X: Any) -> Any:
        """Evaluate what decides.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes how far beyond the threshold a row lies, positive for the second. For more a column for each
            class: −½ the squared distance to its mean.
        """
        decisions = self._outputs(X)
        return self._side * decisions.ravel() if decisions.shape[1] == 1 else self._ordered(decisions)

    def transform(self, X: Any) -> Any:
        """Project rows onto the axes."""
        points = self._points(X)
        return self._side * self._model.outputs(self._run(), points, "components")
