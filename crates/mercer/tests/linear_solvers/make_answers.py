"""LIBLINEAR's answers, stored: writes `answers.json` beside this file.

Run by any Python that has the packages `liblinear-official`, `numpy` and `scipy`:

    python crates/mercer/tests/linear_solvers/make_answers.py

`{"liblinear": VERSION, "cases": [CASE, ...]}`. A CASE:

| field       | meaning |
|-------------|---------|
| `file`      | the data: `data/FILE.libsvm.gz` |
| `solver`    | LIBLINEAR's `-s`: 4 Crammer-Singer, 5 squared hinge and 6 logistic with a penalty on absolute values, 21 one class |
| `c`         | C, or nu for `-s 21` |
| `bias`      | `-B`: the constant feature; -1 for none |
| `objective` | the primal objective in f64 from the weights that LIBLINEAR returns at `-e 1e-8`: one number for `-s 4` and 21, else one for each function, in the order of the classes as they first appear (of two classes one number) |

The one-class objective is (1/2) w'w - rho + 1/(nu n) sum max(0, rho - w'x): LIBLINEAR's w and rho are divided by nu n for it.
Where LIBLINEAR ends at its limit of iterations, its objective is above the optimum, for `-s 5` and C = 10 by up to 11 %: it is given
as it is.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from liblinear.liblinearutil import parameter, problem, train
from scipy import sparse

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read  # noqa: E402

FILES = ("heart_scale", "iris_scale", "glass_scale", "wine_scale", "vowel.scale")
EPSILON = 1e-8
# C, or nu, for each solver.
PRICES = {4: (0.1, 1.0), 5: (0.1, 1.0, 10.0), 6: (0.1, 1.0, 10.0), 21: (0.1, 0.5)}


def weights(model, features: int, bias: float) -> np.ndarray:
    """The weights of LIBLINEAR's model: a row for each feature, a column for each function."""
    rows = features + (bias >= 0)
    functions = 1 if model.nr_class == 2 and model.param.solver_type != 4 else model.nr_class
    functions = 1 if model.param.solver_type == 21 else functions
    return np.array([model.w[k] for k in range(rows * functions)]).reshape(rows, functions)


def answers(name: str, solver: int, c: float, bias: float) -> dict:
    x, y = read(name)
    n, features = x.shape
    option = f"-n {c}" if solver == 21 else f"-c {c}"
    options = f"-s {solver} {option} -B {bias} -e {EPSILON} -q"
    model = train(problem(y, sparse.csr_matrix(x), bias=bias), parameter(options))
    w = weights(model, features, bias)
    full = np.hstack([x, np.full((n, 1), bias)]) if bias >= 0 else x
    if solver == 21:
        w, rho = w[:, 0] / (c * n), model.rho / (c * n)
        objective = 0.5 * w @ w - rho + np.maximum(0, rho - full @ w).sum() / (c * n)
        return dict(file=name, solver=solver, c=c, bias=bias, objective=[objective])
    labels = [model.label[k] for k in range(model.nr_class)]
    outputs = full @ w
    if solver == 4:
        own = np.array([labels.index(int(label)) for label in y])
        margins = outputs + 1
        margins[np.arange(n), own] -= 1
        cost = margins.max(1) - outputs[np.arange(n), own]
        objective = [0.5 * (w**2).sum() + c * cost.sum()]
    else:
        first_seen = list(dict.fromkeys(int(label) for label in y))
        by_class = {}
        for k in range(w.shape[1]):
            margin = np.where(y == labels[k], 1, -1) * outputs[:, k]
            cost = np.maximum(0, 1 - margin) ** 2 if solver == 5 else np.logaddexp(0, -margin)
            by_class[labels[k]] = np.abs(w[:, k]).sum() + c * cost.sum()
        objective = [by_class[label] for label in first_seen if label in by_class]
    return dict(file=name, solver=solver, c=c, bias=bias, objective=objective)


def main() -> None:
    cases = [
        answers(name, solver, c, bias)
        for name in FILES
        for solver in PRICES
        for c in PRICES[solver]
        for bias in ((-1.0,) if solver == 21 else (-1.0, 1.0))
    ]
    text = json.dumps({"liblinear": version("liblinear-official"), "cases": cases}, indent=1)
    (HERE / "answers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
