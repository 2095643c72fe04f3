"""Linear models: weights for the features themselves, for text and for millions of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer import _data, _mercer
from mercer._labels import names_of
from mercer._native import NativeEstimator
from mercer._parameters import COUNT, FLAG, NON_NEGATIVE, POSITIVE, declared, fixed, parameter
from mercer._svm import Solved
from mercer.classification import Classes, Probable, WeightedClasses
from mercer.regression import numbers

__all__ = ["LinearSVC", "LinearSVR", "LogisticRegression"]


#: The solver for each value of `dual`.
_SOLVERS = {"auto": "auto", True: "dual", False: "newton"}


@declared
class Linear(Solved):
    """A linear model, fitted until the gap between primal and dual is a small share of the objective.

    Attributes
    ----------
    coef_ : ndarray or sparse matrix of shape (n_functions, n_features) or (n_features,)
        Weights of the features; sparse after `sparsify`.
    intercept_ : ndarray of shape (n_functions,) or float
        Constants of the decisions.
    n_iter_ : int
        Most steps taken, of all functions.
    """

    tol: float = parameter(
        default=1e-4, setting="tolerance", rule=POSITIVE,
        doc="Largest gap between primal and dual objective, as a share of the primal.",
    )
    C: float = parameter(default=1.0, setting="c", rule=POSITIVE)
    fit_intercept: bool = parameter(default=True, setting="offset", rule=FLAG)
    intercept_scaling: float = parameter(default=1.0, setting="constant", rule=POSITIVE)
    max_iter: int = parameter(default=1000, setting="max-iterations", rule=COUNT)
    random_state: Any = parameter(
        default=None, doc="What the order of the rows is drawn by where the dual is solved; None is the same each time."
    )
    kernel: Any = fixed("linear")
    degree: float = fixed(3)
    gamma: float | str | None = fixed("auto")
    coef0: float = fixed(0.0)
    cache_size: float = fixed(2000)
    exact: bool | str = fixed(False)

    _unchecked = False

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        own = {"seed": self._seed(), "free-offset": bool(getattr(self, "_free_offset", False)) and self.fit_intercept}
        return NativeEstimator._settings(self, points) | own

    def _found(self, X: Any) -> None:
        super()._found(X)
        rows: Any = _data.to_python(self._model.points)
        self.coef_: Any = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
        self.intercept_: Any = -self._model.offsets() + 0.0


@declared
class LinearClasses(Linear, WeightedClasses):
    """A linear model that tells classes apart: one function for two classes, else one for each against all others."""

    penalty: str = parameter(default="l2", setting="penalty", rule=[StrOptions({"l1", "l2"})])

    def _weights(self, weights: Any, target: Any) -> Any:
        # Factors on C of a class count where the class is told from the others, as in LIBLINEAR.
        if (self.class_weight_ <= 0.0).any():
            raise ValueError("class_weight: a weight must be above 0")
        return Classes._weights(self, weights, target)

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        own = {}
        if (self.class_weight_ != 1.0).any():
            present = self.class_weight_[self._present].tolist()
            own = {"weight": list(zip(names_of(self.classes_[self._present]), present, strict=True))}
        return super()._settings(points) | own

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.n_iter_ = int(np.max(self.n_iter_))
        if len(self._present) == 2 and len(self.coef_) == 2:
            # Two functions, of which the larger decides.
            order = np.argsort(self._present, kind="stable")
            self.coef_, self.intercept_ = np.diff(self.coef_[order], axis=0), np.diff(self.intercept_[order])
        elif len(self._present) == 2:
            # Positive for the second class here, for the first one in the library.
            sign = -1.0 if self._present[0] < self._present[1] else 1.0
            self.coef_, self.intercept_ = sign * self.coef_ + 0.0, sign * self.intercept_ + 0.0
        elif not np.array_equal(self._present, np.arange(len(self._present))):
            order = np.argsort(self._present, kind="stable")
            self.coef_, self.intercept_ = self.coef_[order], self.intercept_[order]

    def decision_function(self, X: Any) -> Any:
        """Evaluate the functions.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes one number a row, positive for the second class; for more a column for each class.
        """
        scores = self._ordered(self._outputs(X, "scores"))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def densify(self) -> Any:
        """Store the weights as an array.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Any:
        """Store the weights as a sparse matrix, which is smaller where most of them are 0.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self


@declared
class LinearSVC(LinearClasses):
    """Linear support vector classification.

    Minimises ½‖w‖² + C Σ max(0, 1 − yᵢw·xᵢ)², or without the square, to a gap that is proved: Newton's method on the primal, or
    coordinate descent on the dual. The intercept is the weight of a constant feature and is penalised as the others are. A
    drop-in for :class:`sklearn.svm.LinearSVC`.

    See Also
    --------
    SVC : The classifier with kernels.
    LogisticRegression : Probabilities of the classes.

    >>> model = LinearSVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.0], [4.0]])
    array(['low', 'high'], dtype='<U4')
    >>> model.certificate_.stop
    'converged'
    """

    loss: str = parameter(
        default="squared_hinge", rule=[StrOptions({"hinge", "squared_hinge"})],
        doc="What a margin error costs: C times it, or C times its square.",
    )
    multi_class: str = parameter(
        default="ovr", rule=[StrOptions({"ovr", "crammer_singer", "weston_watkins"})],
        doc="Whether each class is told from all others, or all classes are told apart in one problem, whose loss is the hinge: that"
        " of the largest other class (Crammer and Singer), or added up over all of them (Weston and Watkins).",
    )
    dual: bool | str = parameter(
        default="auto", rule=["boolean", StrOptions({"auto"})],
        doc="Whether the dual is solved, by coordinate descent in one thread, or the primal, by Newton's method; \"auto\" begins with"
        " the second and gives it up where its systems are hard.",
    )

    _method = "linear-svc"

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        scheme, loss = self.multi_class.replace("_", "-"), self.loss.replace("_", "-")
        solver = "auto" if self.penalty == "l1" else _SOLVERS[self.dual]
        own = {"loss": loss if scheme == "ovr" else "hinge", "scheme": scheme, "solver": solver}
        return super()._settings(points) | own


@declared
class LogisticRegression(LinearClasses, Probable):
    """Logistic regression.

    Minimises ½‖w‖² + C Σ log(1 + exp(−yᵢ(w·xᵢ + b))) by Newton's method, to a gap that is proved. More than two classes have a
    function each and are told apart in one problem, of which the probabilities are the softmax; the intercept is not penalised. A
    drop-in for :class:`sklearn.linear_model.LogisticRegression`.

    See Also
    --------
    LinearSVC : The classifier of largest margin.
    KernelSoftmax : All classes in one programme, with kernels.

    >>> model = LogisticRegression(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[-1.0], [4.0]]).argmax(axis=1)
    array([0, 1])
    """

    multi_class: str = parameter(
        default="auto", rule=[StrOptions({"auto", "multinomial", "ovr"})],
        doc="Whether more than two classes are told apart in one problem, or each from all others, with probabilities that are shares of"
        " their sum; \"auto\" is the first, but for the penalty \"l1\".",
    )

    _method = "logistic"
    _free_offset = True

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        joint = self.multi_class == "multinomial" or (self.multi_class == "auto" and self.penalty == "l2")
        return super()._settings(points) | {"scheme": "softmax" if joint else "ovr"}


@declared
class LinearSVR(RegressorMixin, Linear):
    """Linear support vector regression.

    Minimises ½‖w‖² + C Σ max(0, |yᵢ − w·xᵢ| − ε), or with the square of that error. A drop-in for
    :class:`sklearn.svm.LinearSVR`.

    See Also
    --------
    SVR : Regression with kernels.

    >>> model = LinearSVR(C=100.0).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> model.predict([[10.0]]).round(1)
    array([21.])
    """

    epsilon: float = parameter(default=0.0, setting="epsilon", rule=NON_NEGATIVE)
    loss: str = parameter(
        default="epsilon_insensitive",
        rule=[StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        doc="What an error beyond epsilon costs: C times it, or C times its square.",
    )
    dual: bool | str = parameter(
        default="auto", rule=["boolean", StrOptions({"auto"})],
        doc="Whether the dual is solved, by coordinate descent in one thread, or the primal, by Newton's method; \"auto\" begins with"
        " the second and gives it up where its systems are hard.",
    )

    _method = "linear-svr"

    def _target(self, y: Any) -> Any:
        return numbers(y)

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        squared = self.loss == "squared_epsilon_insensitive"
        own = {"loss": "squared-insensitive" if squared else "insensitive"}
        return super()._settings(points) | own | {"solver": _SOLVERS[self.dual]}

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])

    def predict(self, X: Any) -> Any:
        """Predict numbers."""
        return self._outputs(X).ravel()
