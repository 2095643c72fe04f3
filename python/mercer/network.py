"""RBF networks: a layer of units around centres, and outputs that are linear in them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from mercer import _data
from mercer._algebra import Algebra
from mercer._parameters import COUNT, NON_NEGATIVE, POSITIVE, declared, parameter
from mercer.classification import Probable, Scored

__all__ = ["RBFNetworkClassifier", "RBFNetworkRegressor"]


@declared
class RBFNetwork(Algebra):
    """A network of one hidden layer whose units are kernels at centres, or Gaussians of the kernel's distance to them.

    Attributes
    ----------
    centers_ : {ndarray, sparse matrix} of shape (n_units_, n_features), or list
        The centres; rows of kernel values for ``kernel="precomputed"``.
    center_indices_ : ndarray of shape (n_units_,)
        The rows of the training data that are the centres; empty where these are means of rows.
    widths_ : ndarray of shape (n_units_,)
        The width σ of each unit; empty where the units are the kernel.
    n_units_ : int
        Number of units.
    alpha_ : float
        The price of the squared output weights that was taken.
    path_ : ndarray of shape (n_alphas, 2)
        Of each price that was tried: the price, and the error at rows left out of the fit; there where there were several.
    loo_error_ : float
        The error at rows left out of the fit by the price that was taken: the mean square, or of a logistic output the mean of −log
        p; there where there were several prices.
    """

    n_units: int | None = parameter(default=None, setting="units", rule=[*COUNT, None])
    centers: str = parameter(
        default="k-means", setting="centers", rule=[StrOptions({"k-means", "k-medoids", "all", "ols"})],
        doc="How the centres are found: means of clusters of the rows (medoids where X has no means: texts, graphs, sets, kernel"
        " values), medoids, all rows that differ, or rows chosen one after the other for what they explain of y, by orthogonal"
        " least squares.",
    )
    width: float | str = parameter(
        default="kernel", setting="width", rule=[StrOptions({"kernel", "nearest"}), *POSITIVE],
        kind='{"kernel", "nearest"} or float',
        doc='"kernel": a unit is k(x, c). Else a unit is exp(−d²/2σ²) of the kernel\'s distance d²(x, c) = k(x, x) − 2k(x, c) + k(c, c), the'
        ' Euclidean one for ``kernel="linear"``, with this σ, or "nearest" for `spread` times the mean distance to the `n_neighbors`'
        " nearest centres.",
    )
    n_neighbors: int = parameter(default=5, setting="neighbors", rule=COUNT)
    spread: float = parameter(default=1.0, setting="spread", rule=POSITIVE)
    alpha: Any = parameter(
        default="auto", rule=[*NON_NEGATIVE, StrOptions({"auto"}), "array-like"],
        kind='float, array-like of shape (n_alphas,) or "auto"',
        doc="The price of the squared output weights; of several, or of a grid for \"auto\", the one with the smallest error at rows"
        " left out of the fit, which is known in closed form.",
    )
    n_rounds: int = parameter(
        default=5, setting="rounds", rule=[Interval(Integral, 0, None, closed="left")]
    )
    ols_tol: float = parameter(
        default=1e-6, setting="tolerance", rule=[Interval(Real, 0.0, 1.0, closed="left")]
    )
    random_state: Any = parameter(
        default=None, doc="What the first centres are drawn by; None is the same each time."
    )

    def _settings(self, points: Any) -> dict[str, Any]:
        alpha: Any = self.alpha
        if not isinstance(alpha, str):
            given = np.asarray(alpha, dtype=np.float64)
            alpha = float(given) if given.ndim == 0 else given.ravel().tolist()
        return super()._settings(points) | {"lambda": alpha, "seed": self._seed()}

    def _found(self, X: Any) -> None:
        super()._found(X)
        model = self._model
        facts, found = model.facts(), model.found()
        self.centers_ = _data.to_python(model.points)
        self.center_indices_ = model.support()
        self.widths_ = facts["widths"]
        self.n_units_ = facts["units"]
        self.alpha_ = facts["lambda"]
        for name in ("path_", "loo_error_"):
            self.__dict__.pop(name, None)
        if facts["left_out"] is not None:
            self.loo_error_ = facts["left_out"]
        if "path" in found:
            self.path_ = np.array([(at["lambda"], at["left_out"]) for at in found["path"]])


@declared
class RBFNetworkClassifier(Probable, Scored, RBFNetwork):
    """Classification by an RBF network: a function for each class over a layer of units, of which the largest decides.

    The centres are found without the classes, and the output weights by least squares to ±1 or by the likelihood of the classes, both with a
    penalty α‖v‖² that is chosen by leaving rows out in closed form. A support vector machine with the same kernel is a function
    of the same form whose centres are the rows at the border.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_units_)
        Output weights of each class.
    intercept_ : ndarray of shape (n_classes,)
        Constants of the functions.

    See Also
    --------
    SVC : Its centres are the rows that decide, and as many as the data need.
    RBFNetworkRegressor : The same for numbers.

    >>> model = RBFNetworkClassifier(n_units=3, gamma=1.0)
    >>> model.fit([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]], [0, 0, 0, 1, 1, 1]).predict([[-1.2], [3.0]])
    array([0, 1])
    >>> model.n_units_
    3
    """

    output: str = parameter(default="ridge", setting="output", rule=[StrOptions({"ridge", "logistic"})])

    _method = "rbf-network"

    def _has_probability(self) -> bool:
        return self.output == "logistic"

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.coef_ = self._ordered(self._model.coefficients().T).T
        self.intercept_ = self._ordered(-self._model.offsets()[None, :] + 0.0)[0]


@declared
class RBFNetworkRegressor(MultiOutputMixin, RegressorMixin, RBFNetwork):
    """Regression by an RBF network: least squares with a penalty over a layer of units.

    Minimises Σ(yᵢ − vᵀh(xᵢ) − b)² + α‖v‖², h the units. All targets share the centres and the penalty, which is chosen by leaving rows out
    in closed form.

    Attributes
    ----------
    coef_ : ndarray of shape (n_units_,) or (n_targets, n_units_)
        Output weights.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant.

    See Also
    --------
    KernelRidge : All rows as centres, and ‖w‖² in feature space as the penalty.
    RBFNetworkClassifier : The same for classes.

    >>> model = RBFNetworkRegressor(n_units=4, gamma=1.0, alpha=1e-3)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]).predict([[2.0]]).round(1)
    array([4.])
    """

    _method = "rbf-network-regression"
    _target_options = {"multi_output": True, "y_numeric": True}

    def _target(self, y: Any) -> Any:
        self._single = np.ndim(y) == 1
        return np.asarray(y, dtype=np.float64).reshape(len(y), -1)

    def _found(self, X: Any) -> None:
        super()._found(X)
        values, offsets = self._model.coefficients(), -self._model.offsets() + 0.0
        if X is None:
            self._single = len(values) == 1
        self.coef_ = values[0] if self._single else values
        self.intercept_ = float(offsets[0]) if self._single else offsets

    def predict(self, X: Any) -> Any:
        """Predict the targets of each row."""
        values = self._outputs(X)
        return values.ravel() if self._single else values
