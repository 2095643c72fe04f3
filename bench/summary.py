"""What the runs of one case amount to: medians, agreement of the objectives, ratios."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from measure import Run
from table import number, table

AGREEMENT = 1e-4
FOREIGN = 0.05
MEGABYTE = 1e6


@dataclass
class Line:
    """All runs of one program in one case."""

    program: str
    runs: list[Run]

    @property
    def good(self) -> list[Run]:
        return [run for run in self.runs if not run.error]

    def first(self, key: str) -> float | None:
        """The value of the first run that has it: the objective comes from one run only."""
        return next((run.result[key] for run in self.good if run.result.get(key) is not None), None)

    @property
    def fit(self) -> float | None:
        """The median fit time."""
        return median(run.result["fit_seconds"] for run in self.good) if self.good else None

    @property
    def error(self) -> str:
        """Why there is no fit time, or ''."""
        return "" if self.good else self.runs[-1].error

    @property
    def rate(self) -> float | None:
        """Rows predicted in a second, by the median of the runs."""
        found = [run.result for run in self.good if run.result.get("predict_seconds")]
        return median(one["predict_rows"] / one["predict_seconds"] for one in found) if found else None


class Summary:
    """The lines of one case, mercer's first."""

    def __init__(self, case: str, runs: Iterable[Run]) -> None:
        self.case = case
        by_program: dict[str, Line] = {}
        for run in runs:
            by_program.setdefault(run.program, Line(run.program, [])).runs.append(run)
        self.mercer = by_program.pop("mercer", None)
        self.peers = sorted(by_program.values(), key=lambda line: line.fit or float("inf"))
        objectives = [line.first("objective") for line in self.lines]
        # All minimise the same function by coefficients that the oracle looks at: the lowest is the nearest.
        self.reference = min((value for value in objectives if value is not None), default=None)

    @property
    def lines(self) -> list[Line]:
        return ([self.mercer] if self.mercer else []) + self.peers

    @property
    def fastest(self) -> Line | None:
        return next((line for line in self.peers if line.fit is not None), None)

    @property
    def ratio(self) -> float | None:
        """How many times as long as mercer the fastest peer takes."""
        return self.ratio_of(self.fastest) if self.fastest else None

    def ratio_of(self, line: Line) -> float | None:
        ours = self.mercer.fit if self.mercer else None
        return line.fit / ours if line.fit is not None and ours else None

    def disagrees(self, line: Line) -> bool:
        """Whether a program's objective is above the lowest by more than 1e-4 of it."""
        value = line.first("objective")
        return value is not None and abs(value - self.reference) > AGREEMENT * abs(self.reference)

    @property
    def failures(self) -> list[str]:
        """What makes the benchmark fail: mercer short of the optimum or without a result, or a crash."""
        found = []
        if self.mercer and self.disagrees(self.mercer):
            found.append(f"{self.case}: mercer: objective above that of a peer")
        for line in self.lines:
            crash = next((run.error for run in line.runs if run.error and not run.timed_out), "")
            if crash:
                found.append(f"{self.case}: {line.program}: {crash}")
        if self.mercer and self.mercer.fit is None and self.mercer.runs[-1].timed_out:
            found.append(f"{self.case}: mercer: {self.mercer.error}")
        return found

    def text(self) -> str:
        """The table of the case and what is to be said about it."""
        header = [
            "program",
            "fit s",
            "min",
            "runs",
            "peak MB",
            "objective",
            "#SV",
            "accuracy",
            "predict rows/s",
            "× mercer",
        ]
        spread = [
            abs(v - self.reference) / abs(self.reference)
            for line in self.lines
            if (v := line.first("objective")) is not None
        ]
        notes = [f"objectives agree to {max(spread):.0e} relative (at most {AGREEMENT:.0e} allowed)"] if spread else []
        if any(self.disagrees(line) for line in self.lines):
            notes = [f"short of the optimum (≠): up to {max(spread):.0e} relative, {AGREEMENT:.0e} allowed"]
        notes += self.over_floor()
        foreign = max((run.foreign for line in self.lines for run in line.runs), default=0.0)
        if foreign > FOREIGN:
            notes.append(f"other processes took up to {foreign:.0%} of the processors during a run")
        return "\n".join([table(header, [self.row(line) for line in self.lines]), *(f"  {note}" for note in notes)])

    @property
    def floor(self) -> float | None:
        """Seconds for each support vector's kernel row once, at the speed of mercer's prediction in this run."""
        rows = self.mercer.first("rows") if self.mercer else None
        return rows / self.mercer.rate if rows and self.mercer.rate else None

    @property
    def times_floor(self) -> float | None:
        """mercer's fit over the floor."""
        return self.mercer.fit / self.floor if self.floor and self.mercer.fit else None

    def over_floor(self) -> list[str]:
        """How far mercer's fit is from the floor, and where its time went."""
        if not self.times_floor:
            return []
        phases = self.mercer.first("phases") or {}
        total = sum(phases.values()) or 1.0
        parts = ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in phases.items() if seconds > 0.005 * total)
        return [f"floor {self.floor:.3f} s, mercer's fit {self.times_floor:.1f} times that: {parts}"]

    def row(self, line: Line) -> list[str]:
        """The cells of one program."""
        fastest = min((run.result["fit_seconds"] for run in line.good), default=None)
        peak = max((run.result["peak_bytes"] for run in line.good), default=None)
        mark = " ≠" if self.disagrees(line) else ""
        return [
            line.program,
            line.error.split(":")[0] or number(line.fit, ".3f"),
            number(fastest, ".3f"),
            str(len(line.good)),
            number(peak and peak / MEGABYTE, ".0f"),
            number(line.first("objective"), ".4f") + mark,
            number(line.first("support_vectors"), "d"),
            number(line.first("accuracy"), ".4f"),
            number(line.rate, ",.0f"),
            number(self.ratio_of(line), ".2f"),
        ]
