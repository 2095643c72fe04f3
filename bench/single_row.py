"""The case `single-row`: the prediction of one row at a time, from Rust and from Python, beside scikit-learn's SVC.

The model is that of the case a9a, on one thread (`cargo xtask bench --case single-row`). scikit-learn's machine is fitted to mercer's
support points alone, which have the same solution as all rows; that it is the same model is checked by its decisions. Rows come
sparse, stored densely (mostly zeros), and dense without a zero; each call is for another row than the call before. The figure is the
median over the rows of the fastest of several calls. Started with a name, this file is one run of that program.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp

import data
import measure
from cases import CASES
from place import EXAMPLES, MERCER, PREPARED
from table import number, table

NAME = "single-row"
CASE = next(case for case in CASES if case.name == "a9a")
MODEL = PREPARED / f"{NAME}.mercer"
PROGRAMS = ("mercer, Rust", "mercer, Python", "scikit-learn")
KINDS = {"sparse": "sparse row", "padded": "dense row", "dense": "dense, no zero"}
# Rows that are timed, and calls for each of which the fastest counts; as in `single_row.rs`.
ROWS, REPEATS = 200, 10
# Decisions may differ by this: both machines stop at a violation of 1e-3.
AGREEMENT = 1e-2


def rows_of_each_kind(test: Path) -> dict[str, list]:
    """The first rows of the test part, one at a time."""
    x = data.load(test)[0][:ROWS]
    dense = x.toarray()
    return {
        "sparse": [x[i] for i in range(x.shape[0])],
        "padded": [dense[i : i + 1] for i in range(x.shape[0])],
        "dense": [dense[i : i + 1] + 0.001 for i in range(x.shape[0])],
    }


def microseconds(call, rows: list) -> float:
    """The median over the rows of the fastest call."""
    call(rows[0])
    fastest = [float("inf")] * len(rows)
    for _ in range(REPEATS):
        for i, row in enumerate(rows):
            started = time.perf_counter()
            call(row)
            fastest[i] = min(fastest[i], time.perf_counter() - started)
    return 1e6 * median(fastest)


def run_program(program: str, train: Path, test: Path) -> dict:
    """The times of one program in this process, and its decisions of the timed rows."""
    import mercer

    rows = rows_of_each_kind(test)
    ours = mercer.load(MODEL)
    if program == "mercer, Python":
        ours.set_params(n_threads=1)
        machines = dict.fromkeys(KINDS, ours)
    else:
        from sklearn.svm import SVC

        x, y = data.load(train)
        x, y = x[ours.support_], y[ours.support_]
        settings = {"C": CASE.c, "gamma": CASE.gamma, "tol": measure.TOLERANCE, "cache_size": 2000}
        machines = {"sparse": SVC(**settings).fit(x, y), "padded": SVC(**settings).fit(x.toarray(), y)}
        machines["dense"] = machines["padded"]
    found = {kind: microseconds(machines[kind].predict, rows[kind]) for kind in KINDS}
    decisions = machines["sparse"].decision_function(sp.vstack(rows["sparse"], format="csr"))
    return {**found, "support_vectors": int(machines["sparse"].n_support_.sum()), "decisions": decisions.tolist()}


def once(program: str, train: Path, test: Path, options: Namespace) -> measure.Run:
    """One run of a program, in a process of its own on one core."""
    if program == "mercer, Rust":
        command = [EXAMPLES / "single_row", MODEL, test]
    else:
        command = [sys.executable, __file__, program, train, test]
    return measure.execute(program, command, options.timeout, 1)


def run(options: Namespace) -> tuple[str, list[str]]:
    """The table of the case, and what failed."""
    train, test = data.prepare(CASE.data)
    kernel = f"rbf(gamma={CASE.gamma!r})"
    fit = [MERCER, "train", "-c", repr(CASE.c), "--kernel", kernel, "--tolerance", repr(measure.TOLERANCE)]
    fitted = measure.execute("mercer", [*fit, "--json", train, MODEL], options.timeout, options.threads)
    if fitted.error:
        return "", [f"{NAME}: mercer: {fitted.error}"]
    runs: dict[str, list[dict]] = {program: [] for program in PROGRAMS}
    failures = []
    for _ in range(options.repeat):
        for program in PROGRAMS:
            found = once(program, train, test, options)
            shown = found.error or f"{found.result['sparse']:.1f} µs"
            print(f"    {program:24} {shown}", flush=True)
            if found.error:
                failures.append(f"{NAME}: {program}: {found.error}")
            else:
                runs[program].append(found.result)
    decisions = {program: np.array(found[0]["decisions"]) for program, found in runs.items() if found and "decisions" in found[0]}
    if len(decisions) == 2:
        apart = float(np.abs(np.subtract(*decisions.values())).max())
        if apart > AGREEMENT:
            failures.append(f"{NAME}: decisions differ by {apart:.1e}")
    times = {
        program: {kind: median(found[kind] for found in runs[program]) if runs[program] else None for kind in KINDS}
        for program in PROGRAMS
    }
    return text(times), failures


def text(times: dict[str, dict[str, float | None]]) -> str:
    """Microseconds of a call, and how many times those of mercer from Python."""
    ours, lines = times["mercer, Python"], []
    for program, found in times.items():
        cells = [program]
        for kind in KINDS:
            own, base = found[kind], ours[kind]
            cells += [number(own, ".1f"), number(own / base if own and base else None, ".2f")]
        lines.append(cells)
    header = ["µs a call"] + [word for kind in KINDS.values() for word in (kind, "× Python")]
    return table(header, lines)


if __name__ == "__main__":
    print(json.dumps(run_program(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
