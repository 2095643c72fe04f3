"""Support vector classification: a function for each pair of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.svm._base import _one_vs_one_coef
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Hidden, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer import _mercer
from mercer._bounds import Bounds, bounds
from mercer._labels import classes_in, classes_of, kind_of, names_of
from mercer._native import NativeEstimator, warn
from mercer._parameters import FLAG, declared, parameter
from mercer._svm import SupportVectors

__all__ = ["SVC", "Classes", "NuSVC", "Probable", "WeightedClasses"]


@declared
class Classes(ClassifierMixin, NativeEstimator):
    """An estimator that tells classes apart.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    """

    _one_class_message = "Invalid input - all samples with positive weights belong to the same class."

    def _target(self, y: Any) -> Any:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, index = classes_in(y)
        self._weigh_classes(y)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        return names_of(self.classes_), index, kind_of(self.classes_)

    def _weigh_classes(self, y: Any) -> None:
        """Factors on the weights of classes."""

    def _weights(self, weights: Any, target: Any) -> Any:
        self._present = np.arange(len(self.classes_))
        if weights is not None:
            self._present = np.unique(target[1][weights > 0.0])
            if len(self._present) < 2:
                raise ValueError(self._one_class_message)
        return weights

    def _restore(self, model: _mercer.Model) -> None:
        head = model.head()
        labels = classes_of(head["classes"], head["labels"])
        order = np.argsort(labels, kind="stable")
        self.classes_ = labels[order]
        # The classes of the model, in its order, among ours, which are sorted.
        self._present = np.argsort(order, kind="stable")
        super()._restore(model)

    @property
    def _first_of_equals(self) -> bool:
        """Whether of classes that have won the same number of pairs the first is taken, as LIBSVM does."""
        return False

    def _by_class(self, columns: Any) -> Any:
        """Columns of the model's classes as columns of ours; zero where the model does not have the class."""
        if np.array_equal(self._present, np.arange(len(self.classes_))):
            return columns
        whole = np.zeros((len(columns), len(self.classes_)))
        whole[:, self._present] = columns
        return whole

    def _ordered(self, columns: Any) -> Any:
        """Columns of the model's classes in the order of ours, where the model has all of them."""
        return columns if len(self._present) < len(self.classes_) else self._by_class(columns)

    def predict(self, X: Any) -> Any:
        """Predict the class of each row.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels; of several labels a row, 1 where the row has one and else 0.
        """
        first = self._first_of_equals
        points = self._points(X)
        found = self._fitted.predict(self._run(), points, self._double, first)
        return found if found.ndim == 2 else self.classes_.take(self._present[found])


@declared
class Scored(Classes):
    """An estimator with a function for each class."""

    def decision_function(self, X: Any) -> Any:
        """Evaluate the score of each class or label.

        Returns
        -------
        decision : ndarray of shape (n_samples, n_classes) or (n_samples,)
            A column for each class; for two classes the score of the second less that of the first.
        """
        scores = self._ordered(self._outputs(X))
        two = scores.shape[1] == 2 and not getattr(self, "multilabel_", False)
        return scores[:, 1] - scores[:, 0] if two else scores


@declared
class Probable(Classes):
    """An estimator that tells how probable classes are."""

    def _has_probability(self) -> bool:
        """Whether it does, with its parameters."""
        return True

    def _refuse_unlearnt(self) -> None:
        """Refuses a fit that has not learnt them."""

    @available_if(lambda self: self._has_probability())
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class."""
        points = self._points(X)
        self._refuse_unlearnt()
        return self._by_class(self._fitted.outputs(self._run(), points, "probabilities", self._double))

    @available_if(lambda self: self._has_probability())
    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithm of the probability of each class."""
        return np.log(self.predict_proba(X))


@declared
class WeightedClasses(Classes):
    """An estimator that tells classes apart, some of which count more than others.

    Attributes
    ----------
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.
    """

    class_weight: Any = parameter(
        default=None, rule=[StrOptions({"balanced"}), dict, None],
        doc='A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).',
    )

    def _weigh_classes(self, y: Any) -> None:
        count, factors = len(self.classes_), self.class_weight
        self.class_weight_ = (
            np.ones(count) if factors is None else compute_class_weight(factors, classes=self.classes_, y=y)
        )

    def _weights(self, weights: Any, target: Any) -> Any:
        if (self.class_weight_ < 0.0).any():
            raise ValueError("class_weight: a weight must not be negative")
        if (self.class_weight_ != 1.0).any():
            weights = self.class_weight_[target[1]] * (1.0 if weights is None else weights)
        return super()._weights(weights, target)

    def _restore(self, model: _mercer.Model) -> None:
        self.class_weight_ = np.ones(len(model.head()["classes"]))
        super()._restore(model)


