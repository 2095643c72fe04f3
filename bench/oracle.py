"""The one judge of all answers: the dual objective in f64, from coefficients and support vectors."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
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


def objective(points: np.ndarray, coefficients: np.ndarray, gamma: float) -> float:
    """Sum over the columns b of (1/2) b'Kb - sum |b|, for the RBF kernel; K is made in blocks of rows."""
    points = points.astype(np.float64)
    squares = (points**2).sum(axis=1)
    quadratic = 0.0
    for start in range(0, len(points), BLOCK):
        rows = slice(start, start + BLOCK)
        distance = squares[rows, None] + squares[None, :] - 2.0 * (points[rows] @ points.T)
        kernel = np.exp(-gamma * np.maximum(distance, 0.0))
        quadratic += float((coefficients[rows] * (kernel @ coefficients)).sum())
    return 0.5 * quadratic - float(np.abs(coefficients).sum())


def of_model(path: Path, gamma: float) -> float:
    """The objective of a model in LIBSVM's text format."""
    header, _, body = path.read_bytes().partition(b"\nSV\n")
    lines = dict(line.split(b" ", 1) for line in header.split(b"\n") if b" " in line)
    per_class = np.array(lines[b"nr_sv"].split(), dtype=int)
    rows = len(per_class) - 1
    dual = np.empty((rows, per_class.sum()))
    points = []
    for i, line in enumerate(body.splitlines()):
        words = line.split(b" ")
        dual[:, i] = [float(word) for word in words[:rows]]
        points.append(b" ".join([b"0", *words[rows:]]))
    x, _ = load_svmlight_file(BytesIO(b"\n".join(points)), zero_based=False)
    return objective(x.toarray(), pair_coefficients(dual, per_class), gamma)
