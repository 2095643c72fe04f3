"""Arrays of scikit-learn's world as the native library's points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer


def points(X: Any) -> _mercer.Points:
    """Rows of a validated matrix, dense of either precision or sparse."""
    if not sp.issparse(X):
        return _mercer.Points.dense(X)
    rows = sp.csr_matrix(X, dtype=np.float64)
    rows.sum_duplicates()
    parts = rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data
    return _mercer.Points.sparse(rows.shape[1], *parts)
