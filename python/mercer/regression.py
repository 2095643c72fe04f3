"""Support vector regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import column_or_1d

from mercer._parameters import FLAG, NON_NEGATIVE, declared, parameter
from mercer._svm import SupportVectors

__all__ = ["SVR", "NuSVR"]


def numbers(y: Any) -> Any:
    """A finite number for each row, as a column."""
    target = column_or_1d(y, warn=True).astype(np.float64, copy=False)
    if not np.isfinite(target).all():
        raise ValueError("Input y contains NaN or infinity.")
    return target.reshape(-1, 1)


@declared
class Regressor(RegressorMixin, SupportVectors):
    """A function that predicts numbers."""

    C: float = parameter(default=1.0, setting="c")
    shrinking: bool = parameter(default=True, setting="shrinking", rule=FLAG)

    def _target(self, y: Any) -> Any:
        return numbers(y)

    def predict(self, X: Any) -> Any:
        """Predict a number for each row."""
        return self._outputs(X).ravel()


@declared
class SVR(Regressor):
    """Support vector regression with an insensitive zone.

    A drop-in for :class:`sklearn.svm.SVR`.

    See Also
    --------
    NuSVR : A regression with a bound on the share of errors in place of epsilon.
    KernelRidge : Squared errors without a zone, in closed form.

    >>> model = SVR(C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[2.0]]).round(1)
    array([4.])
    """

    epsilon: float = parameter(default=0.1, setting="epsilon", rule=NON_NEGATIVE)
    loss: str = parameter(
        default="epsilon_insensitive", rule=[StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        doc="What an error beyond the zone costs: C times it, or C/2 times its square.",
    )

    _method = "svr"

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"squared": self.loss != "epsilon_insensitive"}


@declared
class NuSVR(Regressor):
    """Support vector regression with a bound on the share of errors.

    A drop-in for :class:`sklearn.svm.NuSVR`.

    Attributes
    ----------
    epsilon_ : float
        The half width of the zone that was found.

    See Also
    --------
    SVR : A regression with epsilon given.

    >>> model = NuSVR(C=100.0).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> bool(model.epsilon_ >= 0.0)
    True
    """

    nu: float = parameter(default=0.5, setting="nu")

    _method = "nu-svr"

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.epsilon_ = self._model.head()["epsilon"]
