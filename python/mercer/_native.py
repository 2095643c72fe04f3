"""What every estimator with a native model has in common."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils._param_validation import Interval, Options
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import _data, _kernel, _mercer, _threads
from mercer._progress import CallbackSupportMixin, following

__all__ = ["NativeEstimator", "class_weights", "classes_in", "classes_of", "names_of", "positive_weights"]

_PRECISIONS = [np.float64, np.float32]


def _precisions(X: Any) -> Any:
    """The precisions that X may have: single alone for a table of polars' or Arrow's whose columns all are."""
    columns = getattr(X, "dtypes", None)
    if not isinstance(columns, list):
        columns = getattr(getattr(X, "schema", None), "types", None) or []
    single = bool(columns) and all(str(column) in ("Float32", "float") for column in columns)
    return np.float32 if single else _PRECISIONS


def classes_in(y: Any) -> tuple[Any, Any]:
    """The classes in their order, and for each label its place among them. Searching is faster than the inverse of
    `unique`, which sorts all labels."""
    classes = np.unique(y)
    return classes, np.searchsorted(classes, y).astype(np.uint32)


def names_of(classes: Any) -> list[str]:
    """Class names as model files have them: whole numbers without a point."""
    texts = [str(int(c)) if isinstance(c, (float, np.floating)) and float(c).is_integer() else str(c) for c in classes]
    return texts if len(set(texts)) == len(texts) else [repr(c) for c in classes]


#: The types of labels by what model files say of them.
_LABELS: dict[str | None, tuple[Any, ...]] = {
    "text": (), "integer": (np.int64,), "float": (np.float64,), None: (np.int64, np.float64)
}


def classes_of(names: list[str], kind: str | None) -> Any:
    """Class labels from their texts. Where their kind is not known, numbers if all are, and different ones."""
    texts = np.array(names)
    if kind == "boolean":
        return texts == "True"
    for number in _LABELS[kind]:
        try:
            found = texts.astype(number)
        except ValueError:
            continue
        if len(np.unique(found)) == len(names):
            return found
    return texts


def kind_of(classes: Any) -> str:
    """What labels are besides their names."""
    kinds = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}
    labels = classes if classes.dtype != object else np.array(classes.tolist())
    return kinds.get(labels.dtype.kind, "text")


def symmetric(values: Any) -> Any:
    """A matrix of kernel values, or its symmetric part: no quadratic form sees anything else of it."""
    return values if np.array_equal(values, values.T) else 0.5 * (values + values.T)


def positive_weights(sample_weight: Any, samples: int, X: Any) -> Any:
    """Weights as the library wants them: none, or a number for each row. Rows of weight 0 and below are left out."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(samples, weights)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.size == 0:
        return None
    if weights.shape[0] != samples:
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {weights.shape!r} vs {np.shape(X)!r}: sample_weight.shape =="
            f" ({weights.shape[0]},), expected ({samples},)!"
        )
    if not np.isfinite(weights).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if not (weights > 0.0).any():
        raise ValueError("Invalid input - all samples have zero or negative weights.")
    if (weights == 1.0).all():
        return None
    return np.maximum(weights, 0.0)


def class_weights(weights: Any, factors: Any, index: Any) -> Any:
    """Weights of rows with the factors of their classes."""
    if (factors == 1.0).all():
        return weights
    if (factors < 0.0).any():
        raise ValueError("class_weight: a weight must not be negative")
    own = factors[index]
    return own if weights is None else weights * own


