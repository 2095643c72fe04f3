"""Relevant dimensions by numpy, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/rde/make_answers.py

`{"numpy": VERSION, "cases": [CASE, ...]}`. A CASE:

| field        | meaning |
|--------------|---------|
| `file`       | of the repository's `data/` folder |
| `kernel`     | in mercer's text form |
| `as`         | `classes` (codes +1 and -1/(k-1)) or `numbers` (labels without their mean) |
| `likelihood` | l(d) for d = 1 to 20, the mean over the targets |
| `dimension`  | the d up to n/2 with the least l(d) |
| `noise`      | there: the share of flipped classes, or the mean square of the coefficients behind the cut |
| `left_out`   | d and the mean squared error over the points left out, each refitted by `lstsq`, summed over targets |

Kernels and sets are such that the first 20 eigenvalues differ and no leading part is smaller than the rest.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read  # noqa: E402

SETS = {"heart_scale": (0.01, 0.1, 1.0), "iris_scale": (0.1, 1.0), "wine_scale": (0.05, 0.5), "ripley": (0.5, 4.0)}
SHOWN = 20
LEFT_OUT = (1, 5, 20)


def likelihood(s: np.ndarray, d: int) -> float:
    """l(d) of one target's coefficients."""
    n, before, after = len(s), np.mean(s[:d] ** 2), np.mean(s[d:] ** 2)
    # Where the leading part is the smaller one the model has one variance.
    return float(np.log(np.mean(s**2)) if before < after else d / n * np.log(before) + (n - d) / n * np.log(after))


def left_out(u: np.ndarray, y: np.ndarray, d: int) -> float:
    """The mean squared error at points left out of least squares on the first d eigenvectors."""
    error = 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        w = np.linalg.lstsq(u[rest, :d], y[rest], rcond=None)[0]
        error += (y[i] - u[i, :d] @ w) ** 2
    return float(error / len(y))


def case(name: str, gamma: float, kind: str) -> dict:
    """One configuration."""
    x, labels = read(name)
    squares = ((x[:, None, :] - x[None, :, :]) ** 2).sum(2)
    values, u = np.linalg.eigh(np.exp(-gamma * squares))
    u = u[:, ::-1]
    names = list(dict.fromkeys(labels))
    if kind == "numbers":
        targets = [labels - labels.mean()]
    else:
        targets = [np.where(labels == c, 1.0, -1.0 / (len(names) - 1)) for c in names]
        targets = targets[:1] if len(names) == 2 else targets
    s = [u.T @ y for y in targets]
    # Down to the last eigenvalue that stands out from rounding.
    rank = int((values > len(x) * 2**-52 * values[-1]).sum())
    scores = [float(np.mean([likelihood(c, d) for c in s])) for d in range(1, min(len(x) // 2, rank) + 1)]
    dimension = int(np.argmin(scores)) + 1
    if kind == "numbers":
        noise = float(np.mean(s[0][dimension:] ** 2))
    else:
        smooth = np.array([u[:, :dimension] @ c[:dimension] for c in s])
        found = (smooth[0] < 0).astype(int) if len(smooth) == 1 else smooth.argmax(0)
        noise = float(np.mean(np.array([names[c] for c in found]) != labels))
    return {
        "file": f"{name}.libsvm.gz",
        "kernel": f"rbf(gamma={gamma})",
        "as": kind,
        "likelihood": scores[:SHOWN],
        "dimension": dimension,
        "noise": noise,
        "left_out": [[d, sum(left_out(u, y, d) for y in targets)] for d in LEFT_OUT],
    }


def main() -> None:
    """Writes the file."""
    cases = [case(name, g, kind) for name, gammas in SETS.items() for g in gammas for kind in ("classes", "numbers")]
    text = json.dumps({"numpy": version("numpy"), "cases": cases}, indent=1)
    (HERE / "answers.json").write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
