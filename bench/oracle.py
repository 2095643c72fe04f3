"""The one judge of all answers: the dual objective in f64, from coefficients and support vectors."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

BLOCK = 1024


def pair_coefficients(dual: np.ndarray, per_class: np.ndarray) -> np.ndarray:
    """Signed coefficients of each one-vs-one problem, one column a pair.

    `dual` is the (classes - 1) x points table that LIBSVM and scikit-learn return: the points of class i have
    their coefficient against class j in row j - 1 if j > i, else in row j.
    """
    classes = len(per_class)
    ends = np.cumsum(per_class)
    spans = [slice(end - count, end) for end, count in zip(ends, per_class)]
    if classes == 2:
        return dual.T.copy()
    columns = []
    for i in range(classes):
        for j in range(i + 1, classes):
            column = np.zeros(dual.shape[1])
            column[spans[i]] = dual[j - 1, spans[i]]
            column[spans[j]] = dual[i, spans[j]]
            columns.append(column)
    return np.stack(columns, axis=1)


def quadratic(points: np.ndarray, coefficients: np.ndarray, gamma: float) -> float:
    """Sum over the columns b of b'Kb, for the RBF kernel; K is made in blocks of rows."""
    points = points.astype(np.float64)
    squares = (points**2).sum(axis=1)
    total = 0.0
    for start in range(0, len(points), BLOCK):
        rows = slice(start, start + BLOCK)
        distance = squares[rows, None] + squares[None, :] - 2.0 * (points[rows] @ points.T)
        kernel = np.exp(-gamma * np.maximum(distance, 0.0))
        total += float((coefficients[rows] * (kernel @ coefficients)).sum())
    return total


def objective(points: np.ndarray, coefficients: np.ndarray, targets: np.ndarray | None, size: int, case) -> float:
    """The dual objective, to be minimised, of signed coefficients; `size` is the number of training rows.

    `case` has `machine`, `gamma`, `nu` and `epsilon`. The machines with ν come with their coefficients divided by
    some number or other: here they add up to ν times the rows.
    """
    curvature = quadratic(points, coefficients, case.gamma)
    total = float(np.abs(coefficients).sum())
    if case.machine == "svc":
        return 0.5 * curvature - total
    if case.machine == "svr":
        return 0.5 * curvature + case.epsilon * total - float(targets @ coefficients.sum(axis=1))
    return 0.5 * curvature * (case.nu * size / total) ** 2


def targets_of(points: sp.csr_matrix, rows: sp.csr_matrix, y: np.ndarray) -> np.ndarray:
    """The targets of `points`, each of which is one of the training rows."""
    known = dict(zip(map(bytes, rows.toarray()), y))
    return np.array([known[bytes(point)] for point in points.toarray()])


def of_model(path: Path, rows: sp.csr_matrix, y: np.ndarray, case) -> float:
    """The objective of a model in LIBSVM's text format, fitted to `rows` and `y`."""
    header, _, body = path.read_bytes().partition(b"\nSV\n")
    lines = dict(line.split(b" ", 1) for line in header.split(b"\n") if b" " in line)
    classifies = b"nr_sv" in lines
    per_class = np.array(lines[b"nr_sv"].split(), dtype=int) if classifies else np.array([int(lines[b"total_sv"]), 0])
    columns = len(per_class) - 1
    dual = np.empty((columns, per_class.sum()))
    points = []
    for i, line in enumerate(body.splitlines()):
        words = line.split(b" ")
        dual[:, i] = [float(word) for word in words[:columns]]
        points.append(b" ".join([b"0", *words[columns:]]))
    x, _ = load_svmlight_file(BytesIO(b"\n".join(points)), n_features=rows.shape[1], zero_based=False)
    targets = targets_of(x, rows, y) if case.machine == "svr" else None
    return objective(x.toarray(), pair_coefficients(dual, per_class), targets, rows.shape[0], case)
