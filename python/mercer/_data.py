"""From what Python has of data to what the library takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer


def points(X: Any) -> _mercer.Points:
    """Rows of numbers as the library has them."""
    if sp.issparse(X):
        rows = sp.csr_matrix(X, dtype=np.float64)
        rows.sum_duplicates()
        parts = rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data
        return _mercer.Points.sparse(rows.shape[1], *parts)
    dense = np.asarray(X)
    if dense.dtype != np.float32:
        dense = dense.astype(np.float64)
    if dense.ndim != 2:
        raise ValueError(f"Expected 2D array, got {dense.ndim}D array instead")
    return _mercer.Points.dense(dense)
