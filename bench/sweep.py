"""mercer.SVC and its family beside scikit-learn and scikit-learn-intelex over many data sets and settings.

Run by `cargo xtask bench --sweep`; the cases are in `sweep_cases.py`, the fits in `sweep_fit.py`. Every program is a process that
stays, with the data in the form it wants, and is asked for one fit at a time. In each round every program fits once, so that a
slow minute meets all. The first fit is a warm-up where it takes less than `WARM` seconds. The median counts.

A program whose value (dual objective; residual; minus the explained variance) lies more than `AGREEMENT` above the lowest does not
count. The ratio is the time of the fastest other program over mercer's: 2 means that mercer takes half as long.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import sweep_cases
from place import PREPARED
from sweep_cases import CASES, Case
from sweep_fit import PROGRAMS
from table import table

HERE = Path(__file__).resolve().parent
AGREEMENT = 1e-4
WARM = 1.0
# Fits of a case stop after this many seconds for each program.
ENOUGH = 1.5
MOST_FITS = 7
# A program this many times slower than the fastest is not asked again.
HOPELESS = 4.0
RESULTS = PREPARED / "sweep.json"


class Program:
    """A process that fits."""

    def __init__(self, name: str, threads: int) -> None:
        self.name, self.threads = name, threads
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """Starts the process, and a thread that reads its answers."""
        words = [sys.executable, str(HERE / "sweep_fit.py"), self.name, str(self.threads)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.answers: queue.Queue[str] = queue.Queue()

        def listen(process: subprocess.Popen, answers: queue.Queue[str]) -> None:
            for line in process.stdout:
                answers.put(line)
            answers.put("")

        threading.Thread(target=listen, args=(self.process, self.answers), daemon=True).start()

    def ask(self, case: Case, check: bool, limit: float) -> dict:
        """The answer to a question; after `limit` seconds the process is ended."""
        if self.process is None:
            self.start()
        self.process.stdin.write(json.dumps({"case": case.fields(), "check": check}) + "\n")
        self.process.stdin.flush()
        try:
            line = self.answers.get(timeout=limit)
        except queue.Empty:
            self.end()
            return {"error": f"> {limit:.0f} s"}
        if line.startswith("{"):
            return json.loads(line)
        self.end()
        return {"error": "it ended"}

    def end(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass
class Line:
    """What a program has answered in a case."""

    seconds: list[float] = field(default_factory=list)
    value: float | None = None
    error: str = ""

    @property
    def fit(self) -> float | None:
        """The median."""
        return median(self.seconds) if self.seconds and not self.error else None


def fits(case: Case, programs: list[Program], limit: float) -> dict[str, Line]:
    """Rounds of fits until there are enough."""
    lines = {program.name: Line() for program in programs}
    for turn in range(MOST_FITS):
        asked = False
        fastest = min((line.fit for line in lines.values() if line.fit), default=math.inf)
        for program in programs:
            line = lines[program.name]
            slow = program.name != "mercer" and line.fit and line.fit > HOPELESS * fastest
            if line.error or (turn and (slow or sum(line.seconds) > ENOUGH)):
                continue
            answer = program.ask(case, turn == 0, limit)
            line.error = answer.get("error", "")
            if line.error:
                continue
            asked = True
            line.value = answer.get("value", line.value)
            # The first fit of a process also loads what it needs.
            if turn == 0 and answer["seconds"] < WARM:
                answer = program.ask(case, False, limit)
            line.seconds.append(answer.get("seconds", math.inf))
        if not asked:
            break
    return lines


def reaches(line: Line, lines: dict[str, Line]) -> bool:
    """Whether a program comes to the lowest value."""
    values = [other.value for other in lines.values() if other.value is not None]
    if line.value is None or not values:
        return True
    lowest = min(values)
    return line.value - lowest <= AGREEMENT * abs(lowest)


def row(case: Case, lines: dict[str, Line]) -> dict:
    """What is kept of a case."""
    family = lambda start: [(line.fit, name) for name, line in lines.items() if name.startswith(start) and line.fit and reaches(line, lines)]
    found: dict = {"name": case.name, "quick": case.quick, "mercer": lines["mercer"].fit}
    for start in ("sklearn-", "sklearnex-"):
        best = min(family(start), default=None)
        found[start] = best and {"seconds": best[0], "form": best[1].removeprefix(start)}
    peers = [found[start]["seconds"] for start in ("sklearn-", "sklearnex-") if found[start]]
    ours = found["mercer"]
    found["ratio"] = min(peers) / ours if peers and ours else None
    notes = [f"{name}: {line.error}" for name, line in lines.items() if line.error and line.error != "none"]
    notes += [f"{name} ≠" for name, line in lines.items() if line.fit and not reaches(line, lines)]
    found["notes"] = notes
    return found


def text(rows: list[dict]) -> str:
    """The table and what it amounts to."""
    cell = lambda peer: f"{peer['seconds']:.4f} {peer['form']}" if peer else "–"
    number = lambda value, form: "–" if value is None else format(value, form)
    lines = [
        [r["name"], number(r["mercer"], ".4f"), cell(r["sklearn-"]), cell(r["sklearnex-"]), number(r["ratio"], ".2f")]
        for r in rows
    ]
    shown = table(["case", "mercer s", "scikit-learn s", "sklearnex s", "ratio"], lines)
    ratios = sorted(r["ratio"] for r in rows if r["ratio"])
    notes = [f"{r['name']}: {'; '.join(r['notes'])}" for r in rows if r["notes"]]
    if not ratios:
        return "\n".join([shown, *notes])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    below = ", ".join(f"{sum(ratio < bound for ratio in ratios)} below {bound:g}" for bound in (1.0, 2.0, 3.0))
    summary = f"{len(rows)} cases, {len(ratios)} with a peer: geometric mean {mean:.2f}, worst {ratios[0]:.2f}, {below}"
    return "\n".join([shown, "", summary, *notes])


def markdown(rows: list[dict]) -> str:
    """The table for the book."""
    cell = lambda peer: f"{peer['seconds']:.3g} ({peer['form']})" if peer else "–"
    lines = ["| case | mercer s | scikit-learn s | sklearnex s | ratio |", "|---|---|---|---|---|"]
    for r in rows:
        ratio = "–" if r["ratio"] is None else f"{r['ratio']:.2f}"
        ours = "–" if r["mercer"] is None else f"{r['mercer']:.3g}"
        lines.append(f"| {r['name']} | {ours} | {cell(r['sklearn-'])} | {cell(r['sklearnex-'])} | {ratio} |")
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="cargo xtask bench --sweep", description="many data sets and settings side by side")
    parser.add_argument("--sweep", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="the small sweep, about five minutes")
    parser.add_argument("--only", metavar="TEXT[,TEXT]", help="cases whose name has one of these texts")
    parser.add_argument("--programs", metavar="NAME[,NAME]", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which a fit is stopped (default 60)")
    parser.add_argument("--add", action="store_true", help=f"keep earlier results of other cases ({RESULTS.name})")
    parser.add_argument("--show", action="store_true", help="show the results that are kept; fit nothing")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write the table as Markdown")
    return parser.parse_args()


def main() -> None:
    """Fits and shows."""
    options = arguments()
    cases = [case for case in CASES if case.quick or not options.quick]
    if options.only:
        cases = [case for case in cases if any(word in case.name for word in options.only.split(","))]
    names = options.programs.split(",") if options.programs else list(PROGRAMS)
    keeps = options.add or options.show
    kept = {r["name"]: r for r in json.loads(RESULTS.read_text())} if keeps and RESULTS.exists() else {}
    if not options.show:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.threads])
        programs = [Program(name, options.threads) for name in names]
        for number, case in enumerate(cases, 1):
            try:
                sweep_cases.load(case.data)
            except sweep_cases.data.Missing as missing:
                print(f"{case.name}: {missing} is not there", flush=True)
                continue
            kept[case.name] = row(case, fits(case, programs, options.limit))
            ratio = kept[case.name]["ratio"]
            print(f"{number}/{len(cases)} {case.name}: {'–' if ratio is None else format(ratio, '.2f')}", flush=True)
            RESULTS.write_text(json.dumps(list(kept.values()), ensure_ascii=False, indent=1))
        for program in programs:
            program.end()
    rows = [kept[case.name] for case in cases if case.name in kept]
    print(text(rows))
    if options.markdown:
        options.markdown.write_text(markdown(rows) + "\n")


if __name__ == "__main__":
    main()
