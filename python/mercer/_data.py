"""Arrays of scikit-learn's world, and texts, as the native library's points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer

_PRECISIONS = [np.float64, np.float32]


def precisions(X: Any) -> Any:
    """The precisions that X may have: single alone for a table of polars' or Arrow's whose columns all are."""
    if type(X) is np.ndarray:
        return _PRECISIONS
    columns = getattr(X, "dtypes", None)
    if not isinstance(columns, list):
        columns = getattr(getattr(X, "schema", None), "types", None) or []
    single = bool(columns) and all(str(column) in ("Float32", "float") for column in columns)
    return np.float32 if single else _PRECISIONS


def points(X: Any) -> _mercer.Points:
    """Texts, or rows of a validated matrix: dense of either precision (not copied where they lie one after the other) or
    sparse."""
    if X.dtype == object:
        return _mercer.Points.texts(X.tolist())
    if not sp.issparse(X):
        return _mercer.Points.dense(X)
    rows = X if X.format == "csr" else X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return _mercer.Points.sparse(rows.shape[1], rows.indptr, rows.indices, rows.data)


def are_texts(X: Any) -> bool:
    """Whether X is a list or an array of texts, or a column of a data frame with texts."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], str)
    kind = getattr(getattr(X, "dtype", None), "kind", "f")
    return kind in "OUT" and getattr(X, "ndim", 0) == 1 and len(X) > 0 and isinstance(np.asarray(X)[0], str)


def texts(X: Any, kernel: Any) -> Any:
    """Texts as an array of shape (n,)."""
    found = np.empty(0) if sp.issparse(X) else np.asarray(X, dtype=object)
    if found.ndim != 1 or not len(found) or not all(isinstance(text, str) for text in found):
        raise ValueError(
            f"the kernel '{kernel}' compares texts: X must be a list or an array of one or more texts, of shape (n_samples,);"
            f" got {type(X).__name__} of shape {np.shape(X)}"
        )
    return found


def to_python(found: _mercer.Points) -> Any:
    """Points as an array, or as a sparse matrix."""
    parts = found.to_python()
    if isinstance(parts, list):
        return np.array(parts, dtype=object)
    if not isinstance(parts, tuple):
        return parts
    columns, start, index, values = parts
    if max(columns, len(values)) <= np.iinfo(np.int32).max:
        start, index = start.astype(np.int32), index.astype(np.int32)
    return sp.csr_matrix((values, index, start), shape=(len(found), columns))
