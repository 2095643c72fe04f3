"""mercer's `svm-train` and `svm-predict` against LIBSVM's library, over all formulations. Run by `cargo xtask test --peers`.

A thousand settings: a grid of formulations, kernels and parameters over thirteen data sets, and draws by seed from all options. Every
data set is cut into training and test rows (every third row is a test row), and both train on the same file.

What may differ follows from the tolerance ε of the fit. Where the optimality conditions hold to ε, the dual objective is at most
G = ε Σ|α| above its minimum, and ‖w − w*‖² ≤ 2G. So

- the dual objectives, added up over the pairs of classes, differ by at most what both G allow, and by at most 1e-4 of their size;
- f differs at x by at most δ = 2 (√(2G) + √(2G')) √max k(x, x) + 4ε, the offset included: a label may be another one only where LIBSVM's
  decision of a pair is within δ of 0, and a value by δ only;
- so many points more or fewer are support vectors as LIBSVM's own outputs have within δ of the margin, or 2, or 1 %.

A kernel that is not semi-definite has many optima: of tanh, and of objectives that are equal by chance, only the objective is compared.
What does not hold is an exception: it is printed with its figures and makes the run fail unless `KNOWN` has that figure. Counted apart
are: settings that both refuse; ν-SVC without a margin (1/ρ above 1000, or negative), whose optimum is the function 0; settings for which
LIBSVM crashes or takes longer than a minute. `--store` writes the hundred of `crates/mercer-cli/tests/libsvm/drawn.json`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import data
import libsvm_build
import numpy as np
from place import MERCER, ROOT, SHARED, TARGET
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from table import table

WORK = TARGET / "bench-differential"
STORED = ROOT / "crates/mercer-cli/tests/libsvm/drawn.json"
#: Of the objective; of a decision and of the support vectors where the kernel is not semi-definite and nothing bounds them.
OBJECTIVE, NEAR, COUNT = 1e-4, 1e-2, 0.01
#: ν-SVC without a margin, ρ = 0, has w = 0: whatever is scaled up is rounding. 1/ρ from which that is so.
NO_MARGIN = 1e3
#: Settings in all, those that are stored, and seconds that a fit may take.
ALL, KEPT, LIMIT = 1000, 100, 60
CLASSES = (
    "heart_scale",
    "australian_scale",
    "diabetes_scale",
    "sonar_scale",
    "iris_scale",
    "wine_scale",
    "glass_scale",
    "vowel.scale",
    "digits8x8",
)
NUMBERS = ("housing_scale", "yacht", "energy", "abalone_scale")
KERNELS = {
    "linear": "-t 0",
    "poly": "-t 1 -d 2 -r 1 -g 0.1",
    "rbf": "-t 2 -g 0.1",
    "tanh": "-t 3 -g 0.01 -r 0",
}
MOST_ROWS = 900

#: Data sets of the repository that are small enough for stored answers.
SMALL = ("heart_scale", "iris_scale", "wine_scale", "glass_scale", "vowel.scale", "ripley")
#: What is excused: by the name of a setting, the start of the words, the largest figure in them, and the reason.
KNOWN: dict[str, tuple[str, float, str]] = {
    "australian_scale -s 1 -n 0.2 -t 1 -d 2 -r 1 -g 0.1 -e 1e-6": (
        "objective",
        1.4e-4,
        "LIBSVM's kernel rows are in single precision: with them its answer at 1e-10 violates the conditions by 1.8e-4 of rho, ours by 1e-10",
    ),
}


@dataclass(frozen=True)
class Setting:
    """A data set and the options of `svm-train`."""

    data: str
    options: str
    precomputed: bool = False

    @property
    def name(self) -> str:
        return f"{self.data} {self.options}{' (precomputed)' if self.precomputed else ''}"

    @property
    def regression(self) -> bool:
        return self.options.startswith(("-s 3", "-s 4"))

    @property
    def tolerance(self) -> float:
        return float(self.options.split()[self.options.split().index("-e") + 1])


def grid() -> list[Setting]:
    """A grid of formulations, kernels and parameters."""
    found = []
    for name in CLASSES:
        for kernel in KERNELS.values():
            found += [Setting(name, f"-s 0 -c {c} {kernel} -e 1e-4") for c in ("0.1", "1", "30")]
            found += [Setting(name, f"-s 1 -n {nu} {kernel} -e 1e-6") for nu in ("0.05", "0.2")]
        found += [Setting(name, f"-s 2 -n {nu} {KERNELS['rbf']} -e 1e-4") for nu in ("0.05", "0.3", "0.7")]
        found += [Setting(name, f"-s 2 -n 0.2 {KERNELS['poly']} -e 1e-4")]
        found += [Setting(name, "-s 0 -c 1 -t 2 -g 0.1 -w1 3 -w2 0.5 -e 1e-4")]
        found += [Setting(name, "-s 0 -c 1 -t 2 -g 0.1 -e 1e-4", precomputed=True)]
    for name in NUMBERS:
        for kernel in list(KERNELS.values())[:3]:
            found += [Setting(name, f"-s 3 -c {c} -p {p} {kernel} -e 1e-4") for c, p in (("1", "0.1"), ("1", "1"), ("10", "0.5"))]
            found += [Setting(name, f"-s 4 -c {c} -n {nu} {kernel} -e 1e-4") for c, nu in (("1", "0.2"), ("1", "0.5"), ("10", "0.5"))]
        found += [Setting(name, "-s 3 -c 1 -p 0.1 -t 2 -g 0.1 -e 1e-4", precomputed=True)]
    return found


def drawn(seed: int, classes: tuple[str, ...], numbers: tuple[str, ...], formulation: int) -> Setting:
    """A setting of that formulation, all else drawn."""
    random = np.random.default_rng(seed)

    def power(low: float, high: float) -> str:
        return f"{10 ** random.uniform(low, high):.3g}"

    regression = formulation > 2
    name = str(random.choice(numbers if regression else classes))
    kernel = int(random.choice(4, p=[0.2, 0.25, 0.4, 0.15]))
    parts = [f"-s {formulation}", f"-t {kernel}"]
    precomputed = kernel == 2 and bool(random.random() < 0.15)
    if precomputed:
        parts.append("-g 0.1")
    elif kernel:
        parts.append(f"-g {power(-3, -1.5) if kernel == 3 else power(-2.5, 0.5)}")
    if kernel == 1:
        parts += [f"-d {random.integers(1, 5)}", f"-r {random.choice(['0', '0.5', '1'])}"]
    if kernel == 3:
        parts.append(f"-r {random.choice(['0', '0.1', '-0.2'])}")
    c = power(-2, 2.5)
    if formulation in (0, 3, 4):
        parts.append(f"-c {c}")
    if formulation in (1, 2, 4):
        parts.append(f"-n {random.uniform(0.02, 0.8):.3g}")
    if formulation == 3:
        parts.append(f"-p {power(-2, 0)}")
    if formulation == 0 and random.random() < 0.3:
        parts.append(f"-w1 {power(-1, 1)}")
    parts.append(f"-h {int(random.random() < 0.7)}")
    parts.append(f"-e {random.choice(['1e-4', '1e-5', '1e-6'])}")
    return Setting(name, " ".join(parts), precomputed)


def settings() -> list[Setting]:
    """All of them."""
    found = grid()
    return found + [drawn(seed, CLASSES, NUMBERS, seed % 5) for seed in range(ALL - len(found))]


def to_store() -> list[Setting]:
    """Those whose answers the repository has: every formulation and kernel is among them. Labels are the numbers of regressions."""
    return [drawn(10_000 + seed, SMALL, SMALL, seed % 5) for seed in range(3 * KEPT)]


def load(name: str) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Rows with every feature within [-1, 1], and labels; at most so many that LIBSVM ends soon."""
    folders = (ROOT / "data", SHARED / "classification", SHARED / "regression")
    path = next((file for folder in folders if (file := folder / f"{name}.libsvm.gz").exists()), None)
    if path is None:
        raise data.Missing(name)
    rows, labels = load_svmlight_file(str(path))
    largest = np.abs(rows).max(axis=0).toarray().ravel()
    rows = sparse.csr_matrix(rows @ sparse.diags_array(1 / np.maximum(largest, 1)))
    rows.sort_indices()
    keep = np.linspace(0, rows.shape[0] - 1, min(rows.shape[0], MOST_ROWS)).astype(int)
    return rows[keep], labels[keep]


