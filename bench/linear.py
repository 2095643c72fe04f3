"""Linear machines beside LIBLINEAR and scikit-learn, one run. Run by `cargo xtask linear [CASE…] [--threads N]`.

Two classes: three costs, and a hinge to 1 % of the objective beside SGDClassifier. Many classes in one problem: Crammer and Singer's cost
beside LIBLINEAR's -s 4. `files`: LIBLINEAR's `train` and `mercer linear-train` from a file to a model, reading included.

Each row has the smallest time of three fits with the data in memory in the form that the program wants (conversion apart, of
mercer included) and how far the objective is above the best one found, as a share of it: mercer's at a gap of 1e-9. A peer
whose own tolerance leaves it further above than mercer's tolerance allows gets one a tenth as large, until it is as near.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("cases", nargs="*", help="a9a, w8a, mnist, sparse, dense; letter, news20, mnist10k; files")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--costs", default="hinge,squared-hinge,logistic", help="of the problems of two classes")
parser.add_argument("--tolerance", type=float, default=1e-3)
ARGUMENTS = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MERCER_NUM_THREADS"):
    os.environ[variable] = str(ARGUMENTS.threads)

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from liblinear.liblinear import parameter, problem  # noqa: E402
from liblinear.liblinearutil import train  # noqa: E402
from place import MERCER, PREPARED, SHARED  # noqa: E402
from sklearn.datasets import dump_svmlight_file, load_svmlight_file  # noqa: E402
from sklearn.linear_model import LogisticRegression, SGDClassifier  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from table import table  # noqa: E402

import mercer  # noqa: E402

warnings.simplefilter("ignore")


def read(name: str) -> tuple[Any, Any]:
    with gzip.open(SHARED / f"classification/{name}.libsvm.gz", "rb") as file:
        X, y = load_svmlight_file(file)
    # LinearSVC takes no other indices.
    return sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape), y


def classes(name: str) -> tuple[Any, Any]:
    X, y = read(name)
    return X, np.where(y > 0, 1.0, -1.0)


def mnist() -> tuple[Any, Any]:
    """Even against odd digits, pixels from 0 to 1."""
    folder = SHARED / "classification"
    with gzip.open(folder / "mnist.train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(60_000, 784)
    with gzip.open(folder / "mnist.train-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    return sp.csr_matrix(pixels / 255.0), np.where(digits % 2 == 0, 1.0, -1.0)


def sparse(n: int = 500_000, d: int = 100_000, entries: int = 50) -> tuple[Any, Any]:
    """Rows of norm 1 whose features are as frequent as words are."""
    random = np.random.default_rng(0)
    frequency = np.cumsum(1.0 / (np.arange(d) + 10.0))
    index = np.searchsorted(frequency / frequency[-1], random.random(n * entries))
    rows = (random.random(n * entries), (np.repeat(np.arange(n), entries), np.minimum(index, d - 1)))
    X = sp.csr_matrix(rows, shape=(n, d))
    X.sum_duplicates()
    X = sp.csr_matrix(sp.diags(1.0 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X)
    score = X @ random.standard_normal(d)
    return X, np.where(score + 0.3 * score.std() * random.standard_normal(n) > 0, 1.0, -1.0)


def dense(n: int = 2_000_000, d: int = 50) -> tuple[Any, Any]:
    random = np.random.default_rng(1)
    X = random.standard_normal((n, d))
    score = X @ random.standard_normal(d)
    return X, np.where(score + score.std() * random.standard_normal(n) > 0, 1.0, -1.0)


CASES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "a9a": lambda: classes("a9a"), "w8a": lambda: classes("w8a"), "mnist": mnist, "sparse": sparse, "dense": dense,
}
#: Problems of many classes: the data, and what features are divided by.
MANY = {"letter": ("letter.scale.tr", 1.0), "news20": ("news20", 1.0), "mnist10k": ("mnist_first10k", 255.0)}
#: The solvers of LIBLINEAR for each cost.
SOLVERS = {"hinge": (3,), "squared-hinge": (1, 2), "logistic": (0, 7)}


def objective(X: Any, y: Any, cost: str, w: Any) -> float:
    margin = 1.0 - y * (X @ w[:-1] + w[-1])
    if cost == "logistic":
        losses = np.logaddexp(0.0, margin - 1.0).sum()
    else:
        losses = (np.maximum(margin, 0.0) ** (1 if cost == "hinge" else 2)).sum()
    return 0.5 * float(w @ w) + float(losses)


def timed(make: Callable[[], Any]) -> tuple[float, Any]:
    best, result = np.inf, None
    for _ in range(3):
        started = time.perf_counter()
        result = make()
        best = min(best, time.perf_counter() - started)
        if best > 10.0:
            break
    return best, result


def own(X: Any, y: Any, cost: str, tolerance: float) -> Any:
    options = {"tol": tolerance, "max_iter": 10_000, "n_threads": ARGUMENTS.threads}
    if cost == "logistic":
        model = mercer.LogisticRegression(solver="liblinear", **options)
    else:
        model = mercer.LinearSVC(loss=cost.replace("-", "_"), **options)
    model.fit(X, y)
    return np.append(model.coef_.ravel(), model.intercept_), model.certificate_


#: Fits of peers that take minutes: by passes over the dual where there are two million rows.
SLOW = {("dense", "liblinear -s 1"), ("dense", "liblinear -s 3"), ("dense", "liblinear -s 7")}


def peers(X: Any, y: Any, cost: str) -> dict[str, Callable[[float], Any]]:
    """The fits of the peers, with their own tolerance times a factor, which give their weights, the offset last."""
    rows = problem(y, sp.csr_matrix(X), bias=1.0)

    def liblinear(solver: int, factor: float) -> Any:
        tolerance = factor * (0.01 if solver in (0, 2) else 0.1)
        model = train(rows, parameter(f"-s {solver} -c 1 -B 1 -e {tolerance} -q"))
        w = np.array(model.w[: X.shape[1] + 1])
        return w * (1.0 if model.get_labels()[0] > 0 else -1.0)

    def theirs(make: Callable[[], Any]) -> Any:
        model = make().fit(X, y)
        return np.append(model.coef_.ravel(), model.intercept_)

    found: dict[str, Callable[[float], Any]] = {
        f"liblinear -s {s}": (lambda factor, s=s: liblinear(s, factor)) for s in SOLVERS[cost]
    }
    if cost == "logistic":
        found["sklearn lbfgs"] = lambda factor: theirs(lambda: LogisticRegression(tol=1e-4 * factor, max_iter=1000))
    else:
        loss = cost.replace("-", "_")
        found["sklearn LinearSVC"] = lambda factor: theirs(lambda: LinearSVC(loss=loss, dual="auto", tol=1e-4 * factor))
    return found


def one_function(name: str, cost: str, X: Any, y: Any) -> None:
    """A table of a problem of two classes with one cost."""
    rows = []
    best = objective(X, y, cost, own(X, y, cost, 1e-9)[0])
    mine, (w, certificate) = timed(lambda: own(X, y, cost, ARGUMENTS.tolerance))
    excess = (objective(X, y, cost, w) - best) / best
    rows.append([name, cost, "mercer", f"{mine:.4f}", f"{excess:.1e}", "", f"{certificate.iterations} steps"])
    if ARGUMENTS.threads == 1:
        fine, _ = timed(lambda: own(X, y, cost, 1e-6))
        rows.append([name, cost, "mercer, gap 1e-6", f"{fine:.4f}", "", "", ""])
    for peer, fit in peers(X, y, cost).items():
        if (name, peer) in SLOW or (name == "dense" and cost == "hinge"):
            rows.append([name, cost, peer, "", "", "", "not run: minutes"])
            continue
        for factor in (1.0, 0.1, 0.01, 0.001):
            seconds, w = timed(lambda: fit(factor))
            excess = (objective(X, y, cost, w) - best) / best
            if excess <= ARGUMENTS.tolerance or seconds > 20.0:
                break
        note = "" if factor == 1.0 else f"tolerance × {factor:g}"
        rows.append([name, cost, peer, f"{seconds:.4f}", f"{excess:.1e}", f"{seconds / mine:.2f}", note])
    if cost == "hinge":
        rows.extend(stochastic(name, X, y, best))
    print(table(HEAD, rows), flush=True)


def stochastic(name: str, X: Any, y: Any, best: float) -> list[list[str]]:
    """A hinge to 1 % of the objective: mercer's fit to that gap, and SGDClassifier's passes until it is there."""
    mine, (w, _) = timed(lambda: own(X, y, "hinge", 1e-2))
    rows = [[name, "hinge to 1 %", "mercer", f"{mine:.4f}", f"{(objective(X, y, 'hinge', w) - best) / best:.1e}", "", ""]]
    # The constant feature as a column, so that its weight is penalised as the others are.
    wide = sp.hstack([X, np.ones((len(y), 1))], format="csr") if sp.issparse(X) else np.hstack([X, np.ones((len(y), 1))])
    for passes in (5, 20, 80, 320):
        options = {"alpha": 1.0 / len(y), "fit_intercept": False, "average": True, "tol": None, "random_state": 0}
        started = time.perf_counter()
        w = SGDClassifier(max_iter=passes, **options).fit(wide, y).coef_.ravel()
        seconds = time.perf_counter() - started
        excess = (objective(X, y, "hinge", w) - best) / best
        if excess <= 1e-2 or seconds > 30.0:
            break
    rows.append([name, "hinge to 1 %", "SGDClassifier", f"{seconds:.4f}", f"{excess:.1e}", f"{seconds / mine:.2f}", f"{passes} passes"])
    return rows


def many_classes(name: str) -> None:
    """Crammer and Singer's cost of a problem of many classes."""
    data, scale = MANY[name]
    X, y = read(data)
    X = sp.csr_matrix(X / scale)
    found, classes = np.unique(y, return_inverse=True)
    here = np.arange(len(y))

    def value(weights: Any) -> float:
        scores = X @ weights[:-1] + weights[-1]
        margins = scores + 1.0
        margins[here, classes] -= 1.0
        return 0.5 * float((weights**2).sum()) + float((margins.max(axis=1) - scores[here, classes]).sum())

    def fit(tolerance: float) -> Any:
        options = {"tol": tolerance, "max_iter": 10_000, "n_threads": ARGUMENTS.threads, "random_state": 0}
        model = mercer.LinearSVC(multi_class="crammer_singer", **options).fit(X, y)
        return np.vstack([model.coef_.T, model.intercept_]), model.certificate_

    problem_ = problem(y, X, bias=1.0)

    def peer(factor: float) -> Any:
        model = train(problem_, parameter(f"-s 4 -c 1 -B 1 -e {0.1 * factor} -q"))
        weights = np.array(model.w[: (X.shape[1] + 1) * len(found)]).reshape(X.shape[1] + 1, len(found))
        return weights[:, np.argsort(model.get_labels())]

    best = value(fit(1e-6)[0])
    rows = []
    for factor in (1.0, 0.1, 0.01, 0.001):
        seconds, w = timed(lambda: peer(factor))
        excess = (value(w) - best) / best
        if excess <= 1e-2 or seconds > 20.0:
            break
    for tolerance in sorted({max(excess, ARGUMENTS.tolerance), ARGUMENTS.tolerance, 1e-6}, reverse=True):
        mine, (w, certificate) = timed(lambda: fit(tolerance))
        note = f"{certificate.iterations} steps"
        ours = f"mercer, gap {tolerance:.0e}"
        rows.append([name, "crammer-singer", ours, f"{mine:.4f}", f"{(value(w) - best) / best:.1e}", "", note])
    first = float(rows[0][3])
    note = "" if factor == 1.0 else f"tolerance × {factor:g}"
    rows.append([name, "crammer-singer", "liblinear -s 4", f"{seconds:.4f}", f"{excess:.1e}", f"{seconds / first:.2f}", note])
    print(table(HEAD, rows), flush=True)


