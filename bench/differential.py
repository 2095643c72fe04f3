"""mercer's `svm-train` and `svm-predict` against LIBSVM's library, over all formulations. Run by `cargo xtask test --peers`.

Every data set is cut into training and test rows (every third row is a test row). For each of a few hundred settings of
formulation, kernel and parameters both train on the same file, and

- the dual objectives, added up over the pairs of classes, agree to 1e-4 relative;
- the numbers of support vectors differ by at most 1 %, or by 2;
- at least 99.9 % of the predicted labels of the test rows are the same, and where one is not, LIBSVM's decision for it is
  within 1e-2 of a boundary; predicted values differ by at most 1e-3 of their range.

What does not hold is an exception: it is printed with its figures, and makes the run fail unless `KNOWN` says why. Settings of ν-SVC that have no
margin (LIBSVM's 1/ρ above 1000, or negative) are counted apart and not compared: their optimum is the function 0.
"""

from __future__ import annotations

import argparse
import ctypes
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
OBJECTIVE, SHARE, NEAR, VALUES = 1e-4, 1e-3, 1e-2, 1e-3
TOLERANCE, NU_TOLERANCE = "1e-4", "1e-6"
# ν-SVC without a margin, ρ = 0, has w = 0: whatever is scaled up is rounding. 1/ρ from which that is so.
NO_MARGIN = 1e3
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

FEW_FEATURES = "a linear kernel on fewer features than support vectors: α is not unique, the function is"
KNOWN = {
    "australian_scale -s 0 -c 0.1 -t 0": FEW_FEATURES,
    "australian_scale -s 0 -c 30 -t 0": FEW_FEATURES,
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


def settings() -> list[Setting]:
    """All of them."""
    found = []
    for name in CLASSES:
        for kernel in KERNELS.values():
            found += [Setting(name, f"-s 0 -c {c} {kernel}") for c in ("0.1", "1", "30")]
            found += [Setting(name, f"-s 1 -n {nu} {kernel}") for nu in ("0.05", "0.2")]
        found += [Setting(name, f"-s 2 -n {nu} {KERNELS['rbf']}") for nu in ("0.05", "0.3", "0.7")]
        found += [Setting(name, f"-s 2 -n 0.2 {KERNELS['poly']}")]
        found += [Setting(name, "-s 0 -c 1 -t 2 -g 0.1 -w1 3 -w2 0.5")]
        found += [Setting(name, "-s 0 -c 1 -t 2 -g 0.1", precomputed=True)]
    for name in NUMBERS:
        for kernel in list(KERNELS.values())[:3]:
            found += [Setting(name, f"-s 3 -c {c} -p {p} {kernel}") for c, p in (("1", "0.1"), ("1", "1"), ("10", "0.5"))]
            found += [Setting(name, f"-s 4 -c {c} -n {nu} {kernel}") for c, nu in (("1", "0.2"), ("1", "0.5"), ("10", "0.5"))]
        found += [Setting(name, "-s 3 -c 1 -p 0.1 -t 2 -g 0.1", precomputed=True)]
    return found


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
    # ν-SVC is scaled by 1/ρ at the end, and its objective by 1/ρ²: what the tolerance leaves grows with it.
    options = f"{setting.options} -e {NU_TOLERANCE if setting.options.startswith('-s 1') else TOLERANCE}"
    if setting.precomputed:
        options = re.sub(r"-t 2 -g \S+", "-t 4", options)
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


def libsvm(train: Path, test: Path, options: str) -> tuple[float, int, np.ndarray, np.ndarray]:
    """Objective, support vectors, predictions and the distance of each from the nearest boundary, by LIBSVM."""
    done = subprocess.run(
        [sys.executable, __file__, "--libsvm", train, test, options], capture_output=True, text=True, check=True
    )
    scales = [float(value) for value in re.findall(r"^C = (\S+)$", done.stdout, flags=re.MULTILINE)]
    if any(not 0 < scale < NO_MARGIN for scale in scales):
        raise NoMargin
    objective = sum(float(value) for value in re.findall(r"^obj = (\S+),", done.stdout, flags=re.MULTILINE))
    counts = re.findall(r"^support (\d+)$", done.stdout, flags=re.MULTILINE)
    pairs = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("row ")]
    values = np.array(pairs, dtype=float)
    return objective, int(counts[-1]), values[:, 0], values[:, 1]


