"""The Fisher discriminant by the textbook, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/fisher/make_answers.py

`{"scikit-learn": VERSION, "scipy": VERSION, "cases": [CASE, ...]}`. A CASE:

| field     | meaning |
|-----------|---------|
| `by`      | `scipy` or `scikit-learn` |
| `file`    | of the repository's `data/` folder |
| `kernel`  | in mercer's text form |
| `mu`      | the regulariser |
| `ratios`  | rho of each axis, descending |
| `axes`    | the first 20 rows on the axes, row after row, each axis up to its sign |
| `classes` | scikit-learn only: the labels it predicts for all rows, with equal priors |

scipy: the kernel matrix is factored by its eigenvectors, K = PP', S_B and S_W are made of the rows of P as they are
written, and `eigh(S_B, S_B + S_W + mu I)` gives rho and w, scaled to w'(S_W + mu I)w = 1.
scikit-learn: `LinearDiscriminantAnalysis` on the points themselves, which has no regulariser; its axes are scaled to unit
scatter within classes over n.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read  # noqa: E402

ROWS = 20


def gram(x: np.ndarray, gamma: float) -> np.ndarray:
    """Gaussian kernel values."""
    return np.exp(-gamma * ((x[:, None, :] - x[None, :, :]) ** 2).sum(2))


def by_scipy(name: str, gamma: float, mu: float) -> dict:
    """A case by the definition."""
    x, y = read(name, lambda text: text.lstrip("+"))
    values, vectors = np.linalg.eigh(gram(x, gamma))
    kept = values > 1e-13 * values[-1]
    p = vectors[:, kept] * np.sqrt(values[kept])
    n, d = p.shape
    mean, between, within = p.mean(0), np.zeros((d, d)), np.zeros((d, d))
    for label in np.unique(y):
        part = p[y == label]
        own = part.mean(0)
        between += len(part) / n * np.outer(own - mean, own - mean)
        within += (part - own).T @ (part - own) / n
    within += mu * np.eye(d)
    axes = len(np.unique(y)) - 1
    rho, w = eigh(between, between + within, subset_by_index=[d - axes, d - 1])
    rho, w = rho[::-1], w[:, ::-1]
    w = w / np.sqrt(np.einsum("ij,ik,kj->j", w, within, w))
    places = (p - mean) @ w
    return {"by": "scipy", "file": f"{name}.libsvm.gz", "kernel": f"rbf(gamma={gamma!r})", "mu": mu,
            "ratios": rho.tolist(), "axes": places[:ROWS].ravel().tolist()}


def by_sklearn(name: str) -> dict:
    """A case with a linear kernel and hardly a regulariser."""
    x, y = read(name, lambda text: text.lstrip("+"))
    classes = np.unique(y)
    lda = LinearDiscriminantAnalysis(solver="eigen", priors=np.full(len(classes), 1 / len(classes)))
    predicted = lda.fit(x, y).predict(x)
    # Axes by the data's own priors, as the definition has it.
    places = LinearDiscriminantAnalysis(solver="svd").fit(x, y).transform(x)
    inside = sum(((places[y == label] - places[y == label].mean(0)) ** 2).sum(0) for label in classes)
    places = places / np.sqrt(inside / len(x))
    means = np.array([places[y == label].mean(0) for label in classes])
    share = np.array([(y == label).mean() for label in classes])
    # Of an axis with unit scatter within: between / (between + 1).
    between = (share[:, None] * means**2).sum(0)
    return {"by": "scikit-learn", "file": f"{name}.libsvm.gz", "kernel": "linear", "mu": 1e-12,
            "ratios": (between / (1 + between)).tolist(), "axes": places[:ROWS].ravel().tolist(),
            "classes": predicted.tolist()}


def main() -> None:
    """Writes the file."""
    cases = [by_scipy(*case) for case in (
        ("heart_scale", 0.05, 1e-3), ("heart_scale", 0.5, 1e-1),
        ("iris_scale", 0.5, 1e-4), ("wine_scale", 0.1, 1e-2), ("glass_scale", 2.0, 1e-3),
    )] + [by_sklearn("iris_scale"), by_sklearn("wine_scale")]
    found = {name: version(name) for name in ("scikit-learn", "scipy")} | {"cases": cases}
    (HERE / "answers.json").write_text(json.dumps(found) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
