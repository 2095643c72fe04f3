"""Arrays of scikit-learn's world, texts, graphs and sets of rows, as the native library's points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _mercer
from mercer._graphs import Graph

_PRECISIONS = [np.float64, np.float32]

#: Where a kernel names columns of a table.
TABLE = "records"

#: The spaces whose points are objects in an array of shape (n,), and what a list of them is called.
OBJECTS = {
    "texts": "texts",
    "graphs": "graphs, each a mercer.Graph, a graph of networkx, a pair (edges, labels) or (matrix, labels), or a symmetric matrix",
    "sets": "sets, each a matrix of shape (n_vectors, n_features)",
    TABLE: "rows of a table",
}


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
    """Objects as `objects` gives them, or rows of a validated matrix: dense of either precision (not copied where they lie one
    after the other) or sparse."""
    if X.dtype == object:
        if isinstance(X[0], str):
            return _mercer.Points.texts(X.tolist())
        if isinstance(X[0], dict):
            return _records(X)
        if isinstance(X[0], Graph):
            return _mercer.Points.graphs([graph._native() for graph in X])
        return _mercer.Points.sets(X.tolist())
    if not sp.issparse(X):
        return _mercer.Points.dense(X)
    rows = X if X.format == "csr" else X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return _mercer.Points.sparse(rows.shape[1], rows.indptr, rows.indices, rows.data)


def table(X: Any, kernel: Any, columns: list[tuple[str, str]]) -> Any:
    """The columns of a data frame, or of a dictionary, that a kernel names, as an array of shape (n,) of dictionaries."""
    if not hasattr(X, "__getitem__") or isinstance(X, (np.ndarray, str)) or sp.issparse(X):
        raise ValueError(
            f"the kernel '{kernel}' names columns: X must be a data frame, a dictionary of columns or a list of dictionaries; got"
            f" {type(X).__name__}"
        )
    rows = isinstance(X, (list, tuple)) or getattr(X, "dtype", None) == object
    found: dict[str, Any] = {}
    for name, kind in columns:
        try:
            column = [row[name] for row in X] if rows else X[name]
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"the kernel '{kernel}' names the column {name!r}, which X does not have") from error
        found[name] = _numbers(column, name) if kind == "numbers" else objects(list(column), kind, kernel)
    lengths = {len(column) for column in found.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"the columns of X must have one number of rows, at least one; got {sorted(lengths)}")
    array = np.empty(lengths.pop(), dtype=object)
    for i in range(len(array)):
        array[i] = {name: column[i] for name, column in found.items()}
    return array


def _numbers(column: Any, name: str) -> Any:
    """A column of numbers."""
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} must have numbers: {error}") from error
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError(f"Input X contains NaN or infinity, or more than one number in a row, in column {name!r}")
    return numbers


def _records(rows: Any) -> _mercer.Points:
    """Rows as `table` gives them."""
    columns = []
    for name, first in rows[0].items():
        cells = np.empty(len(rows), dtype=object)
        for i, row in enumerate(rows):
            cells[i] = row[name]
        number = isinstance(first, float)
        columns.append((name, _mercer.Points.dense(cells.astype(np.float64)[:, None]) if number else points(cells)))
    return _mercer.Points.records(columns)


def are_texts(X: Any) -> bool:
    """Whether X is a list or an array of texts, or a column of a data frame with texts."""
    return isinstance(_first(X), str)


def space_of(X: Any) -> str:
    """What X looks like: "texts", "graphs" or "sets" of rows where its points are objects, else "vectors"."""
    first = _first(X)
    if isinstance(first, str):
        return "texts"
    if isinstance(first, Graph) or hasattr(first, "is_directed"):
        return "graphs"
    many = getattr(first, "ndim", 0) == 2
    return "sets" if many else "vectors"


def _first(X: Any) -> Any:
    """The first of a list, of a one-dimensional array of objects or of an array of matrices; None where X is something else."""
    if getattr(X, "ndim", 0) == 3:
        return X[0] if len(X) else None
    if isinstance(X, (list, tuple)):
        return X[0] if len(X) else None
    kind = getattr(getattr(X, "dtype", None), "kind", "f")
    return np.asarray(X)[0] if kind in "OUT" and getattr(X, "ndim", 0) == 1 and len(X) > 0 else None


def objects(X: Any, space: str, kernel: Any) -> Any:
    """Points of a space whose points are objects, as an array of shape (n,)."""
    if space == TABLE:
        return table(X, kernel, _mercer.Kernel(str(kernel)).columns)
    single = sp.issparse(X) or isinstance(X, (str, Graph)) or getattr(X, "ndim", 1) not in ((1,) if space == "texts" else (1, 3))
    given = [] if single or not hasattr(X, "__len__") else list(X)
    texts = all(isinstance(point, str) for point in given)
    if not given or texts != (space == "texts"):
        raise ValueError(
            f"the kernel '{kernel}' compares {space}: X must be a list or an array of one or more {OBJECTS[space]}, of shape"
            f" (n_samples,); got {type(X).__name__} of shape {_shape(X)}"
        )
    found = np.empty(len(given), dtype=object)
    for i, point in enumerate(given):
        try:
            found[i] = point if texts else Graph.of(point) if space == "graphs" else _set(point)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the kernel '{kernel}' compares {space}: X[{i}]: {error}") from error
    return found


def _set(point: Any) -> Any:
    """A set of rows, as a matrix."""
    rows = np.ascontiguousarray(point.toarray() if sp.issparse(point) else point, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"a set is a matrix of shape (n_vectors, n_features); got shape {rows.shape}")
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(f"Input X contains NaN or infinity: row {row}, column {column} of a set")
    return rows


def _shape(X: Any) -> Any:
    try:
        return np.shape(X)
    except ValueError:
        return (len(X),)


def to_python(found: _mercer.Points) -> Any:
    """Points as an array, or as a sparse matrix."""
    parts = found.to_python()
    if isinstance(parts, dict):
        array = np.empty(len(found), dtype=object)
        columns = {name: [Graph._taken(c) if isinstance(c, tuple) else c for c in cells] for name, cells in parts.items()}
        for i in range(len(array)):
            array[i] = {name: cells[i] for name, cells in columns.items()}
        return array
    if isinstance(parts, list):
        array = np.empty(len(parts), dtype=object)
        for i, part in enumerate(parts):
            array[i] = Graph._taken(part) if isinstance(part, tuple) else part
        return array
    if not isinstance(parts, tuple):
        return parts
    columns, start, index, values = parts
    if max(columns, len(values)) <= np.iinfo(np.int32).max:
        start, index = start.astype(np.int32), index.astype(np.int32)
    return sp.csr_matrix((values, index, start), shape=(len(found), columns))