def inside_libsvm(train: str, test: str, options: str) -> None:
    """The part that runs in a process of its own, so that what the library prints can be read."""
    sys.path.insert(0, str(libsvm_build.python_path()))
    from libsvm import svm, svmutil

    labels, rows = svmutil.svm_read_problem(train)
    model = svmutil.svm_train(labels, rows, options)
    labels, rows = svmutil.svm_read_problem(test)
    # The module's own svm_predict has room for one decision only where nu-SVC has many.
    classes = model.get_nr_class()
    decisions = (ctypes.c_double * max(1, classes * (classes - 1) // 2))()
    kernel = model.param.kernel_type
    lines = []
    for row in rows:
        point, _ = svm.gen_svm_nodearray(row, isKernel=kernel == svm.kernel_names.PRECOMPUTED)
        label = svm.libsvm.svm_predict_values(model, point, decisions)
        lines.append(f"row {label!r} {min(abs(value) for value in decisions)!r}")
    sys.stdout.flush()
    print(f"\nsupport {model.l}")
    print("\n".join(lines))


def mercer(train: Path, test: Path, options: str) -> tuple[float, int, np.ndarray]:
    """The same of mercer's programs."""
    model, out = WORK / "model", WORK / "out"

    def run(*words) -> str:
        done = subprocess.run([str(MERCER), *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
        return done.stdout

    text = run("svm-train", *options.split(), train, model)
    run("svm-predict", test, model, out)
    objective = sum(float(value) for value in re.findall(r"^obj = (\S+),", text, flags=re.MULTILINE))
    total = int(re.findall(r"^total_sv (\d+)$", model.read_text(encoding="ascii"), flags=re.MULTILINE)[-1])
    return objective, total, np.loadtxt(out, ndmin=1)


def compare(setting: Setting) -> list[str]:
    """What does not hold, in words."""
    files = prepare(setting)
    try:
        their_objective, their_count, theirs, near = libsvm(*files)
    except subprocess.CalledProcessError as problem:
        their_words = (problem.stderr.strip().splitlines() or ["no message"])[-1]
        try:
            mercer(*files)
        except RuntimeError:
            return []
        return [f"LIBSVM refuses it: {their_words}"]
    try:
        objective, count, ours = mercer(*files)
    except RuntimeError as problem:
        return [f"mercer: {problem}"]
    found = []
    difference = abs(objective - their_objective) / max(abs(their_objective), 1e-10)
    if difference > OBJECTIVE:
        found.append(f"objective {objective:.8g}, LIBSVM's {their_objective:.8g}")
    if abs(count - their_count) > max(2, 0.01 * their_count):
        found.append(f"{count} support vectors, LIBSVM's {their_count}")
    if setting.regression:
        worst = np.abs(ours - theirs).max() / max(np.ptp(theirs), 1e-12)
        if worst > VALUES:
            found.append(f"values differ by {worst:.1e} of their range")
    else:
        other = ours != theirs
        if other.mean() > SHARE and (near[other] > NEAR).any():
            found.append(f"{other.sum()} of {len(ours)} labels differ, up to {near[other].max():.1e} from a boundary")
    return found


def main() -> int:
    """Runs all settings and prints the exceptions; 1 if there is one that is not known."""
    parser = argparse.ArgumentParser(prog="cargo xtask test --peers", description=__doc__.split("\n")[0])
    parser.add_argument("--libsvm", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="TEXT", help="only settings whose name contains TEXT")
    options = parser.parse_args()
    if options.libsvm:
        inside_libsvm(*options.libsvm)
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    libsvm_build.python_path()
    exceptions, skipped, without, ran = [], 0, 0, 0
    for setting in settings():
        if options.only and options.only not in setting.name:
            continue
        try:
            found = compare(setting)
        except data.Missing:
            skipped += 1
            continue
        except NoMargin:
            without += 1
            continue
        ran += 1
        exceptions += [[setting.name, words, KNOWN.get(setting.name, "FAILED")] for words in found]
        for words in found:
            print(f"    {setting.name}: {words}", flush=True)
    if exceptions:
        print(table(["setting", "exception", "reason"], exceptions))
    names = {name for name, _, reason in exceptions if reason == "FAILED"}
    print(f"{without} settings of nu-SVC have no margin and were not compared")
    print(f"differential: {ran - len(names)} passed, {len(names)} failed, {skipped} skipped")
    return 1 if names or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