def write(path: Path, rows: sparse.csr_matrix, labels: np.ndarray) -> None:
    """LIBSVM text; a precomputed row has its serial number as entry 0."""
    with open(path, "w", encoding="ascii") as file:
        for i, label in enumerate(labels):
            row = rows[i]
            cells = " ".join(f"{j + 1}:{v!r}" for j, v in zip(row.indices.tolist(), row.data.tolist(), strict=True))
            file.write(f"{label:.17g} {cells}\n")


def write_gram(path: Path, gram: np.ndarray, labels: np.ndarray) -> None:
    """LIBSVM's text of a precomputed Gram."""
    with open(path, "w", encoding="ascii") as file:
        for i, (label, row) in enumerate(zip(labels, gram.tolist(), strict=True)):
            cells = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row))
            file.write(f"{label:.17g} 0:{i + 1} {cells}\n")


def prepare(setting: Setting) -> tuple[Path, Path, str]:
    """Files of the training and the test rows, and the options."""
    rows, labels = load(setting.data)
    test = np.arange(rows.shape[0]) % 3 == 2
    suffix = ".gram" if setting.precomputed else ""
    paths = tuple(WORK / f"{setting.data}{suffix}.{part}" for part in ("train", "test"))
    options = setting.options
    if setting.precomputed:
        options = re.sub(r"-g \S+ ?", "", options).replace("-t 2", "-t 4")
    if not all(path.exists() for path in paths):
        parts = (rows[~test], rows[test])
        if setting.precomputed:
            from sklearn.metrics.pairwise import rbf_kernel

            grams = [rbf_kernel(part, parts[0], gamma=0.1) for part in parts]
            write_gram(paths[0], grams[0], labels[~test])
            write_gram(paths[1], grams[1], labels[test])
        else:
            write(paths[0], parts[0], labels[~test])
            write(paths[1], parts[1], labels[test])
    return paths[0], paths[1], options


