"""mercer's `svm-train`, `svm-predict` and `svm-scale` against LIBSVM's. Run by `cargo xtask compat`.

For each training set, with the same options for both:

- `obj`: the `obj = ` lines, added up over the pairs, agree to 1e-4 relative;
- `own`: each program's predictions of the test rows with its own model are the same;
- `theirs`: LIBSVM's model, read by mercer, predicts what it predicts in LIBSVM;
- `ours`: mercer's model, read by LIBSVM, predicts what it predicts in mercer.

Predictions are "the same" when at least 99.9 % of the rows agree; one row may differ in any case, since a set of a few
hundred rows has rows so near a boundary that LIBSVM itself changes its mind when its tolerance is tightened. On the
boundary of a one-class machine (`-s 2`) lie all of its free support vectors: as many rows may differ between two models.
Predictions of a regression (`-s 3`, `-s 4`) are the same when the largest difference is at most 0.5 % of their range for
two models, and 0.001 % for one model in two programs.

With `-b 1` both programs also write probabilities, with six digits. Those of one model in two programs may differ in
the last; those of two models by 0.03 in the mean, and 8 % of the labels with them, since the folds that they are learnt
from are drawn at random: five draws of LIBSVM itself differ by up to 0.015 in the mean (glass_scale, heart_scale) and
on up to 4.8 % of the labels (vowel.scale).

`svm-scale`: the scaled text and the file of ranges are byte for byte the same.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import libsvm_build
from place import MERCER, ROOT, SHARED, TARGET
from table import table

HERE = Path(__file__).resolve().parent
WORK = TARGET / "bench-compat"
OBJECTIVE = 1e-4
SHARE = 1e-3
RANGE_TWO_MODELS = 5e-3
RANGE_ONE_MODEL = 1e-5
PROBABILITY_TWO_MODELS = 0.03
PROBABILITY_ONE_MODEL = 2e-6
DRAWN = 0.08
FOLDS = 5


class Missing(Exception):
    """A data file is not there."""


@dataclass(frozen=True)
class Training:
    """A training set, a test set and the options of `svm-train`."""

    train: str
    test: str
    options: str = ""


TRAININGS = (
    Training("heart_scale", "heart_scale"),
    Training("heart_scale", "heart_scale", "-t 0 -c 0.1"),
    Training("heart_scale", "heart_scale", "-t 1 -d 2 -r 1 -g 0.1"),
    Training("heart_scale", "heart_scale", "-t 3 -g 0.01"),
    Training("heart_scale", "heart_scale", "-c 10 -g 0.1 -w1 2 -w-1 0.5 -e 0.0001"),
    Training("svmguide1", "svmguide1.t"),
    Training("svmguide1.scaled", "svmguide1.t.scaled", "-c 2 -g 2"),
    Training("vowel.scale", "vowel.scale.t", "-c 16 -g 1"),
    Training("digits8x8", "digits8x8", "-c 10 -g 0.001 -h 0"),
    Training("letter", "letter.scale.t", "-c 16 -g 4"),
    Training("a9a", "a9a.t", "-m 1000"),
    Training("heart_scale", "heart_scale", "-s 2 -n 0.3"),
    Training("svmguide1.scaled", "svmguide1.t.scaled", "-s 2 -n 0.1 -g 2"),
    Training("iris_scale", "iris_scale", "-s 2 -t 1 -d 2 -r 1 -g 0.5 -n 0.2"),
    Training("iris_scale", "iris_scale", "-s 3 -p 0.2 -c 2"),
    Training("housing_scale", "housing_scale", "-s 3 -c 10 -g 0.1 -p 0.5"),
    Training("abalone_scale", "abalone_scale", "-s 3 -t 1 -d 2 -r 1 -c 1"),
    Training("iris_scale", "iris_scale", "-s 4 -n 0.3 -c 2"),
    Training("housing_scale", "housing_scale", "-s 4 -c 10 -g 0.1 -n 0.4"),
    Training("cpusmall_scale", "cpusmall_scale", "-s 4 -t 0 -n 0.2 -c 0.1"),
    Training("heart_scale", "heart_scale", "-b 1 -c 2 -g 0.1"),
    Training("glass_scale", "glass_scale", "-b 1 -c 8 -g 0.5"),
    Training("vowel.scale", "vowel.scale.t", "-b 1 -c 16 -g 1"),
    Training("heart_scale", "heart_scale", "-b 1 -s 1 -n 0.4 -e 0.0001"),
    Training("wine_scale", "wine_scale", "-b 1 -s 2 -n 0.2 -g 0.1"),
    Training("iris_scale", "iris_scale", "-b 1 -s 3 -c 2"),
    Training("wine_scale", "wine_scale", "-b 1 -s 4 -n 0.3"),
)


@dataclass(frozen=True)
class Scaling:
    """Options of `svm-scale`, and a second file that is scaled with the ranges of the first."""

    data: str
    options: str = ""
    second: str = ""


SCALINGS = (
    Scaling("svmguide1", "", "svmguide1.t"),
    Scaling("svmguide1", "-l 0 -u 1", "svmguide1.t"),
    Scaling("heart_scale", "-l -2 -u 3 -y 0 1", "heart_scale"),
    Scaling("digits8x8", "-l 0", "digits8x8"),
    Scaling("vowel.scale", "", "vowel.scale.t"),
    Scaling("a9a", "-l 0", "a9a.t"),
)


def run(command: list) -> bytes:
    """Standard output of a command that must end well."""
    words = [str(word) for word in command]
    # LIBSVM's OpenMP threads otherwise spin at each barrier, which on a busy machine makes it tens of times slower.
    done = subprocess.run(words, capture_output=True, check=False, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{Path(words[0]).name} {words[1]}: exit code {done.returncode}: {last}")
    return done.stdout


def original(program: str, *words) -> bytes:
    """LIBSVM's program."""
    return run([sys.executable, HERE / "libsvm_program.py", program, *words])


