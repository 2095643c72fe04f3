"""Kernels on texts, graphs and sets. Run by `cargo xtask structured [PART] [WORD …]`; without PART, all of them.

values      mercer's values beside those of peers: largest relative differences (structured_values.py)
speed       time and memory of whole Grams beside peers, one thread each (structured_speed.py)
published   published accuracies with nested selection (structured_published.py)
cv          NCI1: a Gram and ten-fold cross-validation over C, timed, all processors

WORDs choose the lines that have one of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

PARTS = ("values", "speed", "published", "cv")


def main(arguments: Sequence[str]) -> int:
    part, chosen = (arguments[0], arguments[1:]) if arguments else ("", ())
    if part not in ("", *PARTS):
        print(f"structured.py [{' | '.join(PARTS)}] [WORD …]\n\n{__doc__}")
        return 0 if part in ("-h", "--help") else 2
    if part == "":
        # Each in a process of its own: how many threads there are is said before a library is loaded.
        return max(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, one]) for one in PARTS)
    if part == "speed":
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
            os.environ[variable] = "1"
        from structured_speed import speed

        speed(chosen)
    elif part == "values":
        from structured_values import values

        return 0 if values(chosen) else 1
    else:
        from structured_published import cross_validation, published

        published(chosen) if part == "published" else cross_validation()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
