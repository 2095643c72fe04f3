"""mercer's `linear-train` and `linear-predict` against LIBLINEAR. Run by `cargo xtask compat linear`.

For each data set and solver, with the same options for both and tight tolerances:

- `obj`: the objective of LIBLINEAR's model and of mercer's, both read by LIBLINEAR and evaluated here, agree to 1e-6 relative. Where
  LIBLINEAR ends at its limit of 300 passes (-s 3, -s 13) its objective may be the larger one: the cell then shows by how much. The gap
  that mercer proves is at most 1e-6 in any case;
- `own`: each program's predictions of the training rows with its own model are the same; not compared where LIBLINEAR's is not an optimum,
  nor, of one class, for rows on the plane;
- `theirs`: LIBLINEAR's model, read by mercer, predicts what it predicts in LIBLINEAR;
- `ours`: mercer's model, read by LIBLINEAR, predicts what it predicts in mercer.

Classes are "the same" when at least 99.9 % of the rows agree, and at most one differs of one model in two programs. Numbers are the
same when the largest difference is at most 0.1 % of their range for two models, and 1e-9 of it for one model in two programs.
Probabilities of one model (-s 0, -s 7) may differ in the last of their six digits.
"""

from __future__ import annotations

import gzip
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from liblinear.liblinearutil import load_model, predict, save_model, svm_read_problem, train
from place import MERCER, ROOT, SHARED, TARGET
from table import table

WORK = TARGET / "bench-compat-linear"
OBJECTIVE = 1e-6
SHARE = 1e-3
RANGE_TWO_MODELS = 1e-3
RANGE_ONE_MODEL = 1e-9
PROBABILITY = 2e-6
# Rows of one class this near to the plane, as a share of rho, may lie on either side of it.
BOUNDARY = 1e-4
CLASSES = (0, 1, 2, 3, 7)
NUMBERS = (11, 12, 13)
ONE = (21,)
# `-e` of LIBLINEAR, and of mercer for a gap of 1e-8 of the objective.
THEIR_TOLERANCE = {0: 1e-8, 1: 1e-6, 2: 1e-8, 3: 1e-6, 7: 1e-6, 11: 1e-10, 12: 1e-8, 13: 1e-8, 21: 1e-9}
OUR_TOLERANCE = {0: 1e-6, 1: 1e-5, 2: 1e-6, 3: 1e-5, 7: 1e-5, 11: 1e-8, 12: 1e-5, 13: 1e-5, 21: 1e-6}
# The solvers that LIBLINEAR does not bring to an end by Newton's method after 300 passes.
LIMITED = (3, 13)


@dataclass(frozen=True)
class Case:
    """A data set, how many of its rows, and the options besides `-s` and `-e`."""

    data: str
    solvers: tuple[int, ...]
    options: str = ""
    rows: int | None = None


CASES = (
    Case("heart_scale", CLASSES),
    Case("heart_scale", CLASSES, "-B 1 -c 4 -w1 2 -w-1 0.5"),
    Case("heart_scale", (0, 2), "-B 1 -R"),
    Case("iris_scale", CLASSES, "-B 1"),
    Case("glass_scale", CLASSES, "-B 0.5 -c 2 -w2 3"),
    Case("a9a", CLASSES, "-B 1", 5000),
    Case("abalone_scale", NUMBERS, "-B 1 -p 0.2"),
    Case("abalone_scale", (11,), "-B 1 -R"),
    Case("cadata", NUMBERS, "-B 1 -p 0.1", 3000),
    Case("heart_scale", ONE),
    Case("heart_scale", ONE, "-n 0.1"),
    Case("cadata", ONE, "-n 0.2", 3000),
    Case("a9a", ONE, "-n 0.3", 5000),
)


class Missing(Exception):
    """A data file is not there."""


