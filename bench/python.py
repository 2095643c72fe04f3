"""mercer's Python package beside scikit-learn, scikit-learn-intelex and mercer's own program, in one run.

Run by `cargo xtask bench-python`; the method is that of `run.py` (see `bench/README.md`): one process a fit, medians,
one oracle for all objectives. The time of a package is that of `SVC.fit` from NumPy or SciPy arrays, conversion of the
data included; the time of the program (`cli`) is that of its fit alone, so that `× cli` says what Python costs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

import data
import measure
import peers
from cases import CASES, EXTRA, Case
from measure import Run
from summary import AGREEMENT, FOREIGN, MEGABYTE, Line, Summary
from table import number, table

DEFAULT = ("a9a", "mnist10k", "ijcnn1", "letter")
PROGRAM = "cli"
# One this many times slower than the fastest is not repeated.
HOPELESS = 10.0
OTHERS = ("sklearn-dense", "sklearn-csr", "sklearnex-f32-dense", "sklearnex-f64-dense", "sklearnex-f64-csr")
PROGRAMS = (PROGRAM, *peers.PACKAGE, *OTHERS)
HEADER = "program|fit s|min|runs|convert|peak MB|objective|#SV|accuracy|× cli|× package".split("|")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench-python",
        description="Fits mercer.SVC, scikit-learn's and scikit-learn-intelex's SVC and the program mercer on the same "
        "data in one run, checks that their dual objectives agree and prints times, conversion, memory and ratios.",
        epilog=f"programs: {', '.join(PROGRAMS)}",
    )
    parser.add_argument("--case", metavar="NAME[,NAME]", default=",".join(DEFAULT), help=f"default {','.join(DEFAULT)}")
    parser.add_argument("--programs", metavar="NAME[,NAME]", help="only these; 'mercer' stands for all that begin so")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the median counts (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="threads for everyone who can use them (default 2)")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds until a run is stopped (default 300)")
    parser.add_argument(
        "--python", type=Path, default=sys.executable, help="the interpreter that has the package (default: this one)"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every run to a file")
    return parser.parse_args()


def chosen(wanted: str | None) -> list[str]:
    """Programs by their names or by the beginnings of them."""
    if not wanted:
        return list(PROGRAMS)
    found = []
    for word in wanted.split(","):
        matching = [name for name in PROGRAMS if name == word or name.startswith(f"{word}-")]
        if not matching:
            sys.exit(f"bench-python: no program '{word}'; there are {', '.join(PROGRAMS)}")
        found += matching
    return found


def chosen_cases(wanted: str) -> list[Case]:
    """Cases by their names."""
    known = {case.name: case for case in (*CASES, *EXTRA) if case.machine == "svc"}
    for name in wanted.split(","):
        if name not in known:
            sys.exit(f"bench-python: no case '{name}'; there are {', '.join(known)}")
    return [known[name] for name in wanted.split(",")]


def run_case(case: Case, programs: list[str], options: argparse.Namespace) -> list[Run]:
    """Every program once in each round; one that failed or is far behind only in the first."""
    train, test = data.prepare(case.data)
    runs: list[Run] = []
    for turn in range(options.repeat):
        fastest = min((run.result["fit_seconds"] for run in runs if not run.error), default=0.0)
        for name in programs:
            before = [run for run in runs if run.program == name]
            if any(run.error or run.result["fit_seconds"] > HOPELESS * fastest for run in before):
                continue
            if name == PROGRAM:
                run = measure.mercer(case, train, test, options.threads, options.timeout, turn == 0)
                run.program = PROGRAM
            else:
                python = options.python if name in peers.PACKAGE else sys.executable
                run = measure.peer(name, case, train, test, options.threads, options.timeout, turn == 0, python)
            seconds = run.error or f"{run.result['fit_seconds']:.3f} s"
            foreign = f"  (other processes: {run.foreign:.0%})" if run.foreign > FOREIGN else ""
            print(f"    {name:24} {seconds}{foreign}", flush=True)
            runs.append(run)
    return runs


def share(line: Line) -> str:
    """The part of the fit that went into the form of the data."""
    told = [run.result for run in line.good if "convert_seconds" in run.result]
    parts = [result["convert_seconds"] / result["fit_seconds"] for result in told]
    return f"{median(parts):.1%}" if parts else "-"


def text(summary: Summary) -> str:
    """The table of one case."""
    by_name = {line.program: line for line in summary.lines}
    cli = by_name[PROGRAM].fit if PROGRAM in by_name else None
    package = min((line.fit for name, line in by_name.items() if name in peers.PACKAGE and line.fit), default=None)
    rows = []
    for name in sorted(by_name, key=PROGRAMS.index):
        line = by_name[name]
        fastest = min((run.result["fit_seconds"] for run in line.good), default=None)
        peak = max((run.result["peak_bytes"] for run in line.good), default=None)
        rows.append(
            [
                name,
                line.error.split(":")[0] or number(line.fit, ".3f"),
                number(fastest, ".3f"),
                str(len(line.good)),
                share(line),
                number(peak and peak / MEGABYTE, ".0f"),
                number(line.first("objective"), ".4f") + (" ≠" if summary.disagrees(line) else ""),
                number(line.first("support_vectors"), "d"),
                number(line.first("accuracy"), ".4f"),
                number(line.fit and cli and line.fit / cli, ".2f"),
                number(line.fit and package and line.fit / package, ".2f"),
            ]
        )
    return table(HEADER, rows)


def failures(summary: Summary) -> list[str]:
    """Crashes of anybody, and objectives of ours that are not the optimum."""
    found = []
    for line in summary.lines:
        crashes = [run.error for run in line.runs if run.error and not run.timed_out]
        found += [f"{summary.case}: {line.program}: {crash}" for crash in crashes]
        if line.program in (PROGRAM, *peers.PACKAGE) and summary.disagrees(line):
            found.append(f"{summary.case}: {line.program}: objective more than {AGREEMENT:.0e} above the lowest")
    return found


def main() -> int:
    """Runs the cases, prints the tables; 1 if something failed or disagreed."""
    options = arguments()
    programs, cases = chosen(options.programs), chosen_cases(options.case)
    start, failed, skipped, kept = time.perf_counter(), [], [], []
    for case in cases:
        print(f"\n{case.name}: {case.parameters}; {options.threads} threads, tolerance {measure.TOLERANCE:g}")
        try:
            runs = run_case(case, programs, options)
        except data.Missing as missing:
            print(f"    skipped: {missing} not found (set MERCER_DATA)")
            skipped.append(case.name)
            continue
        summary = Summary(case.name, runs)
        print(text(summary))
        failed += failures(summary)
        kept += [{"case": case.name, **vars(run)} for run in runs]
    if options.json:
        options.json.write_text(json.dumps({"runs": kept, "skipped": skipped}, indent=1) + "\n")
    for failure in failed:
        print(f"FAILED {failure}")
    ran = len(cases) - len(skipped)
    print(f"\n{ran} cases ran, {len(skipped)} skipped, {len(failed)} failures, {time.perf_counter() - start:.0f} s")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
