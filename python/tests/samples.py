"""Small data for every kind of estimator, and what a fitted one has to say about rows."""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.base import is_classifier, is_regressor

from .estimators import CLASSES

ROWS, COLUMNS = 60, 4


def points() -> np.ndarray:
    """Rows with zeros among the values, each of them exact in f32 as well."""
    random = np.random.default_rng(7)
    x = np.round(random.normal(size=(ROWS, COLUMNS)) * 64) / 64
    x[random.random(x.shape) < 0.3] = 0.0
    return x


def targets(name: str, x: np.ndarray) -> np.ndarray | None:
    """What `fit` of the class `name` takes beside the points."""
    signal = x[:, 0] + 0.5 * x[:, 1] ** 2
    estimator = CLASSES[name]()
    if name == "KernelCCA":
        return np.column_stack([signal, x[:, 2] - x[:, 3]])
    if is_classifier(estimator):
        return np.where(signal > np.median(signal), "high", "low")
    return signal if is_regressor(estimator) or name == "RelevantDimension" else None


def fitted(name: str, x, y, **parameters):
    """An estimator of the class `name`."""
    return CLASSES[name](**parameters).fit(x, y)


def answers(estimator, x) -> dict[str, np.ndarray]:
    """All that it says about the rows of `x`."""
    methods = ("predict", "decision_function", "transform")
    found = {name: np.asarray(getattr(estimator, name)(x)) for name in methods if hasattr(estimator, name)}
    if found:
        return found
    # One that only describes the data it was fitted to.
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    return {name: np.asarray(getattr(last, name)) for name in ("dimension_", "noise_", "denoised_")}


def assert_same_bits(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    """Equal to the bit, types included (but for the order of bytes)."""
    assert first and first.keys() == second.keys()
    for name, values in first.items():
        other = second[name]
        assert values.dtype.newbyteorder("=") == other.dtype.newbyteorder("=") and values.shape == other.shape, name
        assert np.array_equal(values, other), name
