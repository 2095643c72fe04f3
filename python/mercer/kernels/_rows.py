"""What a kernel is evaluated on: anything that is a matrix, or texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from mercer import _data, _mercer

_REAL = (np.float64, np.float32)


def rows(X: Any) -> _mercer.Points:
    """The rows of an array, a list of lists, a sparse matrix or a data frame, or texts; there may be none.

    Whether the numbers are finite the library says, with row and column.
    """
    # What scikit-learn hands over once for each pair of rows is not looked at longer than it takes to evaluate.
    ready = type(X) is np.ndarray and X.ndim == 2 and X.dtype in _REAL and X.shape[1] > 0
    if not ready and _data.are_texts(X):
        return _mercer.Points.texts(list(X))
    if not ready:
        X = check_array(X, accept_sparse="csr", dtype=_REAL, ensure_all_finite=False, ensure_min_samples=0)
    return _data.points(X)


def dimensions(X: Any) -> int:
    """2 of a matrix or of texts, 1 of a point."""
    if isinstance(X, str):
        return 1
    if _data.are_texts(X):
        return 2
    shape = getattr(X, "shape", None)
    return np.ndim(X) if shape is None else len(shape)
