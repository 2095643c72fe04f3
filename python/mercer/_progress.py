"""Progress of a fit: scikit-learn's callbacks, and a bar."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method

__all__ = ["CallbackSupportMixin", "following", "with_callbacks"]

State = dict[str, Any]
_WIDTH = 24


class Bar:
    """One line that is written over: in a terminal and in a notebook alike."""

    def __init__(self, name: str, tolerance: float | None) -> None:
        self.name, self.tolerance, self.worst, self.shown = name, tolerance, 0.0, 0
        self.started = time.perf_counter()

    def share(self, state: State) -> float:
        """What is done: of work whose cost is known, or by orders of magnitude of the violation."""
        if "done" in state:
            return float(state["done"])
        violation = state["violation"]
        if not self.tolerance or not (math.isfinite(violation) and violation > 0.0):
            return 0.0
        self.worst = max(self.worst, violation)
        whole = math.log(self.worst / self.tolerance)
        return min(max(math.log(self.worst / violation) / whole, 0.0), 1.0) if whole > 0.0 else 1.0

    def text(self, state: State) -> str:
        """The line."""
        filled = round(_WIDTH * self.share(state))
        line = f"{self.name} [{'#' * filled}{'.' * (_WIDTH - filled)}]"
        if "stage" in state:
            line += f" {100 * state['done']:3.0f} % {state['stage']}"
        else:
            if state["parts"] > 1:
                line += f" {state['part'] + 1}/{state['parts']}"
            line += f" violation {state['violation']:.1e}"
            if state["gap"] is not None and math.isfinite(state["gap"]):
                line += f" gap {state['gap']:.1e}"
        return f"{line} {state['elapsed']:.1f} s"

    def show(self, line: str) -> None:
        """Writes over what was there."""
        sys.stderr.write("\r" + line.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(line)

    def close(self, end: str | None = None) -> None:
        """Leaves the last line where it is, or what came of it."""
        if end is not None:
            self.show(f"{self.name} [{'#' * _WIDTH}] {end} {time.perf_counter() - self.started:.1f} s")
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()


@contextmanager
def following(
    estimator: Any, X: Any, y: Any, tolerance: float | None
) -> Iterator[Callable[[State], None] | None]:
    """What the native library shows its state to; None where nothing is shown."""
    bar = Bar(type(estimator).__name__, tolerance) if getattr(estimator, "verbose", False) else None
    task = None
    if getattr(estimator, "_skl_callbacks", None):
        task = estimator._init_callback_context(max_subtasks=None)
        task.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def see(state: State) -> None:
        if bar is not None:
            bar.show(bar.text(state))
        if task is not None:
            name = state.get("stage", "round")
            step = task.subcontext(task_name=name)
            step.call_on_fit_task_begin(estimator=estimator, metadata=state)
            step.call_on_fit_task_end(estimator=estimator, metadata=state)

    try:
        yield see if bar is not None or task is not None else None
    except BaseException:
        if bar is not None:
            bar.close()
        raise
    if bar is not None:
        bar.close(estimator._summary())
    if task is not None:
        task.call_on_fit_task_end(estimator=estimator, X=X, y=y)