def text(case: Case) -> Path:
    """A data set as plain text: from the repository, else from the full data sets. cadata has features of 10⁵ and targets of 10⁶:
    both are divided by their largest."""
    path = WORK / f"{case.data}.{case.rows or 'all'}"
    if path.exists():
        return path
    folders = (ROOT / "data", SHARED / "classification", SHARED / "regression")
    found = next((f / f"{case.data}.libsvm.gz" for f in folders if (f / f"{case.data}.libsvm.gz").exists()), None)
    if found is None:
        raise Missing(f"{case.data}.libsvm.gz")
    lines = gzip.decompress(found.read_bytes()).decode().splitlines()[: case.rows]
    if case.data == "cadata":
        lines = scaled(lines)
    path.write_text("\n".join(lines) + "\n")
    return path


def scaled(lines: list[str]) -> list[str]:
    """Rows with each feature and the target divided by its largest absolute value."""
    rows = [[float(line.split()[0]), *(float(cell.split(":")[1]) for cell in line.split()[1:])] for line in lines]
    values = np.array(rows) / np.abs(rows).max(axis=0)
    return [f"{row[0]!r} " + " ".join(f"{k}:{v!r}" for k, v in enumerate(row[1:], 1)) for row in values.tolist()]


def ours(program: str, *words) -> str:
    """What mercer's program prints; it must end well."""
    done = subprocess.run([str(word) for word in (MERCER, program, *words)], capture_output=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{program}: exit code {done.returncode}: {last}")
    return done.stdout.decode()


@dataclass(frozen=True)
class Problem:
    """What an objective is computed from."""

    solver: int
    x: np.ndarray
    y: np.ndarray
    options: list[str]

    def option(self, name: str, default: float) -> float:
        """The number behind an option."""
        return float(self.options[self.options.index(name) + 1]) if name in self.options else default

    def loss(self, y: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """What each row costs."""
        if self.solver in (0, 7):
            return np.logaddexp(0, -y * outputs)
        if self.solver in CLASSES:
            error = np.maximum(0, 1 - y * outputs)
        else:
            error = np.maximum(0, np.abs(y - outputs) - self.option("-p", 0.1))
        return error if self.solver in LIMITED else error**2

    def objective(self, model) -> float:
        """The sum of the objectives of all functions of a model."""
        bias, width = self.option("-B", -1), model.nr_feature
        if self.solver in ONE:
            weights, total = np.array(model.w[:width]), self.option("-n", 0.5) * len(self.y)
            outside = np.maximum(0, model.rho - self.x @ weights[: self.x.shape[1]]).sum()
            return 0.5 * float((weights**2).sum()) - total * model.rho + float(outside)
        rows = width + (bias >= 0)
        x = np.zeros((len(self.y), rows))
        x[:, : self.x.shape[1]] = self.x
        if bias >= 0:
            x[:, width] = bias
        labels = model.get_labels() if self.solver in CLASSES else []
        functions = 1 if len(labels) < 3 else len(labels)
        weights = np.array(model.w[: rows * functions]).reshape(rows, functions)
        penalised = weights[:width] if "-R" in self.options else weights
        total = 0.5 * float((penalised**2).sum())
        price = self.option("-c", 1)
        for function in range(functions):
            y, prices = self.y, np.full(len(self.y), price)
            if labels:
                y = np.where(self.y == labels[function], 1.0, -1.0)
                for label in labels if functions == 1 else [labels[function]]:
                    prices[self.y == label] *= self.option(f"-w{label}", 1)
            total += float((prices * self.loss(y, x @ weights[:, function])).sum())
        return total


def matrix(rows: list[dict[int, float]]) -> np.ndarray:
    """Rows as a matrix."""
    x = np.zeros((len(rows), max(max(row, default=1) for row in rows)))
    for i, row in enumerate(rows):
        for k, value in row.items():
            x[i, k - 1] = value
    return x


def cells(path: Path) -> np.ndarray:
    """Predictions and the probabilities beside them."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("labels")]
    return np.array([[float(cell) for cell in line.split()] for line in lines])


def agreement(a: np.ndarray, b: np.ndarray, regression: bool, one_model: bool) -> tuple[bool, str]:
    """Whether two lists of predictions are the same in the sense above, and how far in words."""
    if regression:
        worst = float(np.abs(a - b).max() / (a.max() - a.min()))
        return worst <= (RANGE_ONE_MODEL if one_model else RANGE_TWO_MODELS), f"{worst:.0e}"
    wrong = int((a != b).sum())
    return wrong <= (1 if one_model else max(1, SHARE * len(a))), f"{100 * (1 - wrong / len(a)):.2f} %"


def check(case: Case, solver: int) -> list[tuple[bool | None, str]]:
    """The four checks of a data set and a solver; None is not compared."""
    data, options = text(case), shlex.split(case.options)
    y, rows = svm_read_problem(str(data))
    problem = Problem(solver, matrix(rows), np.array(y), options)
    their_file, our_file, out = WORK / "liblinear.model", WORK / "mercer.model", WORK / "out"
    theirs = train(y, rows, f"-q -s {solver} -e {THEIR_TOLERANCE[solver]} {case.options}")
    save_model(str(their_file), theirs)
    told = ours("linear-train", "-s", solver, "-e", OUR_TOLERANCE[solver], *options, data, our_file)
    proved = max(float(gap) for gap in re.findall(r"gap = (\S+)", told)) <= OBJECTIVE
    mine = load_model(str(our_file))
    if mine is None:
        raise RuntimeError("LIBLINEAR does not read the model")
    expected, found = problem.objective(theirs), problem.objective(mine)
    difference = (found - expected) / abs(expected)
    same, limited = abs(difference) <= OBJECTIVE, solver in LIMITED and difference < -OBJECTIVE
    results = [(proved and (same or limited), f"{difference:+.0e}")]
    logistic, regression = solver in (0, 7), solver in NUMBERS
    switch = ["-b", "1"] if logistic else []
    predicted = {}
    for name, file, model in (("theirs", their_file, theirs), ("ours", our_file, mine)):
        labels, _, values = predict(y, rows, model, f"-q {' '.join(switch)}")
        ours("linear-predict", "-q", *switch, data, file, out)
        predicted[name] = (np.array(labels), np.array(values), cells(out))
    own, other = predicted["theirs"][0], predicted["ours"][2][:, 0]
    if solver in ONE:
        # Support vectors lie on the plane, to rounding on either side.
        inner = np.abs(predicted["theirs"][1][:, 0]) > BOUNDARY * abs(theirs.rho)
        own, other = own[inner], other[inner]
    good, words = agreement(own, other, regression, False)
    results.append((None, f"({words})") if limited else (good, words))
    for name in ("theirs", "ours"):
        labels, values, table_of_ours = predicted[name]
        keep = np.abs(values[:, 0]) > BOUNDARY * abs(theirs.rho) if solver in ONE else np.full(len(labels), True)
        good, words = agreement(labels[keep], table_of_ours[keep, 0], regression, True)
        if logistic:
            far = float(np.abs(values - table_of_ours[:, 1:]).max())
            good, words = good and far <= PROBABILITY, f"{words}, p {far:.0e}"
        results.append((good, words))
    return results


def main() -> int:
    """Runs all checks and prints a table; 1 if one failed."""
    WORK.mkdir(parents=True, exist_ok=True)
    rows, passed, failed, skipped = [], 0, 0, 0
    for case in CASES:
        for solver in case.solvers:
            name = [case.data, f"-s {solver} {case.options}".strip()]
            try:
                results = check(case, solver)
                passed += sum(good is True for good, _ in results)
                failed += sum(good is False for good, _ in results)
                found = [f"{words} FAILED" if good is False else words for good, words in results]
            except Missing as missing:
                skipped += 4
                found = [f"skipped: {missing} not found", "", "", ""]
            except RuntimeError as problem:
                failed += 4
                found = [f"FAILED: {problem}", "", "", ""]
            rows.append([*name, *found])
            print(f"    {' '.join(name)}: {', '.join(cell for cell in found if cell)}", flush=True)
    print(f"\n{table(['linear-train, linear-predict', 'options', 'obj', 'own', 'theirs', 'ours'], rows)}\n")
    print(f"compat: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
