"""mercer's `linear-train` and `linear-predict` against LIBLINEAR. Run by `cargo xtask compat linear`, or for some data sets alone by
`cargo xtask compat linear NAME…`.

For each data set and solver, with the same options for both and tight tolerances:

- `obj`: the objective of LIBLINEAR's model and of mercer's, both read by LIBLINEAR and evaluated here in double precision, differ by at most
  1e-6 relative. Where LIBLINEAR says that it ended at its limit of iterations its objective may be the larger one: the cell then has a
  `<` and shows by how much. The gap that mercer proves is at most 1e-6 in any case;
- `own`: each program's predictions of the training rows with its own model are the same; not compared where LIBLINEAR's is not an optimum,
  nor, of one class, for rows on the plane;
- `theirs`: LIBLINEAR's model, read by mercer, predicts what it predicts in LIBLINEAR;
- `ours`: mercer's model, read by LIBLINEAR, predicts what it predicts in mercer.

Classes are "the same" when at least 99.9 % of the rows agree, and at most one differs of one model in two programs. Numbers are the
same when the largest difference is at most 0.1 % of their range for two models, and 1e-9 of it for one model in two programs.
Probabilities of one model (-s 0, -s 6, -s 7) may differ in the last of their six digits.

Each data set and solver is a process of its own, ended after 30 minutes; it is then counted as skipped. A table of the largest difference
for each solver ends the output.
"""

from __future__ import annotations