def ours(program: str, *words) -> bytes:
    """mercer's program."""
    return run([MERCER, program, *words])


def text(name: str) -> Path:
    """A data set as plain text: from the repository, else from the full data sets; `.scaled` by LIBSVM itself."""
    path = WORK / name
    if path.exists():
        return path
    if name == "letter":
        content = text("letter.scale.tr").read_bytes() + text("letter.scale.val").read_bytes()
    elif name.endswith(".scaled"):
        scale = libsvm_build.svm_scale()
        if scale is None:
            raise Missing("LIBSVM's svm-scale")
        raw = name.removesuffix(".scaled")
        ranges = WORK / f"{raw.removesuffix('.t')}.ranges"
        content = run([scale, "-r" if raw.endswith(".t") else "-s", ranges, text(raw)])
    else:
        folders = (ROOT / "data", SHARED / "classification", SHARED / "regression")
        places = [folder / f"{name}.libsvm.gz" for folder in folders]
        found = next((place for place in places if place.exists()), None)
        if found is None:
            raise Missing(f"{name}.libsvm.gz")
        content = gzip.decompress(found.read_bytes())
    path.write_bytes(content)
    return path


def objectives(output: bytes) -> list[float]:
    """The values of the `obj = ` lines."""
    return [float(value) for value in re.findall(r"^obj = (\S+),", output.decode(), flags=re.MULTILINE)]


def predictions(path: Path) -> list[float]:
    """Predicted labels or values."""
    return [row[0] for row in cells(path)]


def cells(path: Path) -> list[list[float]]:
    """Predictions and the probabilities beside them, without the line of names."""
    lines = [line for line in path.read_text().split("\n") if line and not line.startswith("label")]
    return [[float(cell) for cell in line.split(" ")] for line in lines]


def probabilities(first: Path, second: Path) -> list[float]:
    """How far the probabilities of two files are apart."""
    pairs = zip(cells(first), cells(second), strict=True)
    return [abs(x - y) for a, b in pairs for x, y in zip(a[1:], b[1:], strict=True)]


def free(output: bytes) -> int:
    """Support vectors that are not at their bound."""
    counts = re.findall(r"^nSV = (\d+), nBSV = (\d+)$", output.decode(), flags=re.MULTILINE)
    return sum(int(support) - int(bound) for support, bound in counts)


def agreement(first: Path, second: Path, regression: bool, allowed: float) -> tuple[bool, str]:
    """Whether two files of predictions are the same in the sense above, and how far in words.

    `allowed` is a share of the range of a regression, a number of rows otherwise.
    """
    a, b = predictions(first), predictions(second)
    if len(a) != len(b) or not a:
        return False, f"{len(a)} and {len(b)} rows"
    if regression:
        worst = max(abs(x - y) for x, y in zip(a, b, strict=True)) / (max(a) - min(a))
        return worst <= allowed, f"{worst:.0e}"
    wrong = sum(x != y for x, y in zip(a, b, strict=True))
    return wrong <= max(1, SHARE * len(a), allowed), f"{100 * (1 - wrong / len(a)):.2f} %"


