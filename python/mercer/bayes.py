"""Relevance vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import column_or_1d

from mercer import _data
from mercer._native import Expanded, warn
from mercer._parameters import COUNT, FLAG, POSITIVE, declared, parameter
from mercer.classification import Probable, Scored
from mercer.kernels import Kernel

__all__ = ["RVC", "RVR"]


@declared
class Relevance(Expanded):
    """An estimator whose few kernels the evidence has chosen.

    Attributes
    ----------
    relevance_ : ndarray of shape (n_relevance,)
        Indices of the rows that are relevance vectors, the same as `support_`.
    relevance_vectors_ : ndarray of shape (n_relevance, n_features)
        These rows; a list where they are texts, graphs or sets.
    intercept_ : ndarray of shape (n_functions,)
        Constants of the functions.
    evidence_ : ndarray of shape (n_fitted,)
        The log evidence of each function that was fitted.
    kernel_ : Kernel
        The kernel, with the parameters found where `width` is by evidence.
    gradient_ : float
        The certificate: the largest derivative of a log evidence in the logarithm of a prior's precision.
    n_iter_ : int
        Steps taken.
    """

    fit_intercept: bool = parameter(default=True, setting="offset", rule=FLAG)
    width: str = parameter(default="kernel", setting="width", rule=[StrOptions({"kernel", "evidence", "features"})])
    candidates: int | None = parameter(default=None, setting="candidates", rule=[*COUNT, None])
    tol: float = parameter(default=1e-3, setting="tolerance", rule=POSITIVE)
    max_iter: int = parameter(default=10_000, setting="max-iterations", rule=COUNT)
    random_state: Any = parameter(default=None, doc="What candidates are drawn by; None is the same each time.")

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"seed": self._seed()}

    def _found(self, X: Any) -> None:
        super()._found(X)
        facts = self._model.facts()
        self.relevance_ = self.support_
        self.intercept_ = -self._model.offsets() + 0.0
        self.evidence_ = facts["evidence"]
        self.gradient_ = facts["gradient"]
        quality = self._model.quality()
        self.n_iter_ = quality["iterations"]
        if X is not None and not quality["converged"]:
            text = f"The evidence still rose after max_iter={self.max_iter} steps. Consider increasing it."
            if self.n_iter_ < self.max_iter:
                text = f"The climb of the evidence ended with a derivative of {self.gradient_:.1e} left, which rounding hides."
            warn(text, ConvergenceWarning)

    @property
    def kernel_(self) -> Kernel:
        """The kernel of the functions."""
        return Kernel(self._model.head()["kernel"])

    @property
    def relevance_vectors_(self) -> Any:
        """The relevance vectors."""
        return _data.to_python(self._model.points)


@declared
class RVR(RegressorMixin, Relevance):
    """The relevance vector machine for numbers.

    f(x) = Σ wᵢ k(xᵢ, x) + w₀ with a prior N(0, 1/αᵢ) for each weight; the αᵢ and the variance of the noise are those of largest
    evidence, for which most weights are zero. Far from all relevance vectors the deviation of a prediction shrinks to that of the
    noise: take a Gaussian process where that matters.

    Attributes
    ----------
    noise_ : float
        The variance of the noise, as given or estimated.

    See Also
    --------
    SVR : Errors within a zone cost nothing; has no deviations.
    RVC : The machine for classes.

    >>> from math import sin
    >>> model = RVR(gamma=0.5).fit([[i / 4] for i in range(40)], [sin(i / 4) for i in range(40)])
    >>> mean, deviation = model.predict([[1.5]], return_std=True)
    >>> bool(abs(mean[0] - sin(1.5)) < 0.01 and deviation[0] < 0.05 and len(model.relevance_) < 20)
    True
    """

    noise: float | None = parameter(default=None, setting="noise", rule=[*POSITIVE, None])

    _method = "rvr"
    _target_options = {"y_numeric": True}

    def _target(self, y: Any) -> Any:
        target = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        if not np.isfinite(target).all():
            raise ValueError("Input y contains NaN or infinity.")
        return target.reshape(-1, 1)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.noise_ = self._model.facts()["noise"]

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict a number for each row.

        Parameters
        ----------
        return_std : bool, default=False
            Whether the standard deviation of each number is returned too.

        Returns
        -------
        y_mean : ndarray of shape (n_samples,)
            The numbers.
        y_std : ndarray of shape (n_samples,)
            Their standard deviations, with that of the noise; only with `return_std`.
        """
        if not return_std:
            return self._outputs(X).ravel()
        points = self._points(X)
        mean, deviation = (self._fitted.outputs(self._run(), points, what) for what in ("decisions", "deviations"))
        return mean.ravel(), deviation.ravel()


@declared
class RVC(Scored, Probable, Relevance):
    """The relevance vector machine for classes: a function for each, of two classes one.

    p(class | x) = σ(f(x)) with f as in :class:`RVR`, or the softmax of the functions of all classes; the integral over the weights is
    Laplace's approximation.

    See Also
    --------
    SVC : The classifier of largest margin.
    RVR : The machine for numbers.

    >>> model = RVC(gamma=0.5).fit([[-3.0], [-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0], [3.0]], [0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.predict([[-1.2], [3.0]])
    array([0, 1])
    >>> bool(model.predict_proba([[3.0]])[0, 1] > 0.5)
    True
    """

    likelihood: str = parameter(
        default="one-vs-rest", setting="likelihood", rule=[StrOptions({"one-vs-rest", "multinomial"})]
    )
    max_iter: int = parameter(default=10_000, setting="max-iterations", rule=COUNT)

    _method = "rvc"

    def decision_function(self, X: Any) -> Any:
        """Evaluate the function of each class.

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes) or (n_samples,)
            A column for each class; for two classes the logarithm of the odds of the second.
        """
        scores = self._ordered(self._outputs(X))
        return scores[:, 1] if scores.shape[1] == 2 else scores