import ctypes
import gzip
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
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
# The longest that a data set and a solver may take, in seconds.
LIMIT = 1800
CLASSES = (0, 1, 2, 3, 4, 5, 6, 7)
LOGISTIC = (0, 6, 7)
NUMBERS = (11, 12, 13)
ONE = (21,)
ALL = CLASSES + ONE
# `-e` of LIBLINEAR, and of mercer for a gap of 1e-8 of the objective.
THEIR_TOLERANCE = {
    0: 1e-8, 1: 1e-6, 2: 1e-8, 3: 1e-6, 4: 1e-6, 5: 1e-8, 6: 1e-8, 7: 1e-6, 11: 1e-10, 12: 1e-8, 13: 1e-8, 21: 1e-9
}  # fmt: skip
OUR_TOLERANCE = {
    0: 1e-6, 1: 1e-5, 2: 1e-6, 3: 1e-5, 4: 1e-5, 5: 1e-6, 6: 1e-6, 7: 1e-5, 11: 1e-8, 12: 1e-5, 13: 1e-5, 21: 1e-6
}  # fmt: skip
# What LIBLINEAR prints where it ends before its tolerance is reached.
LIMITED = "reaching max number of"


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
    Case("heart_scale", (0, 2, 5, 6), "-B 1 -R"),
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
    *(Case(name, ALL) for name in ("a9a", "w8a", "news20", "mnist_first10k", "covtype10k")),
    Case("cadata", NUMBERS, "-B 1 -p 0.1"),
    Case("cadata", ONE, "-n 0.2"),
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
    x: sp.csr_matrix
    y: np.ndarray
    options: list[str]

    def option(self, name: str, default: float) -> float:
        """The number behind an option."""
        return float(self.options[self.options.index(name) + 1]) if name in self.options else default

    def loss(self, y: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """What each row costs."""
        if self.solver in LOGISTIC:
            return np.logaddexp(0, -y * outputs)
        if self.solver in CLASSES:
            error = np.maximum(0, 1 - y * outputs)
        else:
            error = np.maximum(0, np.abs(y - outputs) - self.option("-p", 0.1))
        return error if self.solver in (3, 13) else error**2

    def prices(self, labels: list[int]) -> np.ndarray:
        """C of each row, times the weight of its class where that is one of `labels`."""
        prices = np.full(len(self.y), self.option("-c", 1))
        for label in labels:
            prices[self.y == label] *= self.option(f"-w{label}", 1)
        return prices

    def outputs(self, weights: np.ndarray, bias: float) -> np.ndarray:
        """A column for each function; features that the data lack have a weight of 0 or no say."""
        columns = min(self.x.shape[1], len(weights))
        found = np.asarray(self.x[:, :columns] @ weights[:columns])
        return found + bias * weights[-1] if bias >= 0 else found

    def objective(self, model: Any) -> float:
        """The sum of the objectives of all functions of a model."""
        bias, width = self.option("-B", -1), model.nr_feature
        if self.solver in ONE:
            weights, total = np.array(model.w[:width]), self.option("-n", 0.5) * len(self.y)
            outside = np.maximum(0, model.rho - self.outputs(weights[:, None], -1)[:, 0]).sum()
            return 0.5 * float((weights**2).sum()) - total * model.rho + float(outside)
        labels = model.get_labels() if self.solver in CLASSES else []
        rows, functions = width + (bias >= 0), 1 if len(labels) < 3 and self.solver != 4 else len(labels)
        weights = np.array(model.w[: rows * functions]).reshape(rows, functions)
        outputs = self.outputs(weights, bias)
        penalised = weights[:width] if "-R" in self.options else weights
        size = np.abs(penalised).sum() if self.solver in (5, 6) else 0.5 * (penalised**2).sum()
        if self.solver == 4:
            own = np.searchsorted(labels, self.y, sorter=np.argsort(labels))
            own = np.argsort(labels)[own]
            margins = outputs + 1
            margins[np.arange(len(own)), own] -= 1
            errors = margins.max(axis=1) - outputs[np.arange(len(own)), own]
            return float(size + (self.prices(labels) * errors).sum())
        total = float(size)
        for function in range(functions):
            y, prices = self.y, self.prices([])
            if labels:
                y = np.where(self.y == labels[function], 1.0, -1.0)
                prices = self.prices(labels if functions == 1 else [labels[function]])
            total += float((prices * self.loss(y, outputs[:, function])).sum())
        return total


def told_by(work: Callable[[], Any]) -> tuple[Any, str]:
    """What a function returns, and what the library behind it prints."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        try:
            os.dup2(file.fileno(), 1)
            result = work()
        finally:
            # The library has a buffer of its own, which ends with the lines of this call.
            ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return result, file.read().decode(errors="replace")


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
    y, x = svm_read_problem(str(data), return_scipy=True)
    problem = Problem(solver, sp.csr_matrix(x), np.asarray(y), options)
    folder = Path(tempfile.mkdtemp(dir=WORK))
    their_file, our_file, out = folder / "liblinear.model", folder / "mercer.model", folder / "out"
    theirs, printed = told_by(lambda: train(y, x, f"-s {solver} -e {THEIR_TOLERANCE[solver]} {case.options}"))
    save_model(str(their_file), theirs)
    told = ours("linear-train", "-s", solver, "-e", OUR_TOLERANCE[solver], *options, data, our_file)
    proved = max(float(gap) for gap in re.findall(r"gap = (\S+)", told)) <= OBJECTIVE
    mine = load_model(str(our_file))
    if mine is None:
        raise RuntimeError("LIBLINEAR does not read the model")
    expected, found = problem.objective(theirs), problem.objective(mine)
    difference = (found - expected) / abs(expected)
    ended = LIMITED in printed
    same, limited = abs(difference) <= OBJECTIVE, ended and difference < -OBJECTIVE
    results: list[tuple[bool | None, str]] = [(proved and (same or limited), f"{'<' if limited else ''}{difference:+.0e}")]
    logistic, regression = solver in LOGISTIC, solver in NUMBERS
    switch = ["-b", "1"] if logistic else []
    predicted = {}
    for name, file, model in (("theirs", their_file, theirs), ("ours", our_file, mine)):
        labels, _, values = predict(y, x, model, f"-q {' '.join(switch)}")
        ours("linear-predict", "-q", *switch, data, file, out)
        predicted[name] = (np.array(labels), np.array(values), cells(out))
    shutil.rmtree(folder)
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


def answer(case: Case, solver: int, sender: Any) -> None:
    """Sends the results of a check, or why there are none."""
    try:
        sender.send(check(case, solver))
    except RuntimeError as problem:
        sender.send(problem)


def in_time(case: Case, solver: int) -> list[tuple[bool | None, str]]:
    """The results of a check in a process of its own."""
    text(case)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(case, solver, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(LIMIT):
            raise Missing(f"answer within {LIMIT} s")
        results = receiver.recv()
    except EOFError:
        raise RuntimeError("the process ended without an answer") from None
    finally:
        process.kill()
        process.join()
    if isinstance(results, RuntimeError):
        raise results
    return results


def main() -> int:
    """Runs all checks, or those of the data sets named, and prints tables; 1 if one failed."""
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:]
    rows, passed, failed, skipped = [], 0, 0, 0
    objectives: dict[int, list[str]] = {}
    for case in CASES:
        if wanted and case.data not in wanted:
            continue
        for solver in case.solvers:
            name = [case.data, f"-s {solver} {case.options}".strip()]
            try:
                results = in_time(case, solver)
                passed += sum(good is True for good, _ in results)
                failed += sum(good is False for good, _ in results)
                found = [f"{words} FAILED" if good is False else words for good, words in results]
                objectives.setdefault(solver, []).append(results[0][1])
            except Missing as missing:
                skipped += 4
                found = [f"skipped: no {missing}", "", "", ""]
            except RuntimeError as problem:
                failed += 4
                found = [f"FAILED: {problem}", "", "", ""]
            rows.append([*name, *found])
            print(f"    {' '.join(name)}: {', '.join(cell for cell in found if cell)}", flush=True)
    print(f"\n{table(['linear-train, linear-predict', 'options', 'obj', 'own', 'theirs', 'ours'], rows)}\n")
    summary = []
    for solver, cells_of in sorted(objectives.items()):
        two_sided = [abs(float(cell)) for cell in cells_of if not cell.startswith("<")]
        limited = len(cells_of) - len(two_sided)
        summary.append([f"-s {solver}", str(len(two_sided)), f"{max(two_sided, default=0.0):.0e}", str(limited)])
    print(f"{table(['solver', 'compared', 'largest difference', 'LIBLINEAR at its limit'], summary)}\n")
    print(f"compat: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
