"""Linear models: weights for the features themselves, for text and for millions of rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OutlierMixin, RegressorMixin, _fit_context, clone, is_classifier, is_regressor
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from mercer import _data, _mercer
from mercer._labels import kind_of, names_of, positive_weights
from mercer._native import NativeEstimator, warn
from mercer._parameters import COUNT, FLAG, NON_NEGATIVE, POSITIVE, declared, fixed, parameter
from mercer._svm import Solved
from mercer.classification import Classes, Probable, WeightedClasses
from mercer.regression import numbers

__all__ = ["LinearOneClassSVM", "LinearSVC", "LinearSVR", "LogisticRegression", "PegasosClassifier", "linear_path"]


#: The solver for each value of `dual`.
_SOLVERS = {"auto": "auto", True: "dual", False: "newton"}


@declared
class Linear(Solved):
    """A linear model, fitted until the gap between primal and dual is a small share of the objective.

    Attributes
    ----------
    coef_ : ndarray or sparse matrix of shape (n_functions, n_features) or (n_features,)
        Weights of the features; a sparse matrix of one row or more after `sparsify`.
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

    def densify(self) -> Any:
        """Store the weights as an array.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray().reshape(-1 if is_regressor(self) else self.coef_.shape)
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


class FromFile:
    """An estimator that can be fitted to rows that stay on disk."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_file(
        self: Any,
        path: Any,
        *,
        memory: int | None = None,
        blocks: Any = None,
        label: str | int | None = None,
        labels: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Fit the estimator to the rows of a file, which may be larger than memory.

        The rows are parsed once into a file of blocks, which is used again as long as the data are the same, and then read block by
        block. The answer has the same certificate as that of `fit`. Not for ``penalty="l1"``, ``dual=True``, or all of more than two
        classes in one problem (``multi_class="ovr"`` of :class:`LogisticRegression` reads rows from disk).

        Parameters
        ----------
        path : str or path-like
            LIBSVM text, CSV or NPY, also compressed.
        memory : int, default=None
            Bytes that the fit may take; None for 2 GB.
        blocks : str or path-like, default=None
            The file of blocks; None for the name of the data file and ``.blocks``.
        label : str or int, default=None
            The column of labels of a table, by its name or its number from 1.
        labels : str or path-like, default=None
            A file with a label for each row, where the data have none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, above 0.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from mercer import LinearSVC
        >>> folder = tempfile.TemporaryDirectory()
        >>> data = pathlib.Path(folder.name, "pets.libsvm")
        >>> _ = data.write_text("cat 1:4 2:0.5\\ndog 1:30\\ncat 1:5 2:0.25\\n")
        >>> LinearSVC().fit_file(data).predict([[20.0, 0.0]])
        array(['dog'], dtype='<U3')
        >>> folder.cleanup()
        """
        column = None if label is None else str(label)
        rows = _mercer.Blocks(self._run(), path, blocks, label=column, labels=labels, targets=not is_classifier(self))
        found = rows.labels()
        if found is None:
            raise ValueError(f"{path}: no labels; name their column by label, or their file by labels")
        texts, values = found
        if texts:
            y = np.array(texts)[values.astype(np.intp)]
        else:
            whole = is_classifier(self) and np.array_equal(values, np.rint(values)) and np.abs(values).max() < 2**53
            y = values.astype(np.int64) if whole else values
        target = self._target(y)
        weights = self._weights(positive_weights(sample_weight, len(rows), rows), target)
        self._input, self._gamma, self._fitted_rows = "vectors", 0.0, len(rows)
        self.n_features_in_ = rows.columns
        self.__dict__.pop("feature_names_in_", None)
        settings = self._settings(None)
        self._model = _mercer.fit_blocks(
            self._run(), self._method, settings, _mercer.Kernel("linear"), rows, target, weights, memory
        )
        self._found(rows)
        self._double = self._doubled()
        return self


@declared
class LinearSVC(FromFile, LinearClasses):
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
        if self.penalty == "l1" and (self.loss == "hinge" or self.dual is True):
            told = f"penalty='l1' and loss='{self.loss}' with dual={self.dual}"
            raise ValueError(f"Unsupported set of arguments: {told}; l1 goes with squared_hinge and dual=\"auto\" or False")
        scheme, loss = self.multi_class.replace("_", "-"), self.loss.replace("_", "-")
        solver = "auto" if self.penalty == "l1" else _SOLVERS[self.dual]
        own = {"loss": loss if scheme == "ovr" else "hinge", "scheme": scheme, "solver": solver}
        return super()._settings(points) | own


@declared
class LogisticRegression(FromFile, LinearClasses, Probable):
    """Logistic regression.

    Minimises ½‖w‖² + C Σ log(1 + exp(−yᵢ(w·xᵢ + b))) by Newton's method, to a gap that is proved. More than two classes have a
    function each and are told apart in one problem, of which the probabilities are the softmax; the intercept is not penalised. A
    drop-in for :class:`sklearn.linear_model.LogisticRegression`: where that has several solvers of one problem there is one here, and
    ``solver="liblinear"``, whose problem is another one, is that problem.

    See Also
    --------
    LinearSVC : The classifier of largest margin.
    KernelSoftmax : All classes in one programme, with kernels.

    >>> model = LogisticRegression(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[-1.0], [4.0]]).argmax(axis=1)
    array([0, 1])
    """

    l1_ratio: float | None = parameter(
        default=None, rule=[Interval(Real, 0.0, 1.0, closed="both"), None],
        doc="scikit-learn's name for the penalty: 0 is \"l2\", 1 is \"l1\", None is what `penalty` says. Mixtures are refused.",
    )
    dual: bool = parameter(
        default=False, rule=FLAG,
        doc="Whether the dual is solved, by coordinate descent in one thread; with ``solver=\"liblinear\"`` and the penalty \"l2\".",
    )
    multi_class: str = parameter(
        default="auto", rule=[StrOptions({"auto", "multinomial", "ovr"})],
        doc="Whether more than two classes are told apart in one problem, or each from all others, with probabilities that are shares of"
        " their sum; \"auto\" is the first, but for the penalty \"l1\" and ``solver=\"liblinear\"``.",
    )
    solver: str = parameter(
        default="lbfgs", rule=[StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        doc="scikit-learn's solvers. \"liblinear\" penalises the intercept and tells each class from all others, as LIBLINEAR does; all others"
        " have one optimum, which one method finds.",
    )
    warm_start: bool = parameter(
        default=False, rule=FLAG, doc="Ignored: every fit begins anew; `linear_path` goes from one C to the next."
    )
    n_jobs: int | None = parameter(
        default=None, rule=[Integral, None], doc="Ignored: a fit takes the threads of the package, and its bits do not depend on them."
    )

    _method = "logistic"

    @property
    def _free_offset(self) -> bool:
        return self.solver != "liblinear"

    def _settings(self, points: _mercer.Points) -> dict[str, Any]:
        if self.l1_ratio not in (None, 0.0, 1.0):
            raise ValueError(f"l1_ratio={self.l1_ratio}: must be 0 (penalty l2) or 1 (penalty l1); mixtures are not solved")
        penalty = self.penalty if self.l1_ratio is None else ("l1" if self.l1_ratio else "l2")
        if self.dual and (penalty == "l1" or self._free_offset):
            raise ValueError(f"Solver {self.solver} supports only dual=False with penalty {penalty}, got dual=True")
        joint = self.multi_class == "multinomial" or (
            self.multi_class == "auto" and penalty == "l2" and self.solver != "liblinear"
        )
        own = {"penalty": penalty, "scheme": "softmax" if joint else "ovr", "solver": "dual" if self.dual else "auto"}
        return super()._settings(points) | own


@declared
class LinearSVR(FromFile, RegressorMixin, Linear):
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


def linear_path(estimator: Any, X: Any, y: Any, *, Cs: Any = None, sample_weight: Any = None) -> Bunch:
    """Fit a linear model for each of several C, each from the answer of the one before.

    Each model has the certificate that it would have by itself, for fewer steps. The estimator is not changed.

    Parameters
    ----------
    estimator : LinearSVC, LogisticRegression or LinearSVR
        The method and its parameters; classes are told one from all others.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Class labels or targets.
    Cs : array-like of shape (n_Cs,), default=None
        Values of C, in this order; None for twenty in equal ratios that end with the C of the estimator, from where the first weight
        becomes different from 0 (``penalty="l1"``) or from a thousandth of C.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    path : :class:`~sklearn.utils.Bunch`
        ``Cs``, and for each of them ``coefs`` of shape (n_Cs, n_functions, n_features) or (n_Cs, n_features), ``intercepts``,
        ``n_features_used``, ``objectives`` and ``gaps`` (of all functions together) and ``n_iter``.

    Examples
    --------
    >>> from mercer import LinearSVC, linear_path
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1]
    >>> path = linear_path(LinearSVC(penalty="l1"), X, y, Cs=[0.01, 0.1, 1.0])
    >>> path.n_features_used
    array([0, 0, 1])
    """
    if not isinstance(estimator, Linear) or estimator._method not in _PATHS:
        raise TypeError(f"linear_path wants a LinearSVC, LogisticRegression or LinearSVR; got {type(estimator).__name__}")
    own = clone(estimator)
    own._validate_params()
    X, y = own._checked(X, y)
    own._fitted_rows, target = _num_samples(X), own._target(y)
    weights = own._weights(positive_weights(sample_weight, own._fitted_rows, X), target)
    kernel, points = own._training_points(X, weights)
    settings = own._settings(points) | {"path": "auto"}
    if Cs is not None:
        prices = [float(c) for c in np.ravel(Cs)]
        if not prices:
            raise ValueError("Cs: at least one is needed")
        settings |= {"path": prices, "c": prices[-1]}
    if getattr(own, "multi_class", None) == "auto":
        settings["scheme"] = "ovr"
    found = _mercer.fit_path(own._run(), own._method, settings, kernel, points, target, weights)
    told: dict[str, list[Any]] = {}
    for C, own._model in found:
        own._found(None)
        certificate = own.certificate_
        gap = certificate.gap or 0.0
        for name, value in (
            ("Cs", C), ("coefs", own.coef_), ("intercepts", own.intercept_),
            ("n_features_used", own._model.facts()["features_used"]),
            ("objectives", gap - certificate.objective), ("gaps", gap), ("n_iter", certificate.iterations),
        ):
            told.setdefault(name, []).append(value)
    return Bunch(**{name: np.array(values) for name, values in told.items()})


#: The methods that have paths of C.
_PATHS = ("linear-svc", "logistic", "linear-svr")

#: The native library's words for those of scikit-learn.
_STOCHASTIC = {"hinge": "hinge", "log_loss": "logistic"}


@declared
class PegasosClassifier(LinearClasses, Probable):
    """Linear classification by stochastic steps, that can learn on.

    Minimises α/2 ‖w‖² + the mean of max(0, 1 − yᵢw·xᵢ), or of log(1 + exp(−yᵢw·xᵢ)), by steps of a few rows each (Pegasos of
    Shalev-Shwartz, Singer, Srebro and Cotter): a quick answer on very many rows, where :class:`LinearSVC` gives an exact
    one. `fit` makes passes over rows in an order drawn anew and tells the gap that is left; `partial_fit` makes one step after
    the other in the order of the rows, and what it comes to does not depend on how the rows are cut into calls, to the bit.
    There is no ``sample_weight``: a row of weight 2 is not the same as two rows in a method that depends on their order.

    See Also
    --------
    LinearSVC : The same problem, solved to a small gap.
    KernelPerceptron : The classifier with kernels that learns row by row.

    >>> model = PegasosClassifier(alpha=0.01)
    >>> for _ in range(20):
    ...     model = model.partial_fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], classes=[0, 1])
    >>> model.predict([[-1.0], [4.0]])
    array([0, 1])
    """

    alpha: float = parameter(
        default=1e-4, setting="alpha", rule=POSITIVE, doc="The price of ½‖w‖² beside the mean of the costs."
    )
    loss: str = parameter(
        default="hinge", rule=[StrOptions({"hinge", "log_loss"})],
        doc="What an error costs; with the second there are probabilities.",
    )
    learning_rate: str = parameter(
        default="inverse", rule=[StrOptions({"inverse", "root", "constant"})],
        doc="The size of step t: 1/(alpha t), eta0/√t, or eta0.",
    )
    eta0: float = parameter(default=1.0, setting="step-size", rule=POSITIVE)
    batch_size: int = parameter(default=1, setting="batch", rule=COUNT)
    projection: bool = parameter(default=True, setting="projection", rule=FLAG)
    average: bool = parameter(
        default=True, setting="averaging", rule=FLAG,
        doc="Whether the answer is the mean of the iterates of the last half of the passes; of `partial_fit` of all, each counted by its"
        " number.",
    )
    tol: float = parameter(
        default=1e-2, setting="tolerance", rule=POSITIVE,
        doc="Gap between primal and dual objective, as a share of the primal, at which `fit` ends early.",
    )
    max_iter: int = parameter(default=64, setting="passes", rule=COUNT)
    random_state: Any = parameter(default=None, doc="What the orders of `fit` are drawn by; None is the same each time.")
    C: float = fixed(1.0)
    intercept_scaling: float = fixed(1.0)
    penalty: str = fixed("l2")
    class_weight: Any = fixed(None)

    _method = "pegasos"

    def _has_probability(self) -> bool:
        return self.loss == "log_loss"

    def _settings(self, points: Any) -> dict[str, Any]:
        own = {"seed": self._seed(), "loss": _STOCHASTIC[self.loss], "steps": self.learning_rate}
        return NativeEstimator._settings(self, points) | own

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if state.get("_stream") is not None:
            state["_stream"] = (state["_stream"].to_bytes(), self._stream_settings)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("_stream") is not None:
            held, settings = state["_stream"]
            state = {**state, "_stream": _mercer.Stream.from_bytes(settings, held)}
        super().__setstate__(state)

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the classifier by passes over the rows, in orders drawn anew.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self.__dict__.pop("_stream", None)
        return super().fit(X, y)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Learn from rows in their order, after those learnt from before.

        Many calls are the same as one with all rows, to the bit. After `fit` it goes on from the weights found.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes there will be, for the first call.

        Returns
        -------
        self : object
            The estimator.
        """
        first = "_model" not in self.__dict__
        _check_partial_fit_first_call(self, classes)
        X, y = self._validated(X, y, reset=first)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        index = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1).astype(np.uint32)
        if not np.array_equal(self.classes_[index], y):
            strange = np.setdiff1d(y, self.classes_)
            raise ValueError(f"The target label(s) {strange} in y do not exist in the initial classes {self.classes_}")
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        if "_stream" not in self.__dict__:
            self._stream_settings = self._settings(None)
            self._stream = (
                _mercer.Stream(self._stream_settings, names_of(self.classes_)) if first
                else _mercer.Stream.resumed(self._stream_settings, self._model, int(self.n_iter_))
            )
        if first:
            self._present, self._input = np.arange(len(self.classes_)), "vectors"
            self.class_weight_ = np.ones(len(self.classes_))
        # The classes of the stream are those of the model, which may have them in another order.
        self._stream.learn(self._run(), _data.points(X), np.argsort(self._present)[index].astype(np.uint32))
        self._fitted_rows = self._stream.progressive()[0]
        self._model = self._stream.model(kind_of(self.classes_))
        self._found(None)
        self.n_iter_ = max(1, -(-self._fitted_rows // int(self.batch_size)))
        self._double = self._doubled()
        return self


@declared
class LinearOneClassSVM(OutlierMixin, Linear):
    """Where the data are, by a weight for each feature.

    Minimises ½‖w‖² − ρ + 1/(νn) Σ max(0, ρ − w·xᵢ): the linear :class:`OneClassSVM`, at the cost of a few passes over the rows.
    Beside :class:`sklearn.linear_model.SGDOneClassSVM` the answer has a gap that is proved.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        decision_function = score_samples - `offset_`.

    See Also
    --------
    OneClassSVM : The detector with kernels.

    >>> model = LinearOneClassSVM(nu=0.4).fit([[1.0, 1.0], [1.1, 0.9], [0.9, 1.2], [1.0, 1.1], [0.1, 0.0]])
    >>> model.predict([[2.0, 2.0], [-1.0, 0.0]])
    array([ 1, -1])
    """

    nu: float = parameter(default=0.5, setting="nu")
    tol: float = parameter(
        default=1e-10, setting="tolerance", rule=POSITIVE,
        doc="Largest gap between primal and dual objective, as a share of the primal; the last steps of Newton's method cost little.",
    )
    C: float = fixed(1.0)
    fit_intercept: bool = fixed(True)
    intercept_scaling: float = fixed(1.0)
    random_state: Any = fixed(None)

    _method = "linear-one-class"
    _supervised = False

    def _settings(self, points: Any) -> dict[str, Any]:
        return NativeEstimator._settings(self, points)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.offset_ = -self.intercept_
        if self._model.found().get("origin_among_points") and X is not None:
            text = "The origin lies among the rows, but for a share nu: no plane has it on its other side, and the function is 0 everywhere."
            warn(text + " Take a larger nu, values that are positive, or a kernel (OneClassSVM).")

    def decision_function(self, X: Any) -> Any:
        """Signed distance to the border, positive inside.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
            Positive for rows like those of the training data.
        """
        return self._outputs(X).ravel()

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
