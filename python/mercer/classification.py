"""Support vector classification: a machine for each pair of classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer import _mercer
from mercer._native import class_weights, classes_in, classes_of, kind_of, names_of
from mercer._svm import COMMON, Machine

__all__ = ["SVC", "Classifier", "NuSVC", "PairwiseClassifier"]


class Classifier(ClassifierMixin, Machine):
    """A machine that tells classes apart."""

    def _targets(self, y: Any) -> Any:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, index = classes_in(y)
        factors = getattr(self, "class_weight", None)
        self.class_weight_ = (
            np.ones(len(self.classes_)) if factors is None else compute_class_weight(factors, classes=self.classes_, y=y)
        )
        if len(self.classes_) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class"
            )
        return index

    def _weights(self, weights: Any, target: Any) -> Any:
        weights = self._factors(weights, target)
        self._present = np.arange(len(self.classes_))
        if weights is not None:
            self._present = np.unique(target[weights > 0.0])
            if len(self._present) < 2:
                raise ValueError(self._one_class_message)
        return weights

    def _factors(self, weights: Any, target: Any) -> Any:
        return class_weights(weights, self.class_weight_, target)

    _one_class_message = "Invalid input - all samples with positive weights belong to the same class."

    def _restore(self, model: _mercer.Model) -> None:
        labels = classes_of(model.classes, model.labels)
        order = np.argsort(labels, kind="stable")
        self.classes_ = labels[order]
        self.class_weight_ = np.ones(len(labels))
        # The classes of the model, in its order, among ours, which are sorted.
        self._present = np.argsort(order, kind="stable")
        super()._restore(model)

    def _by_class(self, columns: Any) -> Any:
        """Columns of the model's classes as columns of ours; zero where the model does not have the class."""
        if np.array_equal(self._present, np.arange(len(self.classes_))):
            return columns
        whole = np.zeros((len(columns), len(self.classes_)))
        whole[:, self._present] = columns
        return whole

    def _labels(self, target: Any) -> Any:
        return names_of(self.classes_), target, kind_of(self.classes_)

    def predict(self, X: Any) -> Any:
        """Predict the class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.
        """
        points = self._checked_points(X)
        index = self._fitted.predict(self._run(), points, self._double, True)
        return self.classes_.take(self._present[index])