class NoMargin(Exception):
    """A ν-SVC that is the function 0."""


class TooLong(Exception):
    """A fit by LIBSVM that takes more than a minute."""


class Crash(Exception):
    """A fit in which LIBSVM crashes."""


class Refused(Exception):
    """A setting that a program refuses, with its words."""


@dataclass
class Answer:
    """What a fit has found."""

    objective: float
    #: Support vectors.
    count: int
    #: What the tolerance leaves of the objective, G.
    left: float
    #: Labels or values of the test rows.
    predictions: np.ndarray
    #: Of the test rows, how far LIBSVM's decisions are from a boundary.
    near: np.ndarray
    #: Of the training rows, how far LIBSVM's outputs are from the margin.
    margins: np.ndarray
    #: 1/ρ of ν-SVC, which all outputs are multiplied by; 1 elsewhere.
    scale: float = 1.0


def libsvm(setting: Setting, train: Path, test: Path, options: str) -> Answer:
    """LIBSVM's."""
    command = [sys.executable, __file__, "--libsvm", train, test, options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired as problem:
        raise TooLong from problem
    if done.returncode < 0:
        raise Crash
    if done.returncode:
        raise Refused((done.stderr.strip().splitlines() or ["no message"])[-1])
    scales = [float(value) for value in re.findall(r"^C = (\S+)$", done.stdout, flags=re.MULTILINE)]
    if any(not 0 < scale < NO_MARGIN for scale in scales):
        raise NoMargin
    scale = max(scales, default=1.0)
    found = json.loads(done.stdout.splitlines()[-1])
    objective = sum(float(value) for value in re.findall(r"^obj = (\S+),", done.stdout, flags=re.MULTILINE))
    arrays = [np.array(found[name]) for name in ("predictions", "near", "margins")]
    return Answer(objective, found["count"], setting.tolerance * found["sum"] * scale, *arrays, scale)


def inside_libsvm(train: str, test: str, options: str) -> None:
    """The part that runs in a process of its own, so that what the library prints can be read."""
    sys.path.insert(0, str(libsvm_build.python_path()))
    from libsvm import svm, svmutil

    labels, rows = svmutil.svm_read_problem(train)
    model = svmutil.svm_train(labels, rows, options)
    if model is None:
        raise ValueError("no model")
    # The module's own svm_predict has room for one decision only where nu-SVC has many.
    classes = model.get_nr_class()
    decisions = (ctypes.c_double * max(1, classes * (classes - 1) // 2))()
    kernel, kind = model.param.kernel_type, model.param.svm_type
    order = [int(model.label[k]) for k in range(classes)] if kind < 2 else []

    def outputs(row) -> tuple[float, list[float]]:
        point, _ = svm.gen_svm_nodearray(row, isKernel=kernel == svm.kernel_names.PRECOMPUTED)
        label = svm.libsvm.svm_predict_values(model, point, decisions)
        return label, list(decisions)

    def margin(target: float, row) -> float:
        """How far an output is from where the point begins to be a support vector, in the pair where it is nearest."""
        _, values = outputs(row)
        if kind >= 3:
            return abs(abs(target - values[0]) - (model.param.p if kind == 3 else 0.0)) if kind == 3 else 0.0
        if kind == 2:
            return abs(values[0])
        pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
        own = order.index(int(target))
        return min(abs(abs(value) - 1.0) for value, pair in zip(values, pairs, strict=True) if own in pair)

    margins = [margin(target, row) for target, row in zip(labels, rows, strict=True)]
    found = [outputs(row) for row in svmutil.svm_read_problem(test)[1]]
    coefficients = sum(abs(model.sv_coef[k][i]) for k in range(max(1, classes - 1)) for i in range(model.l))
    told = {
        "count": model.l,
        "sum": coefficients,
        "predictions": [label for label, _ in found],
        "near": [min(abs(value) for value in values) for _, values in found],
        "margins": margins,
    }
    sys.stdout.flush()
    print("\n" + json.dumps(told))


def mercer(setting: Setting, train: Path, test: Path, options: str) -> Answer:
    """The same of mercer's programs."""
    model, out = WORK / "model", WORK / "out"

    def run(*words) -> str:
        done = subprocess.run([str(MERCER), *map(str, words)], capture_output=True, text=True, check=False, timeout=LIMIT)
        if done.returncode in (1, 2):
            raise Refused((done.stderr.strip().splitlines() or ["no message"])[-1])
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-200:]}")
        return done.stdout

    text = run("svm-train", *options.split(), train, model)
    run("svm-predict", test, model, out)
    objective = sum(float(value) for value in re.findall(r"^obj = (\S+),", text, flags=re.MULTILINE))
    head, _, vectors = model.read_text(encoding="ascii").partition("\nSV\n")
    count = int(re.findall(r"^total_sv (\d+)$", head, flags=re.MULTILINE)[-1])
    words = [word for line in vectors.splitlines() for word in line.split() if ":" not in word]
    total = sum(abs(float(word)) for word in words)
    empty = np.zeros(0)
    return Answer(objective, count, setting.tolerance * total, np.loadtxt(out, ndmin=1), empty, empty)


def largest(setting: Setting, train: Path, test: Path) -> float:
    """The largest k(x, x); and no bound where the kernel is not semi-definite."""
    if setting.precomputed or "-t 2" in setting.options:
        return 1.0
    squares = max(float(load_svmlight_file(str(path))[0].power(2).sum(axis=1).max()) for path in (train, test))
    words = setting.options.split()
    value = {name: float(words[words.index(name) + 1]) for name in ("-g", "-r", "-d") if name in words}
    if "-t 1" in setting.options:
        return (value["-g"] * squares + value["-r"]) ** value["-d"]
    return np.inf if "-t 3" in setting.options else squares


def compare(setting: Setting, ours: Answer, theirs: Answer, most: float) -> list[tuple[str, float, str]]:
    """What does not hold: what, the figure, and the words."""
    found = []
    size = max(abs(theirs.objective), 1e-10)
    left = ours.left * theirs.scale + theirs.left
    difference = abs(ours.objective - theirs.objective)
    if difference > min(OBJECTIVE * size, left + 1e-9 * size) and difference > 1e-10:
        words = f"objective {ours.objective:.9g}, LIBSVM's {theirs.objective:.9g}, {difference / size:.1e} of it"
        found.append(("objective", difference / size, words))
    definite = np.isfinite(most)
    bound = 2.0 * (np.sqrt(2 * ours.left * theirs.scale) + np.sqrt(2 * theirs.left)) * np.sqrt(most) if definite else NEAR
    bound += 4.0 * setting.tolerance * theirs.scale
    unsure = int((theirs.margins <= bound).sum())
    other = abs(ours.count - theirs.count)
    if other > max(2, COUNT * theirs.count, unsure):
        found.append(("support vectors", float(other), f"{ours.count} support vectors, LIBSVM's {theirs.count}, {unsure} unsure"))
    if setting.regression:
        worst = float(np.abs(ours.predictions - theirs.predictions).max())
        if worst > bound + 1e-9 * float(np.abs(theirs.predictions).max()):
            found.append(("values", worst, f"values differ by {worst:.1e}, where {bound:.1e} is allowed"))
        return found
    differ = ours.predictions != theirs.predictions
    if (theirs.near[differ] > bound).any():
        worst = float(theirs.near[differ].max())
        found.append(("labels", worst, f"{differ.sum()} labels differ, up to {worst:.1e} from a boundary, where {bound:.1e} is allowed"))
    return found


def both(setting: Setting) -> tuple[Answer, Answer, float]:
    """mercer's answer and LIBSVM's, and the largest k(x, x)."""
    train, test, options = prepare(setting)
    try:
        theirs = libsvm(setting, train, test, options)
    except Refused as problem:
        try:
            mercer(setting, train, test, options)
        except Refused:
            raise
        raise RuntimeError(f"LIBSVM refuses it: {problem}") from problem
    try:
        ours = mercer(setting, train, test, options)
    except Refused as problem:
        raise RuntimeError(f"mercer refuses it: {problem}") from problem
    return ours, theirs, largest(setting, train, test)


APART = {
    data.Missing: "skipped: their data are not here",
    NoMargin: "of ν-SVC without a margin",
    Refused: "refused by both",
    Crash: "in which LIBSVM crashes",
    TooLong: "for which LIBSVM takes longer than a minute",
}


def store() -> None:
    """Writes LIBSVM's answers to a hundred settings."""
    found = []
    for setting in to_store():
        if len(found) == KEPT:
            break
        try:
            ours, theirs, most = both(setting)
        except tuple(APART):
            continue
        if compare(setting, ours, theirs, most) or not np.isfinite(most):
            continue
        found.append({
            "data": setting.data,
            "options": setting.options,
            "precomputed": setting.precomputed,
            "tolerance": setting.tolerance,
            "objective": theirs.objective,
            "left": float(f"{theirs.left:.4g}"),
            "scale": theirs.scale,
            "largest": most,
            "count": theirs.count,
            "margins": sorted(float(f"{value:.2e}") for value in theirs.margins)[:40],
            "predictions": [float(f"{value:.7g}") for value in theirs.predictions],
            "near": [] if setting.regression else [float(f"{value:.2g}") for value in theirs.near],
        })
    STORED.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in found)
    STORED.write_text(f"[\n{lines}\n]\n", encoding="ascii")
    print(f"{len(found)} answers, {STORED.stat().st_size} bytes")


