"""Canonical correlations by peers and by the textbook, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/cca/make_answers.py

`{"scikit-learn": VERSION, "scipy": VERSION, "cases": [CASE, ...]}`. A CASE:

| field          | meaning |
|----------------|---------|
| `by`           | `scikit-learn` or `scipy` |
| `file`         | of the repository's `data/` folder |
| `split`        | features before this one are the first view, the others the second |
| `first`, `second` | the kernels in mercer's text form |
| `kappa`        | the regulariser, over n |
| `values`       | rho of the first components |
| `correlations` | of their scores on all rows |
| `scores`       | those of the first view at the first 20 rows, row after row, each component up to its sign |

scikit-learn: `CCA(scale=False)`, by power iteration to 1e-14; its scores have unit covariance up to a factor, which is
divided out: the scores stored have variance 1. scipy: `eig` of the matrix
(K_x + n kappa I)^-1 K_y (K_y + n kappa I)^-1 K_x of centred kernel matrices, as Hardoon et al. write it; scores K_x alpha
scaled so that alpha'(K_x^2 + n kappa K_x) alpha = n.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.linalg import eig, solve
from sklearn.cross_decomposition import CCA

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read  # noqa: E402

ROWS = 20


def correlations(f: np.ndarray, g: np.ndarray) -> list[float]:
    """Of the columns."""
    return [float(np.corrcoef(f[:, k], g[:, k])[0, 1]) for k in range(f.shape[1])]


def by_sklearn(name: str, split: int, components: int) -> dict:
    """Hotelling's analysis."""
    x, _ = read(name)
    cca = CCA(n_components=components, scale=False, max_iter=100_000, tol=1e-14)
    f, g = cca.fit_transform(x[:, :split], x[:, split:])
    found = correlations(f, g)
    f = f / f.std(0)
    return {"by": "scikit-learn", "file": f"{name}.libsvm.gz", "split": split, "first": "linear", "second": "linear",
            "kappa": 1e-10, "values": found, "correlations": found, "scores": f[:ROWS].ravel().tolist()}


def centred(kernel: str, x: np.ndarray) -> np.ndarray:
    """The centred kernel matrix of `linear` or `rbf(gamma=...)`."""
    if kernel == "linear":
        gram = x @ x.T
    else:
        gamma = float(kernel.removeprefix("rbf(gamma=").removesuffix(")"))
        gram = np.exp(-gamma * ((x[:, None, :] - x[None, :, :]) ** 2).sum(2))
    h = np.eye(len(x)) - 1 / len(x)
    return h @ gram @ h


def by_scipy(name: str, split: int, first: str, second: str, kappa: float, components: int) -> dict:
    """Hardoon's equation."""
    x, _ = read(name)
    n = len(x)
    kx, ky = centred(first, x[:, :split]), centred(second, x[:, split:])
    penalty = n * kappa * np.eye(n)
    squares, vectors = eig(solve(kx + penalty, ky @ solve(ky + penalty, kx)))
    order = np.argsort(-squares.real)[:components]
    rho, alpha = np.sqrt(squares.real[order]), vectors.real[:, order]
    beta = solve(ky + penalty, kx @ alpha) / rho
    alpha = alpha * np.sqrt(n / np.einsum("ij,ik,kj->j", alpha, kx @ kx + n * kappa * kx, alpha))
    f, g = kx @ alpha, ky @ beta
    return {"by": "scipy", "file": f"{name}.libsvm.gz", "split": split, "first": first, "second": second,
            "kappa": kappa, "values": rho.tolist(), "correlations": correlations(f, g),
            "scores": f[:ROWS].ravel().tolist()}


def main() -> None:
    """Writes the file."""
    cases = [
        by_sklearn("wine_scale", 6, 3),
        by_sklearn("heart_scale", 5, 2),
        by_scipy("wine_scale", 6, "rbf(gamma=0.2)", "rbf(gamma=0.1)", 0.02, 4),
        by_scipy("wine_scale", 6, "linear", "rbf(gamma=0.5)", 0.1, 3),
        by_scipy("heart_scale", 5, "rbf(gamma=0.1)", "linear", 0.01, 3),
    ]
    found = {name: version(name) for name in ("scikit-learn", "scipy")} | {"cases": cases}
    (HERE / "answers.json").write_text(json.dumps(found) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
