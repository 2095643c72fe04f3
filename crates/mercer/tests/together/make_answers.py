"""Peers' answers for the machines of all classes together, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/together/make_answers.py

`{"scikit-learn": VERSION, "scipy": VERSION, "cases": [CASE, ...]}`. A CASE:

| field       | meaning |
|-------------|---------|
| `loss`      | `crammer-singer`, `weston-watkins` or `softmax` |
| `file`      | of the repository's `data/` folder |
| `kernel`    | in mercer's text form |
| `c`         | C |
| `classes`   | the labels, in the order of the scores |
| `objective` | of the primal, 1/2 sum |w_c|^2 + C sum loss, in f64 |
| `scores`    | F at the first 10 rows, row after row |

A kernel matrix is factored, K = PP', and a linear machine is fitted to the rows of P, without a bias: LIBLINEAR's `-s 4`
(`LinearSVC(multi_class="crammer_singer")`) and scikit-learn's multinomial logistic regression. Weston and Watkins' dual is
a quadratic programme in a box: scipy's L-BFGS-B; a case is refused whose primal and dual differ by more than 1e-6.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read, squares  # noqa: E402

SETS = {"iris_scale": 0.25, "wine_scale": 0.1, "glass_scale": 0.5}
PRICES = (1.0, 10.0)
ROWS = 10


def features(gram: np.ndarray) -> np.ndarray:
    """P with PP' = K."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13 * values.max()
    return vectors[:, kept] * np.sqrt(values[kept])


def losses(loss: str, f: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The loss of each point whose scores are a row of f."""
    own = f[np.arange(len(y)), y]
    if loss == "softmax":
        return logsumexp(f, axis=1) - own
    hinges = np.maximum(1 + f - own[:, None], 0)
    hinges[np.arange(len(y)), y] = 0
    return hinges.max(1) if loss == "crammer-singer" else hinges.sum(1)


def linear_machine(loss: str, p: np.ndarray, y: np.ndarray, c: float) -> np.ndarray:
    """The weights of each class."""
    if loss == "crammer-singer":
        machine = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=1e-9, max_iter=10_000_000)
    else:
        machine = LogisticRegression(C=c, fit_intercept=False, solver="newton-cg", tol=1e-9, max_iter=100_000)
    return machine.fit(p, y).coef_


def box_machine(p: np.ndarray, y: np.ndarray, c: float, classes: int) -> np.ndarray:
    """Weston and Watkins' weights, from their dual."""
    n, points = len(y), np.arange(len(y))
    other = np.array([[m for m in range(classes) if m != own] for own in y])

    def weights(a: np.ndarray) -> np.ndarray:
        beta = np.zeros((n, classes))
        np.put_along_axis(beta, other, -a.reshape(n, -1), axis=1)
        beta[points, y] = -beta.sum(1)
        return beta.T @ p

    def dual(a: np.ndarray) -> tuple[float, np.ndarray]:
        w = weights(a)
        f = p @ w.T
        slope = f[points, y][:, None] - np.take_along_axis(f, other, axis=1) - 1
        return 0.5 * (w**2).sum() - a.sum(), slope.ravel()

    a = np.zeros(other.size)
    for _ in range(20):
        options = {"maxiter": 100_000, "maxfun": 1_000_000, "maxcor": 50, "ftol": 0.0, "gtol": 1e-10}
        a = minimize(dual, a, jac=True, method="L-BFGS-B", bounds=[(0, c)] * a.size, options=options).x
    w = weights(a)
    primal = 0.5 * (w**2).sum() + c * losses("weston-watkins", p @ w.T, y).sum()
    assert abs(primal + dual(a)[0]) < 1e-6 * primal, (primal, dual(a)[0])
    return w


def main() -> None:
    """Writes the file."""
    cases = []
    for name, gamma in SETS.items():
        x, labels = read(name)
        names, y = np.unique(labels, return_inverse=True)
        kernels = {"linear": x @ x.T, f"rbf(gamma={gamma!r})": np.exp(-gamma * squares(x, x))}
        for kernel, gram in kernels.items():
            p = x if kernel == "linear" else features(gram)
            for loss in ("crammer-singer", "weston-watkins", "softmax"):
                for c in PRICES:
                    if loss == "weston-watkins":
                        w = box_machine(p, y, c, len(names))
                    else:
                        w = linear_machine(loss, p, y, c)
                    f = p @ w.T
                    cases.append(
                        {
                            "loss": loss,
                            "file": f"{name}.libsvm.gz",
                            "kernel": kernel,
                            "c": c,
                            "classes": names.tolist(),
                            "objective": float(0.5 * (w**2).sum() + c * losses(loss, f, y).sum()),
                            "scores": f[:ROWS].ravel().tolist(),
                        }
                    )
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    versions = f'"scikit-learn":"{version("scikit-learn")}","scipy":"{version("scipy")}"'
    text = f'{{{versions},"cases":[\n{lines}\n]}}\n'
    (HERE / "answers.json").write_text(text)
    print(len(cases), "cases,", len(text), "bytes")


if __name__ == "__main__":
    main()
