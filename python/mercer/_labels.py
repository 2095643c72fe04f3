"""Class labels and weights: what scikit-learn's users give, and what model files hold."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The types of labels by what a model file says of them; where it says nothing, the first that fits.
_TYPES: dict[str | None, tuple[Any, ...]] = {
    "text": (), "integer": (np.int64,), "float": (np.float64,), None: (np.int64, np.float64)
}


def classes_in(y: Any) -> tuple[Any, Any]:
    """The classes in their order, and for each label its place among them. Searching is faster than the inverse of
    `unique`, which sorts all labels."""
    classes = np.unique(y)
    return classes, np.searchsorted(classes, y).astype(np.uint32)


def names_of(classes: Any) -> list[str]:
    """Class names as model files have them: whole numbers without a point."""
    texts = [str(int(c)) if isinstance(c, (float, np.floating)) and float(c).is_integer() else str(c) for c in classes]
    return texts if len(set(texts)) == len(texts) else [repr(c) for c in classes]


def kind_of(classes: Any) -> str:
    """What labels are besides their names, as model files say it."""
    labels = classes if classes.dtype != object else np.array(classes.tolist())
    return {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}.get(labels.dtype.kind, "text")


def classes_of(names: list[str], kind: str | None) -> Any:
    """Class labels from their names. Where nothing is said of their kind: numbers, if all are and no two are equal."""
    texts = np.array(names)
    if kind == "boolean":
        return texts == "True"
    for number in _TYPES[kind]:
        try:
            found = texts.astype(number)
        except ValueError:
            continue
        if len(np.unique(found)) == len(names):
            return found
    return texts


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
