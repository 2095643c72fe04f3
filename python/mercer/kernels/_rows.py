"""What a kernel is evaluated on: anything that is a matrix, or texts, graphs or sets of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from mercer import _data, _mercer
from mercer._graphs import Graph

_REAL = (np.float64, np.float32)


def rows(X: Any, kernel: _mercer.Kernel | None = None) -> _mercer.Points:
    """The rows of an array, a list of lists, a sparse matrix or a data frame, or texts, graphs or sets; there may be none.

    A pair, or a square matrix, is a graph to a kernel on graphs: the kernel says of which space points are. Whether the numbers are finite the library says, with row and column.
    """
    space = "vectors" if kernel is None else kernel.space
    # What scikit-learn hands over once for each pair of rows is not looked at longer than it takes to evaluate.
    ready = type(X) is np.ndarray and X.ndim == 2 and X.dtype in _REAL and X.shape[1] > 0
    if kernel is not None and space == _data.TABLE:
        return _data.points(_data.table(X, kernel, kernel.columns))
    found = "vectors" if ready else _data.space_of(X)
    if found in _data.OBJECTS or (space in ("graphs", "sets") and isinstance(X, (list, tuple))):
        meant = found if found == "texts" or space not in ("graphs", "sets") else space
        return _data.points(_data.objects(X, meant, "k"))
    if not ready:
        X = check_array(X, accept_sparse="csr", dtype=_REAL, ensure_all_finite=False, ensure_min_samples=0)
    return _data.points(X)


def dimensions(X: Any, space: str) -> int:
    """2 of a matrix or of a list of objects, 1 of a point."""
    if isinstance(X, (str, Graph)):
        return 1
    if space in ("graphs", "sets", _data.TABLE) or _data.space_of(X) in _data.OBJECTS:
        return 2
    shape = getattr(X, "shape", None)
    return np.ndim(X) if shape is None else len(shape)