def check_training(case: Training) -> list[tuple[bool, str]]:
    """The four checks of a training set."""
    train, test, options = text(case.train), text(case.test), shlex.split(case.options)
    their_model, our_model = WORK / "libsvm.model", WORK / "mercer.model"
    told = original("svm-train", *options, train, their_model)
    machine = options[options.index("-s") + 1] if "-s" in options else "0"
    learnt = "-b" in options
    their_objectives = objectives(told)
    if learnt and machine != "2":
        # The fits without each of the folds are told too: before that of a pair of classes, behind a regression's.
        their_objectives = their_objectives[FOLDS if machine in "01" else 0 :: FOLDS + 1]
    our_objectives = objectives(ours("svm-train", *options, train, our_model))
    total, sums = sum(their_objectives), sum(our_objectives)
    difference = abs(sums - total) / abs(total)
    same_pairs = len(their_objectives) == len(our_objectives)
    results = [(same_pairs and difference <= OBJECTIVE, f"{difference:.0e}" if same_pairs else "other pairs")]
    out = {name: WORK / f"{name}.out" for name in ("theirs_theirs", "ours_ours", "theirs_ours", "ours_theirs")}
    switch = ["-b", "1"] if learnt else []
    original("svm-predict", *switch, test, their_model, out["theirs_theirs"])
    ours("svm-predict", *switch, test, our_model, out["ours_ours"])
    ours("svm-predict", *switch, test, their_model, out["theirs_ours"])
    original("svm-predict", *switch, test, our_model, out["ours_theirs"])
    regression = machine in ("3", "4")
    two_models, one_model = (RANGE_TWO_MODELS, RANGE_ONE_MODEL) if regression else (free(told) * (machine == "2"), 0)
    if learnt and machine in ("0", "1"):
        two_models = DRAWN * len(predictions(out["theirs_theirs"]))
    pairs = (("theirs_theirs", "ours_ours"), ("theirs_theirs", "theirs_ours"), ("ours_ours", "ours_theirs"))
    for number, (a, b) in enumerate(pairs):
        good, words = agreement(out[a], out[b], regression, one_model if number else two_models)
        apart = probabilities(out[a], out[b]) if learnt else []
        if apart:
            far = max(apart) if number else sum(apart) / len(apart)
            good = good and far <= (PROBABILITY_ONE_MODEL if number else PROBABILITY_TWO_MODELS)
            words = f"{words}, p {far:.0e}"
        results.append((good, words))
    return results


def check_scaling(case: Scaling) -> list[tuple[bool, str]]:
    """Scaled text, saved ranges, and a second file scaled with them."""
    scale = libsvm_build.svm_scale()
    if scale is None:
        raise Missing("LIBSVM's svm-scale")
    options, data, second = shlex.split(case.options), text(case.data), text(case.second)
    their_ranges, our_ranges = WORK / "libsvm.ranges", WORK / "mercer.ranges"
    results = [(run([scale, *options, "-s", their_ranges, data]), ours("svm-scale", *options, "-s", our_ranges, data))]
    results.append((their_ranges.read_bytes(), our_ranges.read_bytes()))
    results.append((run([scale, "-r", their_ranges, second]), ours("svm-scale", "-r", their_ranges, second)))
    return [(a == b, "same" if a == b else f"line {first_difference(a, b)}") for a, b in results]


def first_difference(a: bytes, b: bytes) -> int:
    """The first line, from 1, in which two texts differ."""
    first, second = a.split(b"\n"), b.split(b"\n")
    pairs = enumerate(zip(first, second, strict=False), start=1)
    return next((number for number, (x, y) in pairs if x != y), min(len(first), len(second)))


class Tally:
    """Rows of a table and how the checks in them went."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0

    def rows(self, names: list[list[str]], cases: tuple, check, width: int) -> list[list[str]]:
        """One row for each case, `width` checks in each."""
        rows = []
        for name, case in zip(names, cases, strict=True):
            try:
                results = check(case)
                self.passed += sum(good for good, _ in results)
                self.failed += sum(not good for good, _ in results)
                cells = [words if good else f"{words} FAILED" for good, words in results]
            except Missing as missing:
                self.skipped += width
                cells = [f"skipped: {missing} not found"] + [""] * (width - 1)
            except RuntimeError as problem:
                self.failed += width
                cells = [f"FAILED: {problem}"] + [""] * (width - 1)
            rows.append([*name, *cells])
            print(f"    {' '.join(name)}: {', '.join(cell for cell in cells if cell)}", flush=True)
        return rows


def main() -> int:
    """Runs all checks and prints the tables; 1 if one failed."""
    WORK.mkdir(parents=True, exist_ok=True)
    libsvm_build.python_path()
    tally = Tally()
    names = [[case.train, case.options or "(defaults)"] for case in TRAININGS]
    trainings = tally.rows(names, TRAININGS, check_training, 4)
    names = [[case.data, case.options or "(defaults)"] for case in SCALINGS]
    scalings = tally.rows(names, SCALINGS, check_scaling, 3)
    print(f"\n{table(['svm-train, svm-predict', 'options', 'obj', 'own', 'theirs', 'ours'], trainings)}")
    print(f"\n{table(['svm-scale', 'options', 'text', 'ranges', 'second file'], scalings)}\n")
    print(f"compat: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
