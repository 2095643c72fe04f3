"""A search of 10 C x 10 gamma in 5 folds on one thread: GridSearchCV with scikit-learn's SVC and with mercer's, and SearchCV.

    python bench/search.py [--all] [SET ...]

Prints seconds (the best of three of SearchCV, with and without racing, one run of the others, which `--all` adds), the best score, and what
the race has come to.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as TheirSVC
from threadpoolctl import threadpool_limits

import mercer

HERE = Path(__file__).resolve().parent.parent / "data"
FILES = {
    "heart": "heart_scale.libsvm.gz", "vowel": "vowel.scale.libsvm.gz", "svmguide1": "svmguide1.libsvm.gz", "digits": "digits8x8.libsvm.gz",
}
GRID = {"C": [2.0**k for k in range(-5, 14, 2)], "gamma": [2.0**k for k in range(-13, 6, 2)]}


def timed(search: object, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    started = time.perf_counter()
    search.fit(X, y)
    return time.perf_counter() - started, search.best_score_


os.environ.setdefault("OMP_NUM_THREADS", "1")
slow = "--all" in sys.argv
with threadpool_limits(1):
    for name in [word for word in sys.argv[1:] if not word.startswith("-")] or FILES:
        X, y = load_svmlight_file(str(HERE / FILES[name]))
        X = X.toarray()
        ours = [timed(mercer.SearchCV(mercer.SVC(n_threads=1), GRID, n_jobs=1), X, y) for _ in range(3)]
        races = [mercer.SearchCV(mercer.SVC(n_threads=1), GRID, n_jobs=1, racing=True) for _ in range(3)]
        raced = [timed(race, X, y) for race in races]
        line = f"{name:10} {X.shape} SearchCV {min(ours)[0]:.3f} s, {ours[0][1]:.4f}; racing {min(raced)[0]:.3f} s, {raced[0][1]:.4f}, {races[0].race_}"
        if slow:
            for label, estimator in (("mercer", mercer.SVC(n_threads=1)), ("scikit-learn", TheirSVC())):
                seconds, score = timed(GridSearchCV(estimator, GRID), X, y)
                line += f"; {label} {seconds:.2f} s, {score:.4f}, {seconds / min(ours)[0]:.1f} and {seconds / min(raced)[0]:.1f} times"
        print(line, flush=True)
