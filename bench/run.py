"""mercer and its peers on the same data, in one run. Run by `cargo xtask bench`; method in `bench/README.md`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median

import algebra
import data
import libsvm_build
import measure
import peers
import single_row
from cases import CASES, EXTRA, QUICK, READ, Case
from measure import Run
from place import MERCER, PREPARED
from summary import FOREIGN, Summary
from table import number, table

# A peer this many times slower than the fastest cannot become the fastest: it is not repeated, unless other
# processes disturbed it.
HOPELESS = 3.0
# A peer this many times slower than the fastest so far, and over a minute, is stopped.
ENDLESS, MINUTE = 20.0, 60.0
READ_TIMES = 10


def arguments() -> argparse.Namespace:
    """The command line."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench",
        description="Fits mercer and its peers on the same data in one run, checks that their dual objectives agree "
        "and prints times, memory and ratios.",
        epilog=f"cases: {', '.join([*names, *algebra.PEERS, single_row.NAME, READ])}; by name only: {', '.join(c.name for c in EXTRA)}. "
        f"peers: {', '.join(peers.NAMES)}",
    )
    parser.add_argument("--case", metavar="NAME[,NAME]", help="only these cases")
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK)}: one repeat, the two fastest peers")
    parser.add_argument("--threads", type=int, default=2, help="threads for everyone who can use them (default 2)")
    parser.add_argument("--repeat", type=int, help="runs of each program, of which the median counts (default 3)")
    parser.add_argument(
        "--peers", metavar="NAME[,NAME]", help="only these peers; 'sklearnex' stands for all that begin so"
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, help="seconds after which a run is stopped (default 300)"
    )
    parser.add_argument("--peers-only", action="store_true", help="leave mercer out")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every run to a file")
    return parser.parse_args()


def chosen_cases(options: argparse.Namespace) -> list[str]:
    """Names of the cases to run, in the order asked for."""
    known = {case.name for case in (*CASES, *EXTRA)} | {READ, single_row.NAME, *algebra.PEERS}
    if not options.case:
        if options.quick:
            return list(QUICK)
        # Without mercer there is no model to predict with.
        single = [] if options.peers_only else [single_row.NAME]
        return [*(case.name for case in CASES), *algebra.PEERS, *single, READ]
    names = options.case.split(",")
    for name in names:
        if name not in known:
            sys.exit(f"bench: no case '{name}'; there are {', '.join(sorted(known))}")
    return names


def chosen_peers(options: argparse.Namespace, case: Case) -> list[str]:
    """Names of the peers to run in a case."""
    able = [name for name in peers.NAMES if peers.has(name, case.machine)]
    if options.peers:
        found = []
        for wanted in options.peers.split(","):
            matching = [name for name in peers.NAMES if name == wanted or name.startswith(f"{wanted}-")]
            if not matching:
                sys.exit(f"bench: no peer '{wanted}'; there are {', '.join(peers.NAMES)}")
            found += [name for name in matching if name in able and name not in found]
        return found
    return list(case.fastest) if options.quick else able


def report(run: Run) -> Run:
    """One line for each run, as it ends."""
    foreign = f"  (other processes: {run.foreign:.0%})" if run.foreign > FOREIGN else ""
    seconds = run.error or f"{run.result['fit_seconds']:.3f} s"
    print(f"    {run.program:24} {seconds}{foreign}", flush=True)
    return run


def run_case(case: Case, options: argparse.Namespace) -> Summary:
    """All runs of a case: in each round every peer once, and mercer after each of them."""
    train, test = data.prepare(case.data)
    waiting, runs = chosen_peers(options, case), []

    def fit(name: str) -> Run:
        first = not any(run.program == name for run in runs)
        times = [run.result["fit_seconds"] for run in runs if run.program != "mercer" and not run.error]
        limit = min(options.timeout, max(MINUTE, ENDLESS * min(times))) if times else options.timeout
        if name == "mercer":
            return report(measure.mercer(case, train, test, options.threads, options.timeout, first))
        return report(measure.peer(name, case, train, test, options.threads, limit, first))

    for _ in range(options.repeat):
        for name in waiting or ["mercer"]:
            if name != "mercer":
                runs.append(fit(name))
            if not options.peers_only:
                runs.append(fit("mercer"))
        waiting = worth_repeating(waiting, runs)
    return Summary(case.name, runs)


def worth_repeating(names: list[str], runs: list[Run]) -> list[str]:
    """The peers that may still turn out to be the fastest: neither failed nor, undisturbed, far behind."""
    good = {name: [run for run in runs if run.program == name and not run.error] for name in names}
    times = {name: min(run.result["fit_seconds"] for run in found) for name, found in good.items() if found}
    best = min(times.values(), default=0.0)
    disturbed = {name for name, found in good.items() if any(run.foreign > FOREIGN for run in found)}
    return [name for name in times if times[name] <= HOPELESS * best or name in disturbed]


