"""LIBSVM's answers for nu-SVC, stored: writes `nu.json` beside this file.

Run by `cargo xtask answers` after `make_answers.py`, whose data, kernels and pairs it uses, or by the same Python:

    python crates/mercer/tests/libsvm/make_nu.py

`{"libsvm": VERSION, "cases": [CASE, ...], "left_out": [{"name", "reason"}, ...]}`. A CASE has the fields `name`, `train`,
`predict`, `features`, `kernel` and `labels` of `make_answers.py`, and

| field         | meaning |
|---------------|---------|
| `nu`          | nu |
| `objective`   | per pair, (1/2) b'Kb in f64 from the returned coefficients b, which LIBSVM has divided by the margin rho |
| `c`           | per pair, 1/rho as LIBSVM prints it: the C of the C-SVC with the same function |
| `total_nsv`   | support vectors of the model |
| `predictions` | predicted label of the first rows (at most 1000) of `predict` |
| `near`        | per prediction, the smallest size of a decision of its pairs |
| `decisions`   | for the first 10 rows of `predict`, the decision value of each pair in f64 |

All at `-e 1e-6`: what the tolerance leaves is divided by rho, in the objective by its square.

Left out, and listed with their reason, are settings that LIBSVM refuses (nu above what the sizes of the classes allow) and
those where 1/rho of a pair is above 1000 or negative. There the optimum is the function 0, rho = 0, and what either program
divides by rho is rounding: no answer is the right one.
"""

from __future__ import annotations

import ctypes
import json
from importlib.metadata import version

import numpy as np
from libsvm import svm, svmutil
from make_answers import HERE, Kernel, Log, Part, coefficients, read, scaled, widened

PREDICTIONS, DECISIONS = 1000, 10
NO_MARGIN = 1e3
SETS = {
    "heart": (Part("heart_scale.libsvm.gz"), Part("heart_scale.libsvm.gz"), 0.1),
    "ripley": (Part("ripley.libsvm.gz"), Part("ripley.t.libsvm.gz"), 4.0),
    "banana": (Part("banana.libsvm.gz", 0, 800), Part("banana.libsvm.gz", 800), 1.0),
    "svmguide1": (Part("svmguide1.libsvm.gz"), Part("svmguide1.t.libsvm.gz", 1500), 2.0),
    "mushrooms": (Part("mushrooms.libsvm.gz", 0, 800), Part("mushrooms.libsvm.gz", 800), 0.02),
    "iris": (Part("iris_scale.libsvm.gz"), Part("iris_scale.libsvm.gz"), 0.25),
    "wine": (Part("wine_scale.libsvm.gz"), Part("wine_scale.libsvm.gz"), 0.1),
    "glass": (Part("glass_scale.libsvm.gz"), Part("glass_scale.libsvm.gz"), 0.5),
    "vowel": (Part("vowel.scale.libsvm.gz"), Part("vowel.scale.t.libsvm.gz"), 0.5),
    "digits": (Part("digits8x8.libsvm.gz", 0, 600), Part("digits8x8.libsvm.gz", 600), 0.001),
}
# Features as they come differ by orders of magnitude.
SCALED = ("svmguide1",)
# Two features and curved boundaries, or thousands of points: the other kernels have no margin, or take LIBSVM long.
ONLY_RBF = ("banana", "svmguide1")
SHARES = (0.05, 0.2, 0.5)


def kernels(name: str) -> list[Kernel]:
    """The kernels of a set."""
    gamma = SETS[name][2]
    rest = [Kernel("linear"), Kernel("poly", gamma=gamma, coef0=1.0, degree=2)]
    return [Kernel("rbf", gamma=gamma), *([] if name in ONLY_RBF else rest)]


def predicted(model: svm.svm_model, rows: np.ndarray) -> list[int]:
    """Labels. (The module's own `svm_predict` has room for one decision only where nu-SVC has many.)"""
    classes = model.get_nr_class()
    room = (ctypes.c_double * (classes * (classes - 1) // 2))()
    return [int(svm.libsvm.svm_predict_values(model, svm.gen_svm_nodearray(row)[0], room)) for row in rows]


def answer(name: str, kernel: Kernel, nu: float) -> dict | str:
    """The stored object of one case, or why it is left out."""
    train, predict, _ = SETS[name]
    (x, y), (xt, _) = read(train), read(predict)
    features = max(x.shape[1], xt.shape[1])
    x, xt = widened(x, features), widened(xt, features)
    if name in SCALED:
        x, xt = scaled((-1.0, 1.0), x, xt)
    rows = len(xt)
    xt = xt[:PREDICTIONS]
    sizes = np.unique(y, return_counts=True)[1]
    if nu > 2 * sizes.min() / (sizes.min() + sizes.max()):
        return "nu is above what the sizes of the classes allow"
    log = Log()
    parameter = svm.svm_parameter(f"-s 1 -n {nu!r} {kernel.options()} -e 1e-6 -m 500")
    parameter.print_func = log.function
    problem = svm.svm_problem(y.astype(float), x)
    model = svmutil.svm_train(problem, parameter)
    c = log.numbers("\nC")
    if any(not 0 < value < NO_MARGIN for value in c):
        return f"no margin: 1/rho of a pair is {max(c, key=lambda v: v if v > 0 else np.inf)!r}"
    gram, test = kernel.gram(x, x), kernel.gram(xt, x)
    pairs = coefficients(model)
    decisions = np.array([test[:, points] @ beta - model.rho[p] for p, (points, beta) in enumerate(pairs)]).T
    return {
        "name": f"{name}-{kernel.name}-{nu}",
        "train": {"file": train.file, "first": train.first, "rows": len(x)},
        "predict": {"file": predict.file, "first": predict.first, "rows": rows},
        "features": features,
        "scale": (-1.0, 1.0) if name in SCALED else None,
        "kernel": kernel.text(),
        "nu": nu,
        "labels": model.get_labels(),
        "objective": [float(0.5 * beta @ gram[np.ix_(points, points)] @ beta) for points, beta in pairs],
        "c": c,
        "total_nsv": model.l,
        "predictions": predicted(model, xt),
        "near": [float(f"{value:.3g}") for value in np.abs(decisions).min(axis=1)],
        "decisions": decisions[:DECISIONS].tolist(),
    }


def main() -> None:
    """Writes `nu.json`, one case a line."""
    cases, left_out = [], []
    for name in SETS:
        for kernel in kernels(name):
            for nu in SHARES:
                found = answer(name, kernel, nu)
                if isinstance(found, str):
                    left_out.append({"name": f"{name}-{kernel.name}-{nu}", "reason": found})
                    print(f"{left_out[-1]['name']:24} left out: {found}", flush=True)
                else:
                    cases.append(json.dumps(found, separators=(",", ":")))
                    print(f"{found['name']:24} largest 1/rho {max(found['c']):.3g}  SVs {found['total_nsv']}", flush=True)
    left = ",\n".join(json.dumps(case, separators=(",", ":")) for case in left_out)
    head = f'{{"libsvm":"{version("libsvm-official")}","cases":[\n'
    text = head + ",\n".join(cases) + f'\n],"left_out":[\n{left}\n]}}\n'
    (HERE / "nu.json").write_text(text, encoding="ascii")
    print(f"{len(cases)} cases, {len(left_out)} left out, {len(text) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