@declared
class Pairs(Probable, WeightedClasses, SupportVectors):
    """A function for each pair of classes.

    Attributes
    ----------
    probA_ : ndarray of shape (n_pairs,)
        Slopes of the sigmoids of `probability`.
    probB_ : ndarray of shape (n_pairs,)
        Offsets of the sigmoids of `probability`.
    """

    shrinking: bool = parameter(default=True, setting="shrinking", rule=FLAG)
    probability: bool | str = parameter(
        default=False, rule=["boolean", StrOptions({"sigmoid", "isotonic"}), Hidden(StrOptions({"deprecated"}))],
        doc="Whether `predict_proba` is learnt, by cross-validation in five folds: by Platt's sigmoid (True), or by isotonic"
        " regression.",
    )
    decision_function_shape: str = parameter(
        default="ovr", rule=[StrOptions({"ovr", "ovo"})],
        doc="Whether `decision_function` has a column for each class or for each pair of classes.",
    )
    break_ties: bool = parameter(
        default=False, rule=FLAG,
        doc="Whether `predict` goes by the largest value of `decision_function` where classes have won the same number of"
        " pairs, instead of taking the first of them.",
    )
    random_state: Any = parameter(
        default=None, doc="What the folds of `probability` are drawn by; None is the same each time."
    )
    multiclass: str = parameter(default="ovo", setting="multiclass", rule=[StrOptions({"ovo", "ovo-sum"})])

    _counts_apart = True

    def _learnt(self) -> tuple[str, int] | None:
        wanted = self.probability
        if not wanted or wanted == "deprecated":
            return None
        return wanted if isinstance(wanted, str) else "sigmoid", self._seed()

    def _found(self, X: Any) -> None:
        super()._found(X)
        model = self._model
        self._n_support = np.zeros(len(self.classes_), dtype=np.int32)
        self._n_support[self._present] = model.facts()["support_vectors_per_class"]
        if len(self.classes_) == 2:
            self.dual_coef_ = self._sign * self._dual_coef_
            self.intercept_ = self._sign * self._intercept_ + 0.0
        if model.head()["probability"] and not self.probability:
            # Of a model file: scikit-learn's parameter says whether there is `predict_proba`.
            self.probability = True
        self._probA, self._probB = np.array(model.sigmoids()).reshape(-1, 2).T

    @property
    def _sign(self) -> float:
        """Of two classes: scikit-learn's decision is positive for the second of `classes_`, the model's for its first."""
        return -1.0 if self._present[0] < self._present[1] else 1.0

    @property
    def _first_of_equals(self) -> bool:
        if self.break_ties and self.decision_function_shape == "ovo":
            check_is_fitted(self)
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        return not self.break_ties

    def decision_function(self, X: Any) -> Any:
        """Evaluate the decision function.

        Returns
        -------
        decision : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes one number a row, positive for the second class. For more a column for each class, or, with
            ``decision_function_shape="ovo"``, for each pair of classes.
        """
        if len(getattr(self, "_present", ())) > 2 and self.decision_function_shape == "ovr":
            return self._ordered(self._outputs(X, "scores"))
        decisions = self._outputs(X)
        return self._sign * decisions.ravel() if len(self._present) == 2 else decisions

    def bounds(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Bounds:
        """Bound the error by what theory says, from the data of the fit.

        Ties of votes go by the sums of decisions, as with `break_ties`.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The classes of the fit.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fit, which must be equal, or 0, within each class.
        **options : dict
            `X_test`, `y_test`, `delta`, `leave_one_out` of :func:`mercer.bounds`.

        Returns
        -------
        found : Bounds
            The bounds by use, each with its formula and assumption, and what they rest on.
        """
        return bounds(self, X, y, sample_weight, **options)

    def _has_probability(self) -> bool:
        if isinstance(self.probability, str) and self.probability == "deprecated" or not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    def _refuse_unlearnt(self) -> None:
        if not self._model.head()["probability"]:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")

    @property
    def probA_(self) -> Any:
        """Slopes of the sigmoids of `probability`, one for each pair of classes."""
        return self._probA

    @property
    def probB_(self) -> Any:
        """Offsets of the sigmoids of `probability`, one for each pair of classes."""
        return self._probB

    def _weights_of_features(self) -> Any:
        if len(self.classes_) == 2:
            return self.dual_coef_ @ self.support_vectors_
        if self.dual_coef_.shape[0] == 1:
            return super()._weights_of_features()
        rows = _one_vs_one_coef(self.dual_coef_, self._n_support, self.support_vectors_)
        return sp.vstack(rows).tocsr() if sp.issparse(rows[0]) else np.vstack(rows)


@declared
class SVC(Pairs):
    """Support vector classification.

    Minimises ½‖w‖² + C Σξᵢ subject to yᵢ(w·φ(xᵢ) + b) ≥ 1 − ξᵢ, ξᵢ ≥ 0, for each pair of classes. A drop-in for
    :class:`sklearn.svm.SVC`.

    See Also
    --------
    NuSVC : A classifier with a bound on the share of errors in place of C.
    CrammerSingerSVC : All classes in one programme.

    >>> model = SVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.0], [4.0]])
    array(['low', 'high'], dtype='<U4')
    >>> model.certificate_.stop
    'converged'
    >>> SVC(kernel="spectrum(p=2)").fit(["banana", "ananas", "cherry", "merry"], [0, 0, 1, 1]).predict(["bananas", "berry"])
    array([0, 1])
    """

    C: float = parameter(default=1.0, setting="c")
    loss: str = parameter(
        default="hinge", rule=[StrOptions({"hinge", "squared_hinge"})],
        doc="What a margin error costs: C times it, or C/2 times its square.",
    )
    fit_intercept: bool = parameter(default=True, setting="offset", rule=FLAG)
    mean: bool = parameter(
        default=False, doc="Whether C is the price of the mean error: each then costs C / n_samples.", setting="mean", rule=FLAG
    )

    _method = "svc"

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"squared": self.loss == "squared_hinge"}


