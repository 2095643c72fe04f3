"""Support vector regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import column_or_1d

from mercer._parameters import declared
from mercer._svm import SupportVectors

__all__ = ["SVR", "NuSVR"]


@declared
class Regressor(RegressorMixin, SupportVectors):
    """A function that predicts numbers.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error. Infinity allows none.
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    """

    C: float = 1.0
    shrinking: bool = True

    def _target(self, y: Any) -> Any:
        target = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        if not np.isfinite(target).all():
            raise ValueError("Input y contains NaN or infinity.")
        return target.reshape(-1, 1)

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"c": self.C}

    def predict(self, X: Any) -> Any:
        """Predict a number for each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train), or list of str
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``, or texts.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Predictions.
        """
        return self._decisions(X).ravel()


@declared
class SVR(Regressor):
    """Support vector regression with an insensitive zone.

    A drop-in for :class:`sklearn.svm.SVR`.

    Parameters
    ----------
    epsilon : float, default=0.1
        The half width of the zone in which errors cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What an error beyond the zone costs: C times it, or C/2 times its square.

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

    epsilon: float = 0.1
    loss: str = "epsilon_insensitive"

    _constraints = {"loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})]}
    _method = "svr"

    def _settings(self, points: Any) -> dict[str, Any]:
        own = {"epsilon": self.epsilon, "squared": self.loss != "epsilon_insensitive"}
        return super()._settings(points) | own


@declared
class NuSVR(Regressor):
    """Support vector regression with a bound on the share of errors.

    A drop-in for :class:`sklearn.svm.NuSVR`.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound on the share of errors and a lower bound on that of support vectors, above 0 and at most 1.

    Attributes
    ----------
    epsilon_ : float
        The half width of the zone that was found.

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

    nu: float = 0.5

    _method = "nu-svr"

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"nu": self.nu}

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.epsilon_ = self._model.training()["epsilon"]
