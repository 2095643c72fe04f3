"""Runs one program in a process of its own and reports what it printed, or why there is nothing to report."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import data
import oracle
from cases import Case
from place import MERCER, PREPARED

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-3


@dataclass
class Run:
    """What came of one run. `error` is empty when it ended well; `foreign` is the share of all cores' time that
    went to other processes meanwhile."""

    program: str
    result: dict
    error: str
    foreign: float

    @property
    def timed_out(self) -> bool:
        return self.error.startswith(">")


def busy_seconds() -> float:
    """Processor time spent by everybody, over all cores, since the machine started."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _wait, interrupt, soft, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + interrupt + soft) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """Processor time of this process and its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def execute(program: str, command: list, limit: float, threads: int) -> Run:
    """Runs a command whose last line is a JSON object, on `threads` cores, for at most `limit` seconds."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    start, busy, own = time.perf_counter(), busy_seconds(), own_seconds()
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        result, error = last_object(done)
    except subprocess.TimeoutExpired:
        result, error = {}, f"> {limit:.0f} s"
    except OSError as problem:
        result, error = {}, str(problem)
    elapsed = time.perf_counter() - start
    foreign = (busy_seconds() - busy - (own_seconds() - own)) / (elapsed * (os.cpu_count() or 1))
    return Run(program, result, error, max(foreign, 0.0))


def last_object(done: subprocess.CompletedProcess) -> tuple[dict, str]:
    """The JSON object that ends standard output, or the last words on the standard error."""
    lines = done.stdout.strip().splitlines()
    try:
        result = json.loads(lines[-1])
        if isinstance(result, dict):
            return result, ""
    except (IndexError, json.JSONDecodeError):
        pass
    words = done.stderr.strip().splitlines() or ["no JSON object at the end of its output"]
    return {}, f"exit code {done.returncode}: {words[-1][:200]}"


def peer(
    name: str,
    case: Case,
    train: Path,
    test: Path | None,
    threads: int,
    limit: float,
    first: bool,
    python: str | Path = sys.executable,
) -> Run:
    """One fit of a peer and a prediction; its first run is also checked by the oracle. `python` has the peer."""
    numbers = {name: repr(getattr(case, name)) for name in ("c", "gamma", "nu", "epsilon")}
    parameters = [word for name, value in numbers.items() for word in (f"--{name}", value)]
    parameters += ["--machine", case.machine, "--threads", threads]
    files = [train, test] if test else [train]
    extra = ["--check"] if first else []
    return execute(name, [python, HERE / "peers.py", name, *files, *parameters, *extra], limit, threads)


def mercer(case: Case, train: Path, test: Path | None, threads: int, limit: float, first: bool) -> Run:
    """One fit of mercer, whose model then predicts the test part (or the training rows)."""
    model = PREPARED / f"{case.name}.mercer"
    own = {
        "svc": ["-c", repr(case.c)],
        "nu-svc": ["--nu", repr(case.nu)],
        "svr": ["-c", repr(case.c), "-p", repr(case.epsilon)],
        "one-class": ["--nu", repr(case.nu)],
    }
    options = ["--method", case.machine, *own[case.machine]]
    options += ["--kernel", f"rbf(gamma={case.gamma!r})", "--tolerance", repr(TOLERANCE)]
    command = [MERCER, "train", *options, "--threads", threads, "--json", train, model]
    run = execute("mercer", command, limit, threads)
    if not run.error:
        out = PREPARED / f"{case.name}.predictions"
        guess = execute("mercer", [MERCER, "predict", "--json", test or train, model, out], limit, threads)
        run.error = guess.error and f"predict: {guess.error}"
        if not run.error:
            run.result["predict_rows"] = guess.result["rows"]
            run.result["predict_seconds"] = guess.result["predict_seconds"]
            run.result["accuracy"] = guess.result["accuracy"] if test else None
            run.result["claimed_objective"] = run.result.pop("objective")
    if first and not run.error:
        run.result["objective"] = oracle.of_model(as_libsvm(model), *data.load(train), case)
    return run


def as_libsvm(model: Path) -> Path:
    """A model as LIBSVM's text."""
    text = model.with_suffix(".model")
    command = [MERCER, "convert", "--to", "libsvm-model", model, text]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    return text
