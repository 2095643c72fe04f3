"""Arrays of scikit-learn's world as the native library's points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer

__all__ = ["csr", "points", "to_python"]


def points(X: Any) -> _mercer.Points:
    """Rows of a validated matrix: dense of either precision (not copied where rows lie one after the other) or sparse."""
    if not sp.issparse(X):
        return _mercer.Points.dense(X)
    rows = X if X.format == "csr" else X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return _mercer.Points.sparse(rows.shape[1], rows.indptr, rows.indices, rows.data)


def to_python(found: _mercer.Points, like: Any = None) -> Any:
    """Points as an array, or as a sparse matrix of the kind of `like`."""
    parts = found.to_python()
    return csr(parts, len(found), like) if isinstance(parts, tuple) else parts


def csr(parts: tuple[Any, ...], rows: int, like: Any = None) -> Any:
    """A sparse matrix from its parts; `like` an array of scipy's or a matrix."""
    columns, start, index, values = parts
    if max(columns, len(values)) <= np.iinfo(np.int32).max:
        start, index = start.astype(np.int32), index.astype(np.int32)
    kind = sp.csr_array if isinstance(like, sp.sparray) else sp.csr_matrix
    return kind((values, index, start), shape=(rows, columns))