class NativeEstimator(CallbackSupportMixin, BaseEstimator):
    """An estimator whose model is the native library's.

    A pickle holds plain arrays and the bytes of the model file, which cannot run code.
    """

    _parameter_constraints: dict[str, Any] = {
        "verbose": ["verbose"],
        "n_threads": [Interval(Integral, 1, None, closed="left"), Options(Integral, {-1}), None],
    }
    #: Whether a callable gets two matrices, as scikit-learn's machines have it, or two rows, as its pairwise kernels.
    _rowwise = False

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = {**state, "_model": _mercer.Model.from_bytes(state["_model"])}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.sparse = not precomputed
        return tags

    # -- data ---------------------------------------------------------------------------------------------------------

    @property
    def _callable(self) -> bool:
        """Whether kernel values come from a function of the user's (or of scikit-learn's)."""
        kernel = self.kernel
        return self._kernel_name() is None and _kernel.native(kernel) is None

    def _kernel_name(self) -> str | None:
        kernel = self.kernel
        return kernel if isinstance(kernel, str) and kernel in _kernel.NAMES else None

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Checked as scikit-learn does; single precision stays single."""
        return validate_data(self, X, y, dtype=_precisions(X), accept_sparse="csr", **options)

    def _training_points(self, X: Any, weights: Any) -> tuple[_mercer.Kernel, _mercer.Points]:
        """The kernel and the points that it is to be fitted on. Of a callable these are its values."""
        kernel = self.kernel
        name = self._kernel_name()
        native = _kernel.native(kernel)
        if name == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
            self._gamma = 0.0
            return _mercer.Kernel("precomputed"), _mercer.Points.gram(symmetric(X))
        if native is not None:
            return native, _data.points(X)
        if name is not None:
            points = _data.points(X)
            if name in ("linear", "cosine"):
                return _mercer.Kernel(name), points
            self._gamma = _kernel.gamma_of(self.gamma, points, weights)
            found = _kernel.named(name, self._gamma, self.degree, self.coef0)
            if found is not None:
                return found, points
        self._X_fit = X
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

    def _pairwise_parameters(self) -> dict[str, Any]:
        if callable(self.kernel):
            return getattr(self, "kernel_params", None) or {}
        gamma = getattr(self, "_gamma", None)
        return {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}

    def _points(self, X: Any) -> _mercer.Points:
        """Validated points to predict, as the model wants them."""
        if hasattr(self, "_X_fit"):
            values = self._values(X, self._X_fit)
            rows = self._fitted_rows
            if values.ndim != 2 or values.shape[1] != rows:
                raise ValueError(
                    f"X.shape[1] = {values.shape[-1]} should be equal to {rows}, the number of samples at training time"
                )
            return _mercer.Points.gram(values)
        if self._kernel_name() == "precomputed":
            if X.shape[1] != self._fitted_rows:
                raise ValueError(
                    f"X.shape[1] = {X.shape[1]} should be equal to {self._fitted_rows}, the number of samples at"
                    " training time"
                )
            return _mercer.Points.gram(X)
        return _data.points(X)

    def _checked_points(self, X: Any) -> _mercer.Points:
        """Points to predict."""
        check_is_fitted(self)
        if not (hasattr(self, "_X_fit") and callable(self.kernel) and not self._rowwise):
            X = self._validated(X, reset=False)
        return self._points(X)

    def _restore(self, model: _mercer.Model) -> None:
        """Makes this the estimator of a model that was read from a file."""
        self._model = model
        width = model.points.columns
        precomputed = self._kernel_name() == "precomputed"
        self._fitted_rows = width - 1 if precomputed else width
        self.n_features_in_ = self._fitted_rows

    # -- work ---------------------------------------------------------------------------------------------------------

    def _run(self, progress: Any = None) -> _mercer.Run:
        return _mercer.Run(_threads.count(getattr(self, "n_threads", None)), progress)

    def _summary(self) -> str:
        """What came of a fit, in a few words."""
        return "done"

    @contextmanager
    def _following(self, X: Any, y: Any, tolerance: float | None) -> Iterator[_mercer.Run]:
        """What a fit runs by; time is kept."""
        started = time.perf_counter()
        with following(self, X, y, tolerance) as progress:
            yield self._run(progress)
        self._seconds = {**getattr(self, "_seconds", {}), "fit": time.perf_counter() - started}