def main() -> int:
    """Runs all settings and prints the exceptions; 1 if there is one that is not known."""
    parser = argparse.ArgumentParser(prog="cargo xtask test --peers", description=__doc__.split("\n")[0])
    parser.add_argument("--libsvm", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="TEXT", help="only settings whose name contains TEXT")
    parser.add_argument("--store", action="store_true", help="write the answers that the program's own tests compare with")
    options = parser.parse_args()
    if options.libsvm:
        inside_libsvm(*options.libsvm)
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    libsvm_build.python_path()
    if options.store:
        store()
        return 0
    exceptions, apart, ran, failed = [], dict.fromkeys(APART.values(), 0), 0, set()
    for setting in settings():
        if options.only and options.only not in setting.name:
            continue
        try:
            found = compare(setting, *both(setting))
        except tuple(APART) as reason:
            apart[APART[type(reason)]] += 1
            continue
        except (RuntimeError, subprocess.TimeoutExpired) as problem:
            found = [("run", np.inf, str(problem))]
        ran += 1
        for what, figure, words in found:
            known, most, reason = KNOWN.get(setting.name, ("", 0.0, ""))
            excused = what == known and figure <= most
            failed |= set() if excused else {setting.name}
            exceptions.append([setting.name, words, reason if excused else "FAILED"])
            print(f"    {setting.name}: {words}", flush=True)
    if exceptions:
        print(table(["setting", "exception", "reason"], exceptions))
    for words, count in apart.items():
        print(f"{count} settings {words}")
    print(f"differential: {ran - len(failed)} passed, {len(failed)} failed, {sum(apart.values())} apart")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