@declared
class NuSVC(Pairs):
    """Support vector classification with a bound on the share of errors.

    A drop-in for :class:`sklearn.svm.NuSVC`.

    See Also
    --------
    SVC : A classifier with a price for errors.

    >>> model = NuSVC(nu=0.4).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[-1.0], [4.0]])
    array([0, 1])
    """

    nu: float = parameter(
        default=0.5, setting="nu",
        doc="An upper bound on the share of margin errors and a lower bound on that of support vectors, above 0 and at most 1."
        " A pair of classes of unequal size has a largest nu of its own, which is taken, with a warning, where nu is above it.",
    )
    class_weight: Any = parameter(
        default=None, rule=[StrOptions({"balanced"}), dict, None],
        doc='A factor, for each class, on the C that nu stands for in each pair; "balanced" for n_samples / (n_classes *'
        " np.bincount(y)).",
    )

    _method = "nu-svc"
    _one_class_message = "specified nu is infeasible: all samples with positive weights belong to the same class"

    def _settings(self, points: Any) -> dict[str, Any]:
        own: dict[str, Any] = {"adapt": True}
        if (self.class_weight_ != 1.0).any():
            own["weight"] = list(zip(names_of(self.classes_), self.class_weight_.tolist(), strict=True))
        return super()._settings(points) | own

    def _weights(self, weights: Any, target: Any) -> Any:
        # Class weights are factors on the C that nu stands for, not on the weights that nu is a share of.
        weights = Classes._weights(self, weights, target)
        self._warn_infeasible(target[1], weights)
        return weights

    def _warn_infeasible(self, index: Any, weights: Any) -> None:
        """Names the pair of classes that bounds nu most, where one does."""
        sizes = np.bincount(index, weights=weights, minlength=len(self.classes_))[self._present]
        order = np.argsort(sizes, kind="stable")
        least, most = sizes[order[0]], sizes[order[-1]]
        largest = 2.0 * least / (least + most)
        if self.nu > largest:
            a, b = sorted(self._present[[order[0], order[-1]]])
            first, second = names_of(self.classes_[[a, b]])
            warn(
                f"nu={self.nu:g} is infeasible for classes of so unequal size: for {first} and"
                f" {second} it is at most {largest:.3g}. Each pair is fitted with the largest there is."
            )