class PairwiseClassifier(Classifier):
    """A machine for each pair of classes, which vote."""

    probability: Any
    random_state: Any

    def _found(self, X: Any) -> None:
        super()._found(X)
        model = self._model
        self._n_support = np.zeros(len(self.classes_), dtype=np.int32)
        self._n_support[self._present] = model.facts()["support_vectors_per_class"]
        if len(self.classes_) == 2:
            self.dual_coef_ = self._sign * self._dual_coef_
            self.intercept_ = self._sign * self._intercept_ + 0.0
        sigmoids = model.sigmoids()
        if model.has_probability and not self.probability:
            # Of a model file: scikit-learn's parameter says whether there is `predict_proba`.
            self.probability = True
        self._probA = np.array([a for a, _ in sigmoids])
        self._probB = np.array([b for _, b in sigmoids])

    def _iterations(self) -> None:
        self.n_iter_ = np.array([max(c["iterations"], 1) for c in self._certificates()], dtype=np.int32)

    def decision_function(self, X: Any) -> Any:
        """Evaluate the decision function.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        decision : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            For two classes one number a row, positive for the second class. For more a column for each class, or, with
            ``decision_function_shape="ovo"``, for each pair of classes.
        """
        decisions = self._decisions(X)
        if len(self._present) == 2:
            return self._sign * decisions.ravel()
        if self.decision_function_shape == "ovr":
            scores = _ovr_decision_function(decisions < 0, -decisions, len(self._present))
            return scores if len(self._present) < len(self.classes_) else self._by_class(scores)
        return decisions

    @property
    def _sign(self) -> float:
        """Of two classes: scikit-learn's decision is positive for the second of `classes_`, the model's for its first."""
        return -1.0 if self._present[0] < self._present[1] else 1.0

    def predict(self, X: Any) -> Any:
        """Predict the class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        y_pred : ndarray of shape (n_samples,)
            Class labels.
        """
        if self.break_ties:
            check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self._present) > 2:
            best = np.argmax(self.decision_function(X), axis=1)
            whole = len(self._present) == len(self.classes_)
            return self.classes_.take(best if whole else self._present[best])
        return super().predict(X)

    def _has_probability(self) -> bool:
        if isinstance(self.probability, str) and self.probability == "deprecated" or not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    def _learnt(self) -> tuple[str, int] | None:
        """How probabilities are learnt, if they are."""
        wanted = self.probability
        if not wanted or wanted == "deprecated":
            return None
        seed = 0
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return ("sigmoid" if wanted is True or not isinstance(wanted, str) else wanted, seed)

    @available_if(_has_probability)
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of `classes_`.
        """
        points = self._checked_points(X)
        if not self._model.has_probability:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._by_class(self._model.probabilities(self._run(), points, False))

    @available_if(_has_probability)
    def predict_log_proba(self, X: Any) -> Any:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            A column for each class, in the order of `classes_`.
        """
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> Any:
        """Slopes of the sigmoids of `probability`, one for each pair of classes."""
        return self._probA

    @property
    def probB_(self) -> Any:
        """Offsets of the sigmoids of `probability`, one for each pair of classes."""
        return self._probB

    def _weights_of_features(self) -> Any:
        if self.dual_coef_.shape[0] == 1:
            return super()._weights_of_features() if len(self.classes_) > 2 else self._two()
        ends = np.concatenate(([0], np.cumsum(self._n_support)))
        vectors = self.support_vectors_
        rows = []
        for a in range(len(self.classes_)):
            for b in range(a + 1, len(self.classes_)):
                first, second = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
                row = self.dual_coef_[[b - 1], first] @ vectors[first] + self.dual_coef_[[a], second] @ vectors[second]
                rows.append(row)
        return _stacked(rows)

    def _two(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_


def _stacked(rows: list[Any]) -> Any:
    return sp.vstack(rows).tocsr() if sp.issparse(rows[0]) else np.vstack(rows)


class SVC(PairwiseClassifier):
    """Support vector classification.

    Minimises ½‖w‖² + C Σξᵢ subject to yᵢ(w·φ(xᵢ) + b) ≥ 1 − ξᵢ, ξᵢ ≥ 0, for each pair of classes. A drop-in for
    :class:`sklearn.svm.SVC`.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error. Infinity allows none.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as
        ``"rbf(gamma=0.5) + 2*linear"``; "precomputed" where the data are kernel values; or a function of two matrices
        that gives them.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the
        weighted rows, 1 / n_features for "auto".
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    probability : bool or {"sigmoid", "isotonic"}, default=False
        Whether `predict_proba` is learnt, by cross-validation in five folds: by Platt's sigmoid (True), or by isotonic
        regression.
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor on C for each class; "balanced" for n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether `decision_function` has a column for each class or for each pair of classes.
    break_ties : bool, default=False
        Whether `predict` goes by the largest value of `decision_function` instead of the votes of the pairs.
    random_state : int, RandomState instance or None, default=None
        What the folds of `probability` are drawn by; None is the same each time.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What a margin error costs: C times it, or C/2 times its square.
    fit_intercept : bool, default=True
        Whether there is a constant in the decision.
    time_limit : float, default=None
        Most seconds for the solver.
    exact : bool or "auto", default="auto"
        Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`, and
        evaluated in double precision. "auto" does so up to 2000 rows.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_pairs, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_pairs,) or (1,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int or ndarray of shape (n_pairs,)
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.
    probA_ : ndarray of shape (n_pairs,)
        Slopes of the sigmoids of `probability`.
    probB_ : ndarray of shape (n_pairs,)
        Offsets of the sigmoids of `probability`.

    See Also
    --------
    NuSVC : The same with a bound on the share of errors in place of C.
    CrammerSingerSVC : All classes in one programme.

    Examples
    --------
    >>> from mercer import SVC
    >>> model = SVC(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[-1.0], [4.0]])
    array(['low', 'high'], dtype='<U4')
    >>> model.certificate_.stop
    'converged'
    """

    _parameter_constraints = Machine._constraints(
        *COMMON, "C", "shrinking", "probability", "class_weight", "decision_function_shape", "break_ties",
        "random_state", "fit_intercept", loss=[StrOptions({"hinge", "squared_hinge"})],
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = False,
        tol: float = 1e-3,
        cache_size: float = 2000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        loss: str = "hinge",
        fit_intercept: bool = True,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        own = {"c": float(self.C), "squared": self.loss == "squared_hinge", "offset": bool(self.fit_intercept)}
        labels = self._labels(target)
        return _mercer.fit(run, "svc", {**solver, **own}, kernel, points, labels, weights, self._learnt())


class NuSVC(PairwiseClassifier):
    """Support vector classification with a bound on the share of errors.

    A drop-in for :class:`sklearn.svm.NuSVC`.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound on the share of margin errors and a lower bound on that of support vectors, above 0 and at most 1.
        A pair of classes of unequal size has a largest nu of its own, which is taken, with a warning, where nu is
        above it.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as
        ``"rbf(gamma=0.5) + 2*linear"``; "precomputed" where the data are kernel values; or a function of two matrices
        that gives them.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the
        weighted rows, 1 / n_features for "auto".
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether decided rows are set aside during the fit. The answer is the same.
    probability : bool or {"sigmoid", "isotonic"}, default=False
        Whether `predict_proba` is learnt, by cross-validation in five folds: by Platt's sigmoid (True), or by isotonic
        regression.
    tol : float, default=1e-3
        The largest violation of the optimality conditions accepted.
    cache_size : float, default=2000
        Megabytes for kernel rows, at most. They are taken up as they pay.
    class_weight : dict or "balanced", default=None
        A factor, for each class, on the C that nu stands for in each pair; "balanced" for
        n_samples / (n_classes * np.bincount(y)).
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    max_iter : int, default=-1
        Most steps of two variables; -1 for max(10⁷, 100 n), as in LIBSVM.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether `decision_function` has a column for each class or for each pair of classes.
    break_ties : bool, default=False
        Whether `predict` goes by the largest value of `decision_function` instead of the votes of the pairs.
    random_state : int, RandomState instance or None, default=None
        What the folds of `probability` are drawn by; None is the same each time.
    time_limit : float, default=None
        Most seconds for the solver.
    exact : bool or "auto", default="auto"
        Whether the answer is finished by a linear system in double precision, right to rounding instead of to `tol`, and
        evaluated in double precision. "auto" does so up to 2000 rows.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors, in the precision of the training data; empty where kernel values were given.
    n_support_ : ndarray of shape (n_classes,) or (1,)
        Number of support vectors, for each class.
    dual_coef_ : ndarray or sparse matrix of shape (n_classes - 1, n_SV) or (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse matrix of shape (n_pairs, n_features)
        Weights of the features, for a linear kernel.
    intercept_ : ndarray of shape (n_pairs,) or (1,)
        Constants of the decisions.
    certificate_ : Certificate
        Gap, violation, objective, reason to stop and kernel rows computed.
    fit_status_ : int
        0 if the solver converged, else 1 (and a warning).
    n_iter_ : int or ndarray of shape (n_pairs,)
        Steps taken.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    shape_fit_ : tuple of int
        Shape of the training data.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors on C.
    probA_ : ndarray of shape (n_pairs,)
        Slopes of the sigmoids of `probability`.
    probB_ : ndarray of shape (n_pairs,)
        Offsets of the sigmoids of `probability`.

    See Also
    --------
    SVC : The same with a price for errors.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> model = NuSVC(nu=0.4).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[-1.0], [4.0]])
    array([0, 1])
    """

    _parameter_constraints = Machine._constraints(
        *COMMON, "nu", "shrinking", "probability", "class_weight", "decision_function_shape", "break_ties",
        "random_state",
    )
    _one_class_message = "specified nu is infeasible: all samples with positive weights belong to the same class"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = False,
        tol: float = 1e-3,
        cache_size: float = 2000,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        exact: bool | str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.exact = exact
        self.n_threads = n_threads

    def _fit_native(self, run: Any, solver: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        self._warn_infeasible(target, weights)
        factors = self.class_weight_
        own = [] if (factors == 1.0).all() else list(zip(names_of(self.classes_), factors.tolist(), strict=True))
        parameters = {**solver, "nu": float(self.nu), "adapt": True, "weight": own}
        labels = self._labels(target)
        return _mercer.fit(run, "nu-svc", parameters, kernel, points, labels, weights, self._learnt())

    def _factors(self, weights: Any, target: Any) -> Any:
        # They are factors on the C that nu stands for, not on the weights that nu is a share of.
        return weights

    def _warn_infeasible(self, target: Any, weights: Any) -> None:
        """Names the pair of classes that bounds nu most, where one does."""
        sizes = np.bincount(target, weights=weights, minlength=len(self.classes_))[self._present]
        order = np.argsort(sizes, kind="stable")
        least, most = sizes[order[0]], sizes[order[-1]]
        largest = 2.0 * least / (least + most)
        if self.nu > largest:
            a, b = sorted(self._present[[order[0], order[-1]]])
            first, second = names_of(self.classes_[[a, b]])
            warnings.warn(
                f"nu={self.nu:g} is infeasible for classes of so unequal size: for {first} and"
                f" {second} it is at most {largest:.3g}. Each pair is fitted with the largest there is.",
                UserWarning,
                stacklevel=6,
            )
