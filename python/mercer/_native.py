"""What every estimator has in common: a kernel, a fit by a method of the native library, a model that files and pickles hold."""

from __future__ import annotations

import sys
import time
import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, _fit_context
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options
from sklearn.utils.validation import _num_samples, check_array, check_consistent_length, check_is_fitted, validate_data

from mercer import _data, _kernel, _mercer
from mercer._labels import positive_weights
from mercer._parameters import declared, parameter, settings_of
from mercer._progress import CallbackSupportMixin, following, with_callbacks

#: Rows from which on the C library's stock of freed memory is kept small: it can be as much again as a fit holds.
LARGE = 50_000


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] in ("mercer", "sklearn", "contextlib"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def symmetric(values: Any) -> Any:
    """A matrix of kernel values, or its symmetric part: no quadratic form sees anything else of it."""
    return values if np.array_equal(values, values.T) else 0.5 * (values + values.T)


@declared
class NativeEstimator(CallbackSupportMixin, BaseEstimator):
    """An estimator whose model is the native library's.

    A pickle holds plain arrays and the bytes of the model file, which cannot run code.

    Attributes
    ----------
    n_features_in_ : int
        Number of features; not there where X were texts, graphs, sets or a table whose columns the kernel names.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.
    """

    kernel: Any = parameter(
        default="rbf", kind='{"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable',
        doc="A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as"
        ' ``"rbf(gamma=0.5) + 2*linear"``, or ``"spectrum(p=3)"`` where X are texts, ``"wl(h=5)"`` where they are graphs; "precomputed" where the data are kernel'
        " values; or a function of two matrices that gives them.",
    )
    degree: float = parameter(
        default=3, doc='The power of "poly".', rule=[Interval(Integral, 0, None, closed="left")]
    )
    gamma: float | str | None = parameter(
        default="scale",
        doc='The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the'
        ' weighted rows, 1 / n_features for "auto".',
    )
    coef0: float = parameter(default=0.0, doc='The constant of "poly" and "sigmoid".')
    verbose: bool = parameter(
        default=False, doc="Whether a bar shows progress and time on standard error.", rule=["verbose"]
    )
    n_threads: int | None = parameter(
        default=None, rule=[Interval(Integral, 1, _mercer.MAX_THREADS, closed="both"), Options(Integral, {-1}), None],
        doc="Threads, at most 1024; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order."
        " The answer does not depend on it.",
    )

    #: The method's name in the native library.
    _method: ClassVar[str]
    #: Whether y is needed.
    _supervised: ClassVar[bool] = True
    #: How scikit-learn checks y.
    _target_options: ClassVar[dict[str, bool]] = {}
    #: Whether a callable gets two matrices, as scikit-learn's support vector machines have it, or two rows, as its pairwise kernels.
    _rowwise: ClassVar[bool] = False
    #: Whether a callable of two matrices gets X as it is, unchecked.
    _unchecked: ClassVar[bool] = False
    #: Whether predictions are computed in double precision; decided once, after a fit.
    _double = True

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.get("_model") is not None:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("_model") is not None:
            state = {**state, "_model": _mercer.Model.from_bytes(state["_model"])}
        super().__setstate__(state)
        if "_model" in state and "_input" not in state:
            # A pickle of an earlier version.
            self._input = "function" if "_X_fit" in state else self._kind
            self._double = self._doubled()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kind = self._kind
        tags.input_tags.pairwise = kind == "values"
        tags.input_tags.sparse = kind in ("vectors", "function")
        tags.input_tags.string = kind == "texts"
        tags.input_tags.one_d_array = kind in _data.OBJECTS
        tags.input_tags.two_d_array = kind not in _data.OBJECTS
        return tags

    @property
    def _kind(self) -> str:
        """What X is to the kernel."""
        return _kernel.kind(self.kernel)

    # -- data ---------------------------------------------------------------------------------------------------------

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Checked as scikit-learn does; single precision stays single."""
        space = _data.space_of(X)
        if space in _data.OBJECTS:
            example = {"texts": "spectrum(p=3)", "graphs": "wl(h=5)", "sets": "set(rbf(gamma=1))"}[space]
            raise ValueError(
                f"X are {space}, and the kernel {self.kernel!r} compares vectors: take a kernel on {space}, such as {example!r}"
            )
        return validate_data(self, X, y, dtype=_data.precisions(X), accept_sparse="csr", **options)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        """What is fitted, checked."""
        kind = self._kind
        if kind == "values" and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported.")
        if kind in _data.OBJECTS or (self._unchecked and callable(self.kernel) and kind == "function"):
            if self._supervised and y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
            X = _data.objects(X, kind, self.kernel) if kind in _data.OBJECTS else X
            if y is not None:
                check_consistent_length(X, y)
            if self._supervised:
                y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
            return X, y
        if self._supervised:
            return self._validated(X, y, **self._target_options)  # type: ignore[no-any-return]
        return self._validated(X), y

    def _training_points(self, X: Any, weights: Any) -> tuple[_mercer.Kernel, _mercer.Points]:
        """The kernel and the points that it is to be fitted on. Of a callable these are its values."""
        self.__dict__.pop("_X_fit", None)
        self._input = self._kind
        if self._input == "values":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
            self._gamma = 0.0
            return _mercer.Kernel("precomputed"), _mercer.Points.gram(symmetric(X))
        if self._input == "vectors" or self._input in _data.OBJECTS:
            points = _data.points(X)
            given = (self.kernel, self.gamma, self.degree, self.coef0)
            found, self._gamma = _kernel.resolved(*given, points, weights)
            if found is not None:
                return found, points
        self._input, self._X_fit = "function", X
        values = self._values(X, X)
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(f"X.shape[0] should be equal to X.shape[1]: the kernel gave a matrix of shape {values.shape}")
        return _mercer.Kernel("precomputed"), _mercer.Points.gram(symmetric(values))

    def _values(self, X: Any, Y: Any) -> Any:
        """Kernel values by the user's function."""
        if callable(self.kernel) and not self._rowwise:
            values = self.kernel(X, Y)
        else:
            values = pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **self._pairwise_parameters())
        if sp.issparse(values):
            values = values.toarray()
        return np.asarray(values, dtype=np.float64)

    def _own_values(self, X: Any) -> Any:
        """k(x, x) of each row by the user's function."""
        count = _num_samples(X)
        return np.array([self._values(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(count)])

    def _distances(self, X: Any) -> Any:
        """Distances in feature space of checked rows from the centres that the outputs of the model belong to."""
        points = self._as_points(X)
        if self._input != "function":
            return self._model.outputs(self._run(), points, "components")
        # A table of the function's values has k(x, x) of the training rows alone.
        scores = self._model.outputs(self._run(), points, "scores", True)
        return np.sqrt(np.maximum(self._own_values(X)[:, None] - 2.0 * scores, 0.0))

    def _pairwise_parameters(self) -> dict[str, Any]:
        if callable(self.kernel):
            return getattr(self, "kernel_params", None) or {}
        gamma = getattr(self, "_gamma", None)
        return {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}

    def _points(self, X: Any) -> _mercer.Points:
        """Points to predict."""
        return self._as_points(self._checked_rows(X))

    def _checked_rows(self, X: Any) -> Any:
        """Rows to predict, checked."""
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        if self._input in _data.OBJECTS:
            return _data.objects(X, self._input, self.kernel)
        as_it_is = self._input == "function" and callable(self.kernel) and not self._rowwise
        return X if as_it_is else self._validated(X, reset=False)

    def _as_points(self, X: Any) -> _mercer.Points:
        """Checked rows as the model wants them."""
        if self._input == "vectors" or self._input in _data.OBJECTS:
            return _data.points(X)
        values = self._values(X, self._X_fit) if self._input == "function" else X
        rows = self._fitted_rows
        if values.ndim != 2 or values.shape[1] != rows:
            raise ValueError(
                f"X.shape[1] = {values.shape[-1]} should be equal to {rows}, the number of samples at training time"
            )
        return _mercer.Points.gram(values)

    # -- fit ----------------------------------------------------------------------------------------------------------

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the estimator to training data.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        started = time.perf_counter()
        X, y = self._checked(X, y)
        samples = _num_samples(X)
        target = self._target(y)
        weights = self._weights(positive_weights(sample_weight, samples, X), target)
        kernel, points = self._training_points(X, weights)
        self._fitted_rows = samples
        if samples >= LARGE:
            _mercer.return_freed_memory()
        self._seconds = {"convert": time.perf_counter() - started}
        started = time.perf_counter()
        with following(self, X, y, getattr(self, "tol", None)) as progress:
            self._model = self._solved(self._run(progress), kernel, points, target, weights)
        self._seconds["fit"] = time.perf_counter() - started
        self._found(X)
        self._double = self._doubled()
        return self

    def _target(self, y: Any) -> Any:
        """y as the native library wants it."""
        return None

    def _weights(self, weights: Any, target: Any) -> Any:
        """Weights of the rows with what else makes weights."""
        return weights

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        """The fitted model."""
        return _mercer.fit(run, self._method, self._settings(points), kernel, points, target, weights, self._learnt())

    def _settings(self, points: Any) -> dict[str, Any]:
        """The parameters of the method, by their names in the native library."""
        return settings_of(self)

    def _learnt(self) -> tuple[str, int] | None:
        """How probabilities are learnt beside the model, if they are: the kind and a seed."""
        return None

    def _seed(self) -> int:
        """What `random_state` means; None is the same each time."""
        state = getattr(self, "random_state", None)
        return 0 if state is None else int(check_random_state(state).randint(np.iinfo(np.int32).max))

    @property
    def _fitted(self) -> _mercer.Model:
        """The model that predicts."""
        model: _mercer.Model = self._model
        return model

    def _outputs(self, X: Any, what: str = "decisions") -> Any:
        """Outputs of the model at each row."""
        points = self._points(X)
        return self._fitted.outputs(self._run(), points, what, self._double)

    def _found(self, X: Any) -> None:
        """The attributes that people read; X is None for a model that was read from a file."""

    def _doubled(self) -> bool:
        """Whether predictions are to be computed in double precision."""
        return True

    def _restore(self, model: _mercer.Model) -> None:
        """Makes this the estimator of a model that was read from a file."""
        self._model = model
        self._input = self._kind
        width = model.width
        self._fitted_rows = width - 1 if self._input == "values" else width
        if self._input not in _data.OBJECTS:
            self.n_features_in_ = self._fitted_rows
        self._found(None)
        self._double = self._doubled()

    # -- work ---------------------------------------------------------------------------------------------------------

    def _run(self, progress: Any = None) -> _mercer.Run:
        return _mercer.Run(None if self.n_threads in (None, -1) else int(self.n_threads), progress)

    def _summary(self) -> str:
        """What came of a fit, in a few words."""
        return "done"


class Assigning(NativeEstimator):
    """An estimator that assigns each training row to a group."""

    def _training_points(self, X: Any, weights: Any) -> tuple[_mercer.Kernel, _mercer.Points]:
        self._kept = None if weights is None else np.asarray(weights) > 0.0
        return super()._training_points(X, weights)

    def _nearest(self, points: Any) -> Any:
        """The group of each point."""
        return self._model.predict(self._run(), points, self._double)

    def _of_all_rows(self, X: Any, groups: Any) -> Any:
        """The groups of all training rows, from those of positive weight: others, which are no part of the fit, as new rows."""
        kept = self.__dict__.pop("_kept", None)
        if X is None or kept is None or kept.all():
            return groups
        found = self._nearest(self._as_points(X)).astype(groups.dtype)
        found[kept] = groups
        return found


@declared
class Expanded(NativeEstimator):
    """An estimator whose functions are sums over some of the training rows.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the rows that the functions are built from.
    dual_coef_ : ndarray of shape (n_functions, n_SV)
        Their coefficients, for each function.
    """

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.support_ = self._model.support()
        self.dual_coef_ = self._model.coefficients()
