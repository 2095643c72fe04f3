"""What is lost when mercer is ended, or the system refuses something. Run by `cargo xtask faults`.

Signals: a model is trained over one that is there, and the program is ended at a random moment, from its start until after it would
have ended. The file must then be the old model or the new one, whole, to the byte (after SIGINT and SIGTERM, which end a fit early
and keep what it has, any model that `mercer inspect` reads), and after these two nothing else may lie in the folder. Moments are drawn by seed.

Checkpoints: a fit with `--checkpoint` is killed at random moments and begun again by the same command until it ends by itself, many fits one after
the other. No start may be refused, and each model must be at the optimum that the fit has when it is not killed, to what both gaps allow.

Refusals: a full disk, a folder that cannot be written, a pipe that closes, two programs that write one model, and every command under a
limit of its address space from 24 MB up. Each must end by itself with an exit code that says so, a message and no half file.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from place import MERCER, ROOT, TARGET
from table import table

WORK = TARGET / "bench-faults"
DATA = ROOT / "data"
#: A fit of some hundredths of a second whose model has 2 MB, so that many moments fall into its saving.
TRAIN = ["train", "-q", "--threads", "1", "-k", "rbf(gamma=1)", "-c", "0.1"]
#: A fit of a second or two, in steps of two variables, whose gap is small.
LONG = "train --json -q --threads 1 -s minmax -k rbf(gamma=20) -c 100 -t 1e-6 --working-set 2".split()
#: Kilobytes of address space.
LIMITS = (24_000, 32_000, 40_000, 48_000, 64_000, 80_000, 96_000, 128_000, 160_000, 200_000)
#: Exit codes of an error that is told: of the program, of arguments, files and data.
TOLD = (0, 1, 2, 3, 4, 5)
COMMANDS = (
    "train @svmguide1 out",
    "train -m kpca @svmguide1 out",
    "train -m ridge @svmguide1 out",
    "train -m linear-svc @svmguide1 out",
    "train -m rvc @svmguide1 out",
    "train -m k-means --clusters 5 @svmguide1 out",
    "train -m som @svmguide1 out",
    "train -m rbf-network @svmguide1 out",
    "predict @svmguide1 model out",
    "verify model @svmguide1",
    "inspect model",
    "cv @svmguide1",
    "search @svmguide1 out",
    "kernel gram -k rbf(gamma=1) @svmguide1 out",
    "kernel check -k rbf(gamma=1) @svmguide1",
    "svm-train @svmguide1 out",
    "svm-scale @svmguide1",
    "linear-train @svmguide1 out",
)


def words(text: str) -> list[str]:
    """Arguments; `@name` is a data set of the repository."""
    return [str(DATA / f"{word[1:]}.libsvm.gz") if word.startswith("@") else word for word in text.split()]


def run(arguments: list[str], folder: Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run([str(MERCER), *arguments], cwd=folder, capture_output=True, text=True, check=False, **options)


def fresh(name: str) -> Path:
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def signals(count: int, which: signal.Signals, seed: int) -> tuple[list[str], list[str]]:
    """A line of the table, and what went wrong."""
    folder, draw = fresh(which.name), random.Random(seed)
    data = words("@svmguide1")[0]
    model = folder / "model"
    assert run([*TRAIN[:-1], "0.5", data, "model"], folder).returncode == 0
    old = model.read_bytes()
    began = time.perf_counter()
    assert run([*TRAIN, data, "model"], folder).returncode == 0
    whole, new = time.perf_counter() - began, model.read_bytes()
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for trial in range(count):
        for left in folder.iterdir():
            left.unlink()
        model.write_bytes(old)
        program = subprocess.Popen([str(MERCER), *TRAIN, data, "model"], cwd=folder, stderr=subprocess.PIPE)
        moment = draw.uniform(0.0, 1.2 * whole)
        time.sleep(moment)
        program.send_signal(which)
        _, error = program.communicate()
        found = model.read_bytes() if model.exists() else b""
        if found in (old, new):
            counts["old" if found == old else "new"] += 1
        elif which is not signal.SIGKILL and run(["inspect", "model"], folder).returncode == 0:
            counts["best so far"] += 1
        else:
            wrong.append(f"{which.name} {trial} after {moment:.4f} s: a model of {len(found)} bytes")
        others = [path.name for path in folder.iterdir() if path != model]
        counts["others left"] += bool(others)
        if others and which is not signal.SIGKILL:
            wrong.append(f"{which.name} {trial} after {moment:.4f} s: {others} left")
        if b"panicked" in error:
            wrong.append(f"{which.name} {trial}: {error[-200:]!r}")
    names = ("old", "new", "best so far", "others left")
    return [which.name, str(count), *(str(counts[name]) for name in names), str(len(wrong))], wrong


def checkpoints(count: int, seed: int) -> tuple[list[str], list[str]]:
    """A line of the table of fits that go on after they were killed so many times in all, and what went wrong."""
    folder, draw = fresh("checkpoints"), random.Random(seed)
    data = words("@svmguide1")[0]
    began = time.perf_counter()
    whole = json.loads(run([*LONG, data, "whole"], folder).stdout.splitlines()[-1])
    seconds = time.perf_counter() - began
    kills, fits, on, wrong = 0, 0, 0, []
    while kills < count:
        program = subprocess.Popen(
            [str(MERCER), *LONG, "--checkpoint", "kept", "--checkpoint-every", "0.01", data, "model"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        there = (folder / "kept").exists()
        try:
            out, error = program.communicate(timeout=draw.uniform(0.0, 0.6 * seconds))
        except subprocess.TimeoutExpired:
            program.kill()
            program.communicate()
            kills += 1
            continue
        fits, on = fits + 1, on + there
        if program.returncode != 0 or (there and "goes on" not in error):
            wrong.append(f"after {kills} kills: exit code {program.returncode}: {error[-200:]}")
            (folder / "kept").unlink(missing_ok=True)
            continue
        found = json.loads(out.splitlines()[-1])
        if abs(found["objective"] - whole["objective"]) > found["gap"] + whole["gap"] or found["stop"] != "converged":
            wrong.append(f"after {kills} kills: objective {found['objective']}, not {whole['objective']}")
        left = [path.name for path in folder.iterdir() if path.name == "kept"]
        if left or run(["verify", "model", data], folder).returncode != 0:
            wrong.append(f"after {kills} kills: {left} left, or a model that is not true")
    return [str(kills), str(fits), str(on), str(len(wrong))], wrong


def refused(what: str, done: subprocess.CompletedProcess, folder: Path, kept: set[str]) -> list[str]:
    """What is wrong with an end that is to be an error without a half file."""
    found = []
    if done.returncode not in TOLD or done.returncode == 0 or not done.stderr.strip() or "panicked" in done.stderr:
        found.append(f"{what}: exit code {done.returncode}: {done.stderr[-200:]}")
    others = {path.name for path in folder.iterdir()} - kept
    if others:
        found.append(f"{what}: {others} left")
    return found


def disks() -> tuple[list[list[str]], list[str]]:
    """A full disk and a folder that cannot be written, where this system lets a small one be mounted."""
    lines, wrong = [], []
    folder = fresh("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "mercer-faults", str(folder)]
    try:
        mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        return [["full disk, read-only folder", "skipped: nothing can be mounted"]], []
    try:
        for name, option in (("full disk", None), ("read-only folder", "remount,ro")):
            if option:
                subprocess.run(["mount", "-o", option, str(folder)], check=True)
            found = []
            for text in ("train -q @svmguide1 out", "svm-train -q @svmguide1 out", "kernel gram -k rbf(gamma=1) @svmguide1 out"):
                found += refused(f"{name}: {text}", run(words(text), folder), folder, set())
            lines.append([name, "told" if not found else "WRONG"])
            wrong += found
    finally:
        subprocess.run(["umount", str(folder)], check=False)
    return lines, wrong


def pipes() -> tuple[list[list[str]], list[str]]:
    """A reader that closes its end, and two writers of one model."""
    wrong = []
    folder = fresh("pipe")
    data = words("@svmguide1")[0]
    for text in (f"svm-scale {data}", "methods"):
        line = f"'{MERCER}' {text} | head -n 1 > first"
        done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
        if "panicked" in done.stderr or "Broken pipe" in done.stderr:
            wrong.append(f"a pipe that closes: {done.stderr[-200:]}")
    wholes = []
    for c in ("0.1", "0.5"):
        run([*TRAIN[:-1], c, data, "model"], folder)
        wholes.append((folder / "model").read_bytes())
    for _ in range(100):
        pair = [subprocess.Popen([str(MERCER), *TRAIN[:-1], c, data, "model"], cwd=folder) for c in ("0.1", "0.5")]
        codes = [each.wait() for each in pair]
        if codes != [0, 0] or (folder / "model").read_bytes() not in wholes:
            wrong.append(f"two writers: {codes}, a model of {(folder / 'model').stat().st_size} bytes")
    return [["a pipe that closes", ""], ["two writers of a model, 100 times", ""]], wrong


def limits() -> tuple[list[list[str]], list[str]]:
    """Every command under limits of its address space."""
    lines, wrong = [], []
    for text in COMMANDS:
        codes = []
        for limit in LIMITS:
            folder = fresh("limit")
            if "model" in text:
                run(words("train -q @svmguide1 model"), folder)
            quoted = " ".join(f"'{word}'" for word in words(text))
            line = f"ulimit -v {limit}; exec '{MERCER}' {quoted}"
            done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
            codes.append(str(done.returncode))
            ended = done.returncode in TOLD and "panicked" not in done.stderr
            # The system's loader has a message and a code of its own.
            loader = done.returncode == 127 and re.search("shared librar|libc|ld-linux", done.stderr)
            if not (ended or loader) or (done.returncode and (folder / "out").exists()):
                wrong.append(f"{limit} kB: {text}: exit code {done.returncode}: {done.stderr[-200:]}")
        lines.append([text, " ".join(codes)])
    return lines, wrong


def main() -> int:
    """Prints the tables; 1 if something was lost."""
    parser = argparse.ArgumentParser(prog="cargo xtask faults", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="trials of each signal (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="what the moments are drawn by (default 0)")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    rows, wrong = [], []
    for which in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        row, found = signals(options.count, which, options.seed)
        rows.append(row)
        wrong += found
    signalled = table(["signal", "trials", "old model", "new model", "best so far", "others left", "lost"], rows)
    print(signalled, flush=True)
    row, found = checkpoints(options.count, options.seed)
    wrong += found
    print("\n" + table(["kills of fits with checkpoints", "fits ended", "went on", "wrong"], [row]), flush=True)
    for part, head in ((disks, ["refusal", "end"]), (pipes, ["other programs", ""]), (limits, ["under limits of memory", "exit codes"])):
        lines, found = part()
        print("\n" + table(head, lines), flush=True)
        wrong += found
    for each in wrong:
        print(f"WRONG: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
