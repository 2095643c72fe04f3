"""LIBSVM's answers for the machines that are not C-SVC, stored: writes `family.json` beside this file.

    python crates/mercer/tests/libsvm/make_family.py

`{"libsvm": VERSION, "cases": [CASE, ...]}`. A CASE:

| field      | meaning |
|------------|---------|
| `machine`  | `one-class`, `epsilon-svr` or `nu-svr` |
| `file`     | of the repository's `data/` folder; its labels are the targets of the regressions |
| `kernel`   | in mercer's text form |
| `c`, `nu`, `epsilon` | the parameters, as far as the machine has them |
| `nsv`      | support vectors at `-e 1e-6` |
| `rho`      | f is sum b k - rho |
| `values`   | f at the first 20 rows, in f64 |
| `objective` | in f64 from the returned coefficients: 1/2 b'Kb, and for the regressions - y'b (+ epsilon |b|) |
| `loose`    | the same objective at `-e 1e-3`, to show what the tolerance does |
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from libsvm import svm, svmutil

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read, squares  # noqa: E402

MACHINES = {"one-class": 2, "epsilon-svr": 3, "nu-svr": 4}
KERNELS = {
    "rbf": lambda g: (f"-t 2 -g {g!r}", f"rbf(gamma={g!r})", lambda x, y: np.exp(-g * squares(x, y))),
    "linear": lambda g: ("-t 0", "linear", lambda x, y: x @ y.T),
    "poly": lambda g: (f"-t 1 -d 2 -g {g!r} -r 1.0", f"poly(degree=2, gamma={g!r}, coef0=1)", lambda x, y: (g * (x @ y.T) + 1) ** 2),
    "tanh": lambda g: (f"-t 3 -g {g!r} -r 0.0", f"tanh(gamma={g!r}, coef0=0)", lambda x, y: np.tanh(g * (x @ y.T))),
}
SETS = {"heart_scale": 0.08, "iris_scale": 0.25, "glass_scale": 0.5, "wine_scale": 0.1, "vowel.scale": 0.5, "svmguide1": 1e-4, "banana": 1.0, "ripley": 4.0}
ROWS = 20


def fit(x, y, options):
    """A model of LIBSVM and its parts; its support vectors are rows of the problem, which must live as long."""
    problem = svm.svm_problem(y, x)
    model = svmutil.svm_train(problem, svm.svm_parameter(options + " -q -m 500"))
    support = np.array(model.get_sv_indices(), dtype=int) - 1
    return problem, model, support, np.array(model.sv_coef[0][: model.l])


def objective(machine, b, support, gram, y, epsilon):
    """The objective at coefficients b of the support vectors."""
    value = 0.5 * b @ gram[np.ix_(support, support)] @ b
    if machine.endswith("svr"):
        value -= y[support] @ b
    return float(value + (epsilon or 0.0) * np.abs(b).sum())


def main() -> None:
    """Writes the file."""
    cases = []
    for name, gamma in SETS.items():
        x, y = read(name)
        for kernel in ("rbf",) if name in ("svmguide1", "banana", "vowel.scale") else tuple(KERNELS):
            text, ours, function = KERNELS[kernel](gamma)
            gram = function(x, x)
            for machine, number in MACHINES.items():
                if kernel == "tanh" and machine != "epsilon-svr":
                    continue
                settings = {
                    "one-class": [{"nu": 0.1}, {"nu": 0.5}],
                    "epsilon-svr": [{"c": 1.0, "epsilon": 0.1}, {"c": 10.0, "epsilon": 0.5}],
                    "nu-svr": [{"c": 1.0, "nu": 0.5}, {"c": 10.0, "nu": 0.2}],
                }[machine]
                if kernel == "tanh":
                    settings = settings[:1]
                for setting in settings:
                    words = [f"-s {number}", text]
                    words += [f"-c {setting['c']!r}"] if "c" in setting else []
                    words += [f"-n {setting['nu']!r}"] if "nu" in setting else []
                    words += [f"-p {setting['epsilon']!r}"] if "epsilon" in setting else []
                    _, model, support, dual = fit(x, y, " ".join(words) + " -e 1e-6")
                    epsilon = setting.get("epsilon")
                    rho = model.rho[0]
                    values = gram[:ROWS, support] @ dual - rho
                    *_, loose_support, loose = fit(x, y, " ".join(words) + " -e 1e-3")
                    cases.append(
                        {
                            "machine": machine,
                            "file": f"{name}.libsvm.gz",
                            "kernel": ours,
                            **setting,
                            "nsv": int(model.l),
                            "rho": rho,
                            "values": values.tolist(),
                            "objective": objective(machine, dual, support, gram, y, epsilon),
                            "loose": objective(machine, loose, loose_support, gram, y, epsilon),
                        }
                    )
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    text = f'{{"libsvm":"{version("libsvm-official")}","cases":[\n{lines}\n]}}\n'
    (HERE / "family.json").write_text(text)
    print(len(cases), "cases,", len(text), "bytes")


if __name__ == "__main__":
    main()