def files() -> None:
    """From a file of text to a model: LIBLINEAR's program and mercer's, each by its rule for -s 1 and -s 2."""
    program = shutil.which("liblinear-train")
    if program is None or not MERCER.exists():
        print("files: LIBLINEAR's program (Debian's liblinear-tools) or target/release/mercer is not there")
        return
    PREPARED.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in ("news20", "sparse"):
        data = PREPARED / f"linear-{name}"
        if not data.exists():
            X, y = read("news20") if name == "news20" else sparse()
            dump_svmlight_file(X, y, str(data), zero_based=False)
        for solver in (1, 2):
            times = []
            for who in ([program], [MERCER, "linear-train"]):
                words = [*who, "-s", str(solver), "-q", str(data), str(PREPARED / "linear.model")]
                times.append(timed(lambda: subprocess.run([str(word) for word in words], check=True, capture_output=True))[0])
            size = data.stat().st_size / 1e6
            rows.append([f"{name}, {size:.0f} MB", f"-s {solver}", f"{times[1]:.3f}", f"{times[0]:.3f}", f"{times[0] / times[1]:.2f}"])
    print(table(["file", "solver", "mercer s", "liblinear s", "× mercer"], rows), flush=True)


HEAD = ["data", "cost", "program", "fit s", "above best", "× mercer", ""]


def main() -> None:
    for name in ARGUMENTS.cases or [*CASES, *MANY, "files"]:
        if name == "files":
            files()
        elif name in MANY:
            many_classes(name)
        else:
            X, y = CASES[name]()
            for cost in ARGUMENTS.costs.split(","):
                one_function(name, cost, X, y)


main()
