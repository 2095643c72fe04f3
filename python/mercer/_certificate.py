"""What is known of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Certificate"]

_WORST = ["converged", "stalled", "iteration-limit", "time-limit", "interrupted"]


@dataclass(frozen=True)
class Certificate:
    """How good a fit is, and why it ended.

    Parameters
    ----------
    objective : float
        The dual objective, summed over all problems solved.
    gap : float or None
        Primal minus dual objective: the answer is at most this far from the best there is. None for a kernel that
        is not known to be positive semi-definite, where it bounds nothing.
    violation : float
        The largest violation of the optimality conditions.
    iterations : int
        Steps taken.
    rows : float
        Kernel rows computed, in rows of the whole problem.
    stop : str
        Why the solver stopped: "converged", "iteration-limit", "time-limit", "stalled" or "interrupted".
    exact : bool
        Whether the answer was finished by a linear system in double precision.
    parts : tuple of Certificate
        One for each problem, where there are several (pairs of classes).

    Examples
    --------
    >>> from mercer import SVC
    >>> certificate = SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).certificate_
    >>> certificate.stop, certificate.gap < 1e-6
    ('converged', True)
    """

    objective: float
    gap: float | None
    violation: float
    iterations: int
    rows: float
    stop: str
    exact: bool
    parts: tuple["Certificate", ...] = ()

    @classmethod
    def _of(cls, found: Sequence[dict[str, Any]]) -> "Certificate":
        """One for all problems. Where there was nothing to solve, or nothing is known, it says so."""
        if not found:
            return cls(0.0, None, 0.0, 0, 0.0, "unknown", False)
        parts = tuple(cls(**{"rows" if name == "kernel_rows" else name: part[name] for name in part}) for part in found)
        if len(parts) == 1:
            return parts[0]
        gaps = [part.gap for part in parts]
        return cls(
            objective=sum(part.objective for part in parts),
            gap=None if any(gap is None for gap in gaps) else sum(gap for gap in gaps if gap is not None),
            violation=max(part.violation for part in parts),
            iterations=sum(part.iterations for part in parts),
            rows=sum(part.rows for part in parts),
            stop=max((part.stop for part in parts), key=_WORST.index),
            exact=all(part.exact for part in parts),
            parts=parts,
        )
