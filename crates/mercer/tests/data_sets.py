"""The data sets of the repository, as the scripts that store the answers of peers read them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parents[3] / "data"


def read(name: str, label: Callable = float) -> tuple[np.ndarray, np.ndarray]:
    """A file of the data folder: its points, dense, and what `label` makes of the texts of its labels."""
    rows = [line.split() for line in gzip.open(DATA / f"{name}.libsvm.gz", "rt")]
    width = max(int(entry.split(":")[0]) for row in rows for entry in row[1:])
    x = np.zeros((len(rows), width))
    for i, row in enumerate(rows):
        for entry in row[1:]:
            k, v = entry.split(":")
            x[i, int(k) - 1] = float(v)
    return x, np.array([label(row[0]) for row in rows])


def squares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Squared distances."""
    return np.maximum((x**2).sum(1)[:, None] + (y**2).sum(1)[None, :] - 2 * x @ y.T, 0)
