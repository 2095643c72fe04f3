"""Scores of scikit-learn, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/scores/make_answers.py

`{"scikit-learn": VERSION, "classes": [CASE, ...], "numbers": [CASE, ...], "sets": [CASE, ...]}`:

| list      | a case |
|-----------|--------|
| `classes` | `count` of classes, `truth`, `found`; `scores` (a row of one number for each class), `probabilities`; `values` by mercer's names |
| `numbers` | `truth`, `found`: a list for each target; `values` |
| `sets`    | `labels`, `truth`, `found`: lists of numbers of labels; `values` |

Drawn numbers are rounded to few digits, so that the text is short and exact, and that scores have ties.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics as m

HERE = Path(__file__).parent
warnings.filterwarnings("ignore")


def of_classes(rng: np.random.Generator, n: int, k: int, skill: float) -> dict:
    truth = rng.integers(0, k, n)
    truth[:k] = np.arange(k)
    scores = np.round(rng.normal(size=(n, k)) + skill * np.eye(k)[truth], 1)
    probabilities = np.exp(scores)
    probabilities = np.round(probabilities / probabilities.sum(axis=1, keepdims=True), 6)
    probabilities[:, 0] = 1.0 - probabilities[:, 1:].sum(axis=1)
    found = scores.argmax(axis=1)
    values = {
        "accuracy": m.accuracy_score(truth, found),
        "balanced-accuracy": m.balanced_accuracy_score(truth, found),
        "mcc": m.matthews_corrcoef(truth, found),
        "kappa": m.cohen_kappa_score(truth, found),
        "hamming": m.hamming_loss(truth, found),
        "ari": m.adjusted_rand_score(truth, found),
        "log-loss": m.log_loss(truth, probabilities, labels=range(k)),
    }
    averages = ["macro", "micro", "weighted"] + (["binary"] if k == 2 else [])
    for average in averages:
        ending = "" if average == "binary" else f"-{average}"
        for name, score in (("f1", m.f1_score), ("precision", m.precision_score), ("recall", m.recall_score)):
            values[name + ending] = score(truth, found, average=average, zero_division=0)
    if k == 2:
        values["auc"] = m.roc_auc_score(truth, scores[:, 1] - scores[:, 0])
        values["average-precision"] = m.average_precision_score(truth, scores[:, 1] - scores[:, 0])
    else:
        values["auc"] = np.mean([m.roc_auc_score(truth == c, scores[:, c]) for c in range(k)])
        values["average-precision"] = np.mean([m.average_precision_score(truth == c, scores[:, c]) for c in range(k)])
    return {
        "count": k, "truth": truth.tolist(), "found": found.tolist(), "scores": scores.tolist(),
        "probabilities": probabilities.tolist(), "values": {name: float(value) for name, value in values.items()},
    }


def of_numbers(rng: np.random.Generator, n: int, targets: int, noise: float) -> dict:
    truth = np.round(rng.normal(size=(n, targets)) * 3.0 + 1.0, 3)
    found = np.round(truth + noise * rng.normal(size=(n, targets)) + 0.1, 3)
    values = {
        "mse": m.mean_squared_error(truth, found),
        "rmse": m.root_mean_squared_error(truth, found),
        "mae": m.mean_absolute_error(truth, found),
        "median-ae": m.median_absolute_error(truth, found),
        "r2": m.r2_score(truth, found),
        "explained-variance": m.explained_variance_score(truth, found),
    }
    if targets == 1:
        values["max-error"] = m.max_error(truth, found)
    return {
        "truth": truth.T.tolist(), "found": found.T.tolist(),
        "values": {name: float(value) for name, value in values.items()},
    }


def of_sets(rng: np.random.Generator, n: int, k: int) -> dict:
    truth = rng.random((n, k)) < 0.3
    found = np.where(rng.random((n, k)) < 0.2, ~truth, truth)
    values = {
        "hamming": m.hamming_loss(truth, found),
        "subset-accuracy": m.accuracy_score(truth, found),
        "f1-micro": m.f1_score(truth, found, average="micro", zero_division=0),
        "f1-macro": m.f1_score(truth, found, average="macro", zero_division=0),
    }
    lists = [[np.flatnonzero(row).tolist() for row in rows] for rows in (truth, found)]
    return {"labels": k, "truth": lists[0], "found": lists[1], "values": {a: float(b) for a, b in values.items()}}


rng = np.random.default_rng(19)
answers = {
    "scikit-learn": sklearn.__version__,
    "classes": [
        of_classes(rng, n, k, skill)
        for n, k in ((9, 2), (40, 2), (30, 3), (60, 5), (25, 9)) for skill in (0.0, 1.0, 4.0)
    ],
    "numbers": [of_numbers(rng, n, t, noise) for n, t in ((7, 1), (50, 1), (20, 3)) for noise in (0.0, 0.5, 5.0)],
    "sets": [of_sets(rng, n, k) for n, k in ((10, 3), (40, 6))],
}
(HERE / "answers.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")
