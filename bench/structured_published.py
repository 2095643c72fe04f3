"""Kernels on texts, graphs and sets: published accuracies, reproduced. Run by `cargo xtask structured published` and `… cv`.

Grams by the program, machines by `mercer.SVC(kernel="precomputed")`. Ten folds; C and the kernel are chosen by ten folds of each
training part alone (by three where there are more than a thousand points), and the whole is repeated with other folds: ± is the standard
deviation of the repeats, as in Shervashidze and others (2011), whose shortest paths seem to count a node with itself as a path of
length 0, which is `path + vertices`.

The lines `one block` choose as the scripts do that these authors published: points in a random order, not stratified, are cut into ten
blocks; the block before the test block is predicted from the other eight to choose by, of equals the smallest C (the largest where
there is one kernel).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from structured_data import gram, labels
from table import table

FOLDS, MANY, FEW = 10, 1000, 3
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
PAPER = "Shervashidze 2011"

#: The values of C of the lines `one block`, times the number of points.
BLOCK_COSTS = 10.0 ** np.arange(-7, 8, 2)

#: Name, data, kernels to choose from, repeats, accuracy in per cent that is published, its standard deviation, whose.
PUBLISHED = (
    ("wl", "graphs/MUTAG", [f"wl(h={h})" for h in range(11)], 10, 82.05, 0.36, PAPER),
    ("shortest path", "graphs/MUTAG", ["path + vertices"], 10, 87.28, 0.55, PAPER),
    ("wl, one block", "graphs/MUTAG", [f"wl(h={h})" for h in range(11)], 20, 82.05, 0.36, PAPER),
    ("shortest path, one block", "graphs/MUTAG", ["path + vertices"], 20, 87.28, 0.55, PAPER),
    ("wl", "graphs/ENZYMES", [f"wl(h={h})" for h in (0, 1, 2, 3, 4, 6, 8, 10)], 2, 52.22, 1.26, PAPER),
    ("shortest path", "graphs/ENZYMES", ["path + vertices"], 5, 41.68, 1.79, PAPER),
    ("wl", "graphs/NCI1", [f"wl(h={h})" for h in (2, 5, 8)], 1, 82.19, 0.18, PAPER),
    ("wl, one block", "graphs/NCI1", [f"wl(h={h})" for h in range(11)], 1, 82.19, 0.18, PAPER),
    ("shortest path", "graphs/NCI1", ["path + vertices"], 1, 73.47, 0.11, PAPER),
    ("set", "bags/musk1.bags.gz", [f"set(rbf(gamma={g:g}))" for g in (1e-6, 3e-6, 1e-5, 3e-5, 1e-4)], 5, 84.0, 0.0, "at least"),
    ("spectrum", "strings/sms_spam.tsv.gz", [f"spectrum(p={p})" for p in (3, 4, 5)], 1, 98.5, 0.0, "at least"),
)


def machine(c: float) -> object:
    from mercer import SVC

    return SVC(C=c, kernel="precomputed")


def right(k: np.ndarray, y: np.ndarray, c: float, train: np.ndarray, test: np.ndarray) -> int:
    """How many of `test` a machine trained on `train` gets right."""
    model = machine(c).fit(k[np.ix_(train, train)], y[train])  # type: ignore[attr-defined]
    return int((model.predict(k[np.ix_(test, train)]) == y[test]).sum())


def nested(grams: list[np.ndarray], y: np.ndarray, seed: int) -> float:
    """The accuracy over ten folds, C and the Gram chosen inside each training part."""
    from sklearn.model_selection import StratifiedKFold

    found, folds = 0, FOLDS if len(y) <= MANY else FEW
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y):
        inner = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(train, y[train]))

        def score(k: np.ndarray, c: float, train: np.ndarray = train, inner: list = inner) -> int:
            return sum(right(k, y, c, train[fitted], train[held]) for fitted, held in inner)

        # Of equals the first kernel and the largest C.
        _, place, cost = max((score(k, c), -i, c) for i, k in enumerate(grams) for c in COSTS)
        found += right(grams[-place], y, cost, train, test)
    return 100.0 * found / len(y)


def one_block(grams: list[np.ndarray], y: np.ndarray, seed: int) -> float:
    """The mean accuracy of ten test blocks, C and the Gram chosen by one block of the rest."""
    n = len(y)
    order, rest, least = np.random.default_rng(seed).permutation(n), int(np.ceil(0.9 * n)), int(np.ceil(0.8 * n))
    costs, sign, shares = BLOCK_COSTS / n, -1 if len(grams) > 1 else 1, []
    for block in range(1, FOLDS + 1):
        turned = np.roll(order, -block * (n - rest))
        fitted, held, train, test = turned[:least], turned[least:rest], turned[:rest], turned[rest:]
        _, cost, place = max((right(k, y, c, fitted, held), sign * c, -i) for i, k in enumerate(grams) for c in costs)
        shares.append(right(grams[-place], y, abs(cost), train, test) / len(test))
    return 100.0 * float(np.mean(shares))


def acceptors() -> list[str]:
    """The area under the curve of acceptor sites, five folds."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    data = "strings/celegans_acceptor.tsv.gz"
    k, y = gram("normalized(degree(d=20, shift=0))", data, keep=True), labels(data) == "1"
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_predict(machine(1.0), k, y, cv=folds, method="decision_function")
    return ["degree", "celegans_acceptor", f"{100.0 * roc_auc_score(y, scores):.2f}", "", "98.00", "at least, area under the curve", ""]


def published(chosen: Sequence[str]) -> None:
    rows = []
    for name, data, kernels, repeats, accuracy, deviation, source in PUBLISHED:
        if chosen and not any(word in f"{name} {data}" for word in chosen):
            continue
        began = time.perf_counter()
        grams = [gram(f"normalized({kernel})", data, keep=True) for kernel in kernels]
        protocol = one_block if name.endswith("one block") else nested
        found = [protocol(grams, labels(data), seed) for seed in range(repeats)]
        mean, spread, seconds = float(np.mean(found)), float(np.std(found)), time.perf_counter() - began
        rows.append([name, data, f"{mean:.2f}", f"{spread:.2f}", f"{accuracy:.2f} ± {deviation:.2f}", source, f"{seconds:.0f}"])
        print(*rows[-1], flush=True)
    if not chosen or "degree" in chosen:
        rows.append(acceptors())
        print(*rows[-1], flush=True)
    print(table(["kernel", "data", "accuracy", "±", "published", "source", "seconds"], rows))


def cross_validation(data: str = "graphs/NCI1") -> None:
    """The time of a Gram by wl(h=5) and of ten folds for each of six C, all processors."""
    from sklearn.model_selection import StratifiedKFold

    began = time.perf_counter()
    k, y = gram("normalized(wl(h=5))", data), labels(data)
    made = time.perf_counter()
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y))
    rows = []
    for c in COSTS:
        start = time.perf_counter()
        share = sum(right(k, y, c, train, test) for train, test in folds) / len(y)
        rows.append([f"C = {c:g}", f"{100.0 * share:.2f}", f"{time.perf_counter() - start:.2f}"])
    rows.append(["reading, Gram, file", "", f"{made - began:.2f}"])
    rows.append(["all", "", f"{time.perf_counter() - began:.2f}"])
    print(table([f"{data}, {FOLDS} folds", "accuracy", "seconds"], rows))
