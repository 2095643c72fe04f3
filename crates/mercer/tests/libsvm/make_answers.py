"""LIBSVM's answers, stored: writes `answers.json` beside this file.

Run by `cargo xtask answers`, or by any Python that has the packages `libsvm-official`, `numpy` and `scipy`:

    python crates/mercer/tests/libsvm/make_answers.py

The data are the files of the repository's `data/` folder, so the tests that compare need nothing else.

`answers.json`
--------------
`{"libsvm": VERSION, "cases": [CASE, ...]}`. A CASE:

| field      | meaning |
|------------|---------|
| `name`     | unique name of the case |
| `train`    | `{"file", "first", "rows"}`: rows `first .. first + rows` (from 0) of `data/FILE` |
| `predict`  | the same, for the rows that are predicted |
| `features` | largest feature index in the whole files; a few features are zero in all training rows |
| `scale`    | `null`, or `[lower, upper]`: each feature v of both parts becomes `lower + (upper - lower) * (v - min) / (max - min)` in f64, min and max over the training rows (absent entries are 0); a constant feature becomes 0 |
| `options`  | the options of `svm-train`, without `-e` (table below) |
| `kernel`   | the same kernel in mercer's text form; for `-t 4` the kernel whose Gram matrix, computed in f64, was handed to LIBSVM |
| `precomputed` | true for `-t 4` |
| `c`        | C |
| `weights`  | `{label: w}`: C of that class is `w * c`; classes that are not named have w = 1 |
| `labels`   | the classes in LIBSVM's order: as they first appear in the training rows, except that -1, +1 are always put as [1, -1] |
| `runs`     | one RUN for each tolerance, 1e-3 (LIBSVM's default) and 1e-6 |

Pairs are listed in LIBSVM's order: (0, 1), (0, 2), ..., (1, 2), ... over `labels`. A RUN:

| field         | meaning |
|---------------|---------|
| `tolerance`   | `-e` |
| `printed`     | per pair, the `obj` that LIBSVM prints (6 decimals; its kernel values are rounded to f32) |
| `objective`   | per pair, (1/2) sum_ij b_i b_j k(x_i, x_j) - sum_i |b_i| in f64 from the returned coefficients b |
| `rho`         | per pair; the decision value is sum_i b_i k(x_i, x) - rho, positive for the first class of the pair |
| `bounded`     | per pair, the number of support vectors at their bound (`nBSV`) |
| `nsv`         | per class, in the order of `labels`, the number of support vectors |
| `total_nsv`   | support vectors of the model (a point counts once however many pairs use it) |
| `predictions` | predicted label of the first rows (at most 300) of `predict` |
| `correct`     | how many of *all* rows of `predict` get their own label |
| `decisions`   | for the first 20 rows of `predict`, the decision value of each pair, exact (shortest text that reads back to the same f64) |

Options: `-t 0` linear x'y; `-t 1` `poly(degree=D, gamma=G, coef0=R)`; `-t 2` `rbf(gamma=G)`; `-t 3`
`tanh(gamma=G, coef0=R)` (indefinite: the optimum need not be unique); `-t 4` precomputed; `-c C`; `-d D`; `-g G`;
`-r R`; `-wL W` weight W for label L. Everything else is LIBSVM's default.

How closely a solver can be held to these: `printed` and `objective` differ by up to 2e-5 (`glass-rbf`, where C is
large), the effect of LIBSVM's f32 kernel values; the two runs' objectives differ by up to 4e-5 (`mushrooms-rbf`),
that of the tolerance. Where points are repeated or the kernel has low rank (`mushrooms-*`, `*-linear`) the
coefficients, and so the number of support vectors, are not unique.
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
from libsvm import svm, svmutil

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[3] / "data"
TOLERANCES = (1e-3, 1e-6)
MAX_PREDICTIONS = 300
MAX_DECISION_ROWS = 20


@dataclass(frozen=True)
class Part:
    """Rows `first .. first + rows` of a file; `rows = None` takes all that follow."""

    file: str
    first: int = 0
    rows: int | None = None


@dataclass(frozen=True)
class Kernel:
    """A kernel of LIBSVM; `name` is mercer's, and `precomputed` hands LIBSVM the Gram matrix instead."""

    name: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3
    precomputed: bool = False

    def text(self) -> str:
        """mercer's text form."""
        match self.name:
            case "linear":
                return "linear"
            case "poly":
                return f"poly(degree={self.degree}, gamma={self.gamma!r}, coef0={self.coef0!r})"
            case "tanh":
                return f"tanh(gamma={self.gamma!r}, coef0={self.coef0!r})"
            case _:
                return f"{self.name}(gamma={self.gamma!r})"

    def options(self) -> str:
        """The options of `svm-train`."""
        if self.precomputed:
            return "-t 4"
        match self.name:
            case "linear":
                return "-t 0"
            case "poly":
                return f"-t 1 -d {self.degree} -g {self.gamma!r} -r {self.coef0!r}"
            case "rbf":
                return f"-t 2 -g {self.gamma!r}"
            case "tanh":
                return f"-t 3 -g {self.gamma!r} -r {self.coef0!r}"
            case _:
                raise ValueError(f"LIBSVM has no kernel {self.name}")

    def gram(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Kernel values of the rows of x (down) and y (across), in f64."""
        if self.name == "laplace":
            return np.exp(-self.gamma * np.abs(x[:, None, :] - y[None, :, :]).sum(axis=2))
        dots = x @ y.T
        match self.name:
            case "linear":
                return dots
            case "poly":
                return (self.gamma * dots + self.coef0) ** self.degree
            case "tanh":
                return np.tanh(self.gamma * dots + self.coef0)
            case _:
                squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None, :]
                return np.exp(-self.gamma * np.maximum(squares - 2 * dots, 0.0))


@dataclass(frozen=True)
class Case:
    """One training call and what is predicted with its model."""

    name: str
    train: Part
    predict: Part
    kernel: Kernel
    c: float
    scale: tuple[float, float] | None = None
    weights: dict[int, float] = field(default_factory=dict)


def cases() -> list[Case]:
    """The configurations: every kernel, binary and multiclass, weights, small and large C, unscaled features."""
    heart, iris, wine = Part("heart_scale.libsvm.gz"), Part("iris_scale.libsvm.gz"), Part("wine_scale.libsvm.gz")
    glass = Part("glass_scale.libsvm.gz")
    guide, guide_test = Part("svmguide1.libsvm.gz"), Part("svmguide1.t.libsvm.gz")
    vowel, vowel_test = Part("vowel.scale.libsvm.gz"), Part("vowel.scale.t.libsvm.gz")
    digits, digits_test = Part("digits8x8.libsvm.gz", 0, 600), Part("digits8x8.libsvm.gz", 600)
    mushrooms, mushrooms_test = Part("mushrooms.libsvm.gz", 0, 3000), Part("mushrooms.libsvm.gz", 3000)
    unit = (-1.0, 1.0)
    return [
        Case("heart-rbf-default", heart, heart, Kernel("rbf", gamma=1 / 13), 1.0),
        Case("heart-linear", heart, heart, Kernel("linear"), 0.1),
        Case("heart-poly", heart, heart, Kernel("poly", gamma=1 / 13, coef0=1.0, degree=3), 1.0),
        Case("heart-poly-homogeneous", heart, heart, Kernel("poly", gamma=0.25, coef0=0.0, degree=2), 2.0),
        Case("heart-tanh", heart, heart, Kernel("tanh", gamma=0.01, coef0=0.0), 1.0),
        Case("heart-rbf-weights", heart, heart, Kernel("rbf", gamma=0.1), 10.0, weights={1: 2.0, -1: 0.5}),
        Case("heart-rbf-narrow-large-c", heart, heart, Kernel("rbf", gamma=2.0), 1000.0),
        Case("heart-precomputed-linear", heart, heart, Kernel("linear", precomputed=True), 1.0),
        Case("heart-precomputed-laplace", heart, heart, Kernel("laplace", gamma=0.2, precomputed=True), 2.0),
        Case("svmguide1-raw-default", guide, guide_test, Kernel("rbf", gamma=0.25), 1.0),
        Case("svmguide1-raw-wide", guide, guide_test, Kernel("rbf", gamma=1e-4), 10.0),
        Case("svmguide1-scaled-rbf", guide, guide_test, Kernel("rbf", gamma=2.0), 2.0, unit),
        Case("svmguide1-scaled-linear", guide, guide_test, Kernel("linear"), 10.0, unit),
        Case("svmguide1-scaled-weights", guide, guide_test, Kernel("rbf", gamma=2.0), 2.0, unit, {0: 4.0}),
        Case("mushrooms-rbf", mushrooms, mushrooms_test, Kernel("rbf", gamma=1 / 112), 1.0),
        Case("mushrooms-linear", mushrooms, mushrooms_test, Kernel("linear"), 0.05),
        Case("iris-rbf", iris, iris, Kernel("rbf", gamma=0.25), 1.0),
        Case("iris-linear", iris, iris, Kernel("linear"), 100.0),
        Case("wine-rbf", wine, wine, Kernel("rbf", gamma=2.0**-10), 128.0),
        Case("wine-tanh", wine, wine, Kernel("tanh", gamma=0.02, coef0=0.0), 1.0),
        Case("wine-precomputed-poly", wine, wine, Kernel("poly", 0.1, 1.0, 2, precomputed=True), 0.5),
        Case("glass-rbf", glass, glass, Kernel("rbf", gamma=0.25), 2048.0),
        Case("glass-poly-weights", glass, glass, Kernel("poly", 0.5, 1.0, 2), 1.0, None, {1: 0.5, 3: 4.0, 6: 2.0}),
        Case("vowel-rbf", vowel, vowel_test, Kernel("rbf", gamma=1.0), 16.0),
        Case("digits-rbf", digits, digits_test, Kernel("rbf", gamma=0.001), 10.0),
    ]


def read(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Dense rows and labels of a part of a LIBSVM file; as many columns as the whole file's largest index."""
    labels, rows, columns = [], [], 0
    with gzip.open(DATA / part.file, "rt", encoding="ascii") as lines:
        for line in lines:
            label, *entries = line.split()
            row = {int(i): float(v) for i, v in (entry.split(":") for entry in entries)}
            labels.append(int(float(label)))
            rows.append(row)
            columns = max(columns, max(row, default=0))
    stop = len(rows) if part.rows is None else part.first + part.rows
    x = np.zeros((stop - part.first, columns))
    for i, row in enumerate(rows[part.first : stop]):
        for index, value in row.items():
            x[i, index - 1] = value
    return x, np.array(labels[part.first : stop])


def widened(x: np.ndarray, columns: int) -> np.ndarray:
    """x with zero columns added on the right."""
    return np.pad(x, ((0, 0), (0, columns - x.shape[1])))


def scaled(bounds: tuple[float, float], x: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
    """Features mapped to `bounds` by the ranges in x; a constant feature becomes 0."""
    lower, upper = bounds
    low, high = x.min(axis=0), x.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    varies = high > low
    return [np.where(varies, lower + (upper - lower) * (part - low) / width, 0.0) for part in (x, *others)]


class Log:
    """Collects what LIBSVM prints."""

    def __init__(self) -> None:
        self.text = ""
        self.function = svm.PRINT_STRING_FUN(self.add)

    def add(self, text: bytes) -> None:
        self.text += text.decode()

    def numbers(self, pattern: str) -> list[float]:
        """The numbers that follow `pattern`, in order."""
        return [float(value) for value in re.findall(pattern + r" = (-?[0-9.e+-]+)", self.text)]


def coefficients(model: svm.svm_model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Points and coefficients of each pair."""
    classes = model.get_nr_class()
    starts = np.concatenate([[0], np.cumsum([model.nSV[c] for c in range(classes)])])
    points = np.array(model.get_sv_indices()) - 1
    found = []
    for i in range(classes):
        for j in range(i + 1, classes):
            first, second = range(starts[i], starts[i + 1]), range(starts[j], starts[j + 1])
            beta = np.array([model.sv_coef[j - 1][s] for s in first] + [model.sv_coef[i][s] for s in second])
            found.append((points[[*first, *second]], beta))
    return found


def objectives(model: svm.svm_model, gram: np.ndarray) -> list[float]:
    """Dual objective of each pair, from the coefficients and the f64 Gram matrix of the training rows."""
    return [float(0.5 * beta @ gram[np.ix_(at, at)] @ beta - np.abs(beta).sum()) for at, beta in coefficients(model)]


def with_serial(gram: np.ndarray) -> np.ndarray:
    """LIBSVM's form of precomputed rows: the serial number from 1, then the kernel values."""
    return np.hstack([np.arange(1.0, len(gram) + 1)[:, None], gram])


def run(case: Case, tolerance: float, x: np.ndarray, y: np.ndarray, xt: np.ndarray, yt: np.ndarray) -> dict:
    """Trains and predicts once."""
    gram = case.kernel.gram(x, x)
    train, test = (with_serial(gram), with_serial(case.kernel.gram(xt, x))) if case.kernel.precomputed else (x, xt)
    log = Log()
    parameter = svm.svm_parameter(f"{options(case)} -e {tolerance!r}")
    parameter.print_func = log.function
    problem = svm.svm_problem(y.astype(float), train, isKernel=case.kernel.precomputed)
    model = svmutil.svm_train(problem, parameter)
    predictions, _, values = svmutil.svm_predict(yt.astype(float), test, model, "-q")
    pairs = model.get_nr_class() * (model.get_nr_class() - 1) // 2
    return {
        "tolerance": tolerance,
        "printed": log.numbers("obj"),
        "objective": objectives(model, gram),
        "rho": [model.rho[p] for p in range(pairs)],
        "bounded": [int(n) for n in log.numbers("nBSV")],
        "nsv": [model.nSV[c] for c in range(model.get_nr_class())],
        "total_nsv": model.l,
        "predictions": [int(label) for label in predictions[:MAX_PREDICTIONS]],
        "correct": int((np.array(predictions) == yt).sum()),
        "decisions": [list(row) for row in values[:MAX_DECISION_ROWS]],
        "labels": model.get_labels(),
    }


def options(case: Case) -> str:
    """The options of `svm-train`, without the tolerance."""
    weights = "".join(f" -w{label} {weight!r}" for label, weight in case.weights.items())
    return f"{case.kernel.options()} -c {case.c!r}{weights}"


def answer(case: Case) -> dict:
    """The stored object of one case."""
    (x, y), (xt, yt) = read(case.train), read(case.predict)
    features = max(x.shape[1], xt.shape[1])
    x, xt = widened(x, features), widened(xt, features)
    if case.scale:
        x, xt = scaled(case.scale, x, xt)
    runs = [run(case, tolerance, x, y, xt, yt) for tolerance in TOLERANCES]
    labels = [r.pop("labels") for r in runs][0]
    return {
        "name": case.name,
        "train": {"file": case.train.file, "first": case.train.first, "rows": len(x)},
        "predict": {"file": case.predict.file, "first": case.predict.first, "rows": len(xt)},
        "features": features,
        "scale": case.scale,
        "options": options(case),
        "kernel": case.kernel.text(),
        "precomputed": case.kernel.precomputed,
        "c": case.c,
        "weights": {str(label): weight for label, weight in case.weights.items()},
        "labels": labels,
        "runs": runs,
    }


def main() -> None:
    """Writes `answers.json`, one case a line."""
    answers = []
    for case in cases():
        stored = answer(case)
        answers.append(json.dumps(stored, separators=(",", ":")))
        loose, tight = stored["runs"]
        print(
            f"{case.name:28} {len(stored['labels']):2} classes  obj {sum(tight['objective']):14.6f}"
            f"  (1e-3: {sum(loose['objective']):14.6f})  SVs {tight['total_nsv']:5}"
            f"  correct {tight['correct']}/{stored['predict']['rows']}"
        )
    text = f'{{"libsvm":"{version("libsvm-official")}","cases":[\n' + ",\n".join(answers) + "\n]}\n"
    (HERE / "answers.json").write_text(text, encoding="ascii")
    print(f"{len(answers)} cases, {len(text) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