def run_read(options: argparse.Namespace) -> list[list[str]]:
    """Reading LIBSVM text: mercer on one and on all threads, scikit-learn's reader on one."""
    text = data.repeated(data.prepare("a9a")[0], READ_TIMES)
    megabytes = text.stat().st_size / 1e6
    rows, model = [], PREPARED / "read.mercer"
    # One second is enough to come back from a fit that nobody waits for: only the reading counts.
    train = [MERCER, "train", "--kernel", "linear", "-c", "1", "--time-limit", "1", "--json"]
    reader = "import sys,time,json,sklearn.datasets as d;t=time.perf_counter();d.load_svmlight_file(sys.argv[1]);"
    reader += "print(json.dumps({'read_seconds':time.perf_counter()-t}))"
    programs = {"load_svmlight_file, 1 thread": ([sys.executable, "-c", reader, text], 1)}
    if not options.peers_only:
        for threads in sorted({1, options.threads}):
            programs[f"mercer, {threads} thread{'s' * (threads > 1)}"] = (
                [*train, "--threads", threads, text, model],
                threads,
            )
    found: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(options.repeat):
        for name, (command, threads) in programs.items():
            run = measure.execute(name, command, options.timeout, threads)
            if run.error:
                print(f"    {name}: {run.error}")
            else:
                found[name].append(run.result["read_seconds"])
    for name, seconds in found.items():
        middle = median(seconds) if seconds else None
        rows.append([name, number(middle, ".3f"), number(middle and megabytes / middle, ".0f"), str(len(seconds))])
    return rows


def machine(options: argparse.Namespace) -> dict:
    """What the figures were measured on."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next(
            (line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.processor()
        )
    packages = ("libsvm-official", "scikit-learn", "scikit-learn-intelex", "thundersvm-cpu", "numpy", "scipy")
    return {
        "date": date.today().isoformat(),
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "python": platform.python_version(),
        "threads": options.threads,
        "versions": {name: version(name) for name in packages},
    }


def closing(summaries: list[Summary]) -> str:
    """One row for each case: the fastest peer, mercer, the ratio, the time over the floor."""
    rows = []
    for summary in summaries:
        fastest, ours = summary.fastest, summary.mercer
        rows.append(
            [
                summary.case,
                fastest.program if fastest else "–",
                number(fastest.fit if fastest else None, ".3f"),
                number(ours.fit if ours else None, ".3f"),
                number(summary.ratio, ".2f"),
                number(summary.times_floor, ".1f"),
            ]
        )
    return table(["case", "fastest peer", "its fit s", "mercer fit s", "ratio", "× floor"], rows)


def main() -> int:
    """Runs the cases, prints the tables; 1 if something failed or disagreed."""
    options = arguments()
    options.repeat = options.repeat or (1 if options.quick else 3)
    names = chosen_cases(options)
    by_name = {case.name: case for case in (*CASES, *EXTRA)}
    about = machine(options)
    libsvm_build.python_path()
    print(f"{about['processor']}, {about['cores']} cores, {about['memory_gb']} GB; {about['date']}")
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    print(f"{options.threads} threads, tolerance {measure.TOLERANCE:g}, median of {options.repeat}")
    summaries, skipped, failures, reading, solved = [], [], [], [], 0
    started = time.perf_counter()
    for name in names:
        try:
            if name == READ:
                print("\nread: LIBSVM text, a9a ten times over")
                reading = run_read(options)
                print(table(["reader", "seconds", "MB/s", "runs"], reading))
                failures += [f"read: {row[0]}: no result" for row in reading if row[3] == "0"]
                continue
            if name in algebra.PEERS:
                print(f"\n{name}: {algebra.ROWS} rows, {algebra.FEATURES} features, γ = {algebra.GAMMA:g}")
                text, failed = algebra.run(name, options)
                print(text)
                failures += failed
                solved += 1
                continue
            if name == single_row.NAME:
                print(f"\n{name}: {single_row.CASE.name}, {single_row.CASE.parameters}, one thread")
                text, failed = single_row.run(options)
                print(text)
                failures += failed
                solved += 1
                continue
            case = by_name[name]
            print(f"\n{name}: {case.parameters}")
            summary = run_case(case, options)
            summaries.append(summary)
            failures += summary.failures
            print(summary.text())
        except data.Missing as missing:
            print(f"    skipped: {missing} not found (set MERCER_DATA)")
            skipped.append(name)
    print(f"\n{closing(summaries)}" if summaries else "")
    if options.json:
        runs = [{"case": s.case, **vars(run)} for s in summaries for line in s.lines for run in line.runs]
        options.json.write_text(
            json.dumps({**about, "runs": runs, "read": reading, "skipped": skipped}, indent=1) + "\n"
        )
    if skipped:
        print(f"{len(skipped)} cases skipped for want of data: {', '.join(skipped)}")
    for failure in failures:
        print(f"FAILED {failure}")
    ran = len(summaries) + solved + bool(reading)
    print(f"{ran} cases ran, {len(skipped)} skipped, {len(failures)} failures, {time.perf_counter() - started:.0f} s")
    return 1 if failures or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
