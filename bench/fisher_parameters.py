"""Chooses the width and the regulariser of the Fisher discriminant for the Rätsch sets, as the benchmark's authors did.

    python bench/fisher_parameters.py [SET...]

For each of the first five training realisations the pair (s, mu) with the least five-fold cross-validated error; the median of
the five, in s and in mu, serves for all realisations. Prints the rows of `FISHER` in `published.py`. Folds are every fifth row
of the realisation as it is listed; of pairs with equal errors the one with the larger mu, then the larger s: the smoother one.
"""

from __future__ import annotations

import sys
from statistics import median

from published import FISHER, WORK, fisher_error, lines, written

WIDTHS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
REGULARISERS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
REALISATIONS, FOLDS = 5, 5


def best(rows: list[str]) -> tuple[float, float]:
    """The pair with the least cross-validated error on these rows."""
    errors = {}
    for fold in range(FOLDS):
        train = written("cv.train", [row for i, row in enumerate(rows) if i % FOLDS != fold])
        test = written("cv.test", [row for i, row in enumerate(rows) if i % FOLDS == fold])
        for width in WIDTHS:
            for mu in REGULARISERS:
                error = fisher_error(train, test, width, mu)
                errors[width, mu] = errors.get((width, mu), 0.0) + error
    return min(errors, key=lambda pair: (round(errors[pair], 6), -pair[1], -pair[0]))


def main(names: list[str]) -> None:
    """Prints a row for each set."""
    WORK.mkdir(parents=True, exist_ok=True)
    for name, _, _, error, deviation in FISHER:
        if names and name not in names:
            continue
        rows, chosen = lines("raetsch", f"{name}.libsvm"), []
        for split in lines("raetsch", f"{name}.splits.txt")[:REALISATIONS]:
            chosen.append(best([rows[int(word)] for word in split.split()[1:]]))
        width, mu = median(pair[0] for pair in chosen), median(pair[1] for pair in chosen)
        print(f'    ("{name}", {width!r}, {mu!r}, {error!r}, {deviation!r}),  # of {chosen}', flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
