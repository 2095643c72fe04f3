"""What is known of an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


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
    def _of(cls, quality: dict[str, Any]) -> "Certificate":
        """That of all problems of a model, with its parts."""
        whole = cls._whole(quality.get("totals"))
        parts = [cls._whole(found) for found in quality.get("certificates", ())]
        return whole if len(parts) < 2 else replace(whole, parts=tuple(parts))

    @classmethod
    def _whole(cls, found: dict[str, Any] | None) -> "Certificate":
        """Of one problem, or of several without their parts. Where there was nothing to solve, or nothing is known, it says so."""
        if found is None:
            return cls(0.0, None, 0.0, 0, 0.0, "unknown", False)
        return cls(**{"rows" if name == "kernel_rows" else name: value for name, value in found.items()})
