"""Relevance vectors, clusters, maps and networks beside their peers, one thread each, in one run. Run by `cargo xtask learners`.

Each row has the smallest time of three runs (one of a peer that takes more than ten seconds), and the measure of quality that makes the
times comparable. `cargo xtask learners rvm cluster map network` for some of them; `tables` for Tipping's tables, `tables sinc boston` for
some of their lines.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MERCER_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from place import SHARED  # noqa: E402
from sklearn.cluster import KMeans, SpectralClustering  # noqa: E402
from sklearn.datasets import load_digits, load_iris, load_svmlight_file, make_circles  # noqa: E402
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402
from sklearn.metrics.pairwise import rbf_kernel  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from table import table  # noqa: E402

import mercer  # noqa: E402

warnings.simplefilter("ignore")


def timed(make: Callable[[], Any]) -> tuple[float, Any]:
    """The smallest time of three runs, of one where that takes long, and the result."""
    best, result = np.inf, None
    for _ in range(3):
        started = time.perf_counter()
        result = make()
        best = min(best, time.perf_counter() - started)
        if best > 10:
            break
    return best, result


def data(name: str, rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(SHARED / name, "rb") as file:
        X, y = load_svmlight_file(file)
    return np.ascontiguousarray(X.toarray()[:rows]), y[:rows]


def splits(name: str) -> list[np.ndarray]:
    """The rows that each line of a file lists: those to test of the regressions, those to train of the classes."""
    with gzip.open(SHARED / name, "rt") as file:
        return [np.array(line.split()[1:], dtype=int) for line in file]


def sinc(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.linspace(-10, 10, n)
    truth = np.sinc(x / np.pi)
    return x[:, None], truth + 0.1 * np.random.default_rng(seed).standard_normal(n), truth


def fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """The model, whatever its `fit` returns."""
    model.fit(X, y)
    return model


def vectors(model: Any) -> int:
    for name in ("relevance_", "relevance_vectors_", "relevance_vectors"):
        if hasattr(model, name):
            return len(getattr(model, name))
    return -1


def rmse(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((np.ravel(model.predict(X)) - y) ** 2)))


def rvm() -> list[list[Any]]:
    from sklearn_rvm import EMRVC, EMRVR

    import fastrvm

    rows: list[list[Any]] = []
    for n in (500, 2000):
        X, y, truth = sinc(n)
        regressors = [("mercer", lambda: mercer.RVR(gamma=0.1)), ("fastrvm", lambda: fastrvm.RVR(gamma=0.1))]
        if n == 500:
            regressors.append(("sklearn-rvm", lambda: EMRVR(gamma=0.1)))
        for name, make in regressors:
            seconds, model = timed(lambda: fitted(make(), X, y))
            rows.append([f"sinc {n}", name, seconds, f"RMSE {rmse(model, X, truth):.4f}", f"{vectors(model)} vectors"])
    for name, gamma in (("boston_gal", 0.04), ("energy", 0.05)):
        X, y = data(f"regression/{name}.libsvm.gz")
        for peer, make in (("mercer", lambda: mercer.RVR(gamma=gamma)), ("sklearn-rvm", lambda: EMRVR(gamma=gamma))):
            errors, times, counts = [], [], []
            for test in splits(f"regression/{name}.splits.txt.gz")[: 20 if peer == "mercer" else 3]:
                train = np.setdiff1d(np.arange(len(y)), test)
                scale = StandardScaler().fit(X[train])
                started = time.perf_counter()
                model = fitted(make(), scale.transform(X[train]), y[train])
                times.append(time.perf_counter() - started)
                errors.append(rmse(model, scale.transform(X[test]), y[test]))
                counts.append(vectors(model))
            rows.append([f"{name}, {len(errors)} splits", peer, np.mean(times), f"RMSE {np.mean(errors):.3f}", f"{np.mean(counts):.0f} vectors"])
    (X, y), (T, u) = data("raetsch/ripley.libsvm.gz"), data("raetsch/ripley.t.libsvm.gz")
    for name, make in (("mercer", lambda: mercer.RVC(gamma=4.0)), ("fastrvm", lambda: fastrvm.RVC(gamma=4.0)), ("sklearn-rvm", lambda: EMRVC(gamma=4.0))):
        seconds, model = timed(lambda: fitted(make(), X, y))
        error = 100 * np.mean(np.ravel(model.predict(T)) != u)
        rows.append(["ripley 250", name, seconds, f"error {error:.1f} %", f"{vectors(model)} vectors"])
    return rows


def cluster() -> list[list[Any]]:
    from tslearn.clustering import KernelKMeans

    X, y = data("classification/usps.libsvm.gz", 5000)
    gamma = 1 / 256
    seconds, model = timed(lambda: mercer.KernelKMeans(10, gamma=gamma, random_state=0).fit(X))
    rows = [["k-means usps 5000", "mercer, 10 starts", seconds, f"inertia {model.inertia_:.1f}", f"ARI {adjusted_rand_score(y, model.labels_):.3f}"]]
    seconds, model = timed(lambda: mercer.KernelKMeans(10, gamma=gamma, n_init=1, random_state=0).fit(X))
    rows.append(["", "mercer, 1 start", seconds, f"inertia {model.inertia_:.1f}", f"ARI {adjusted_rand_score(y, model.labels_):.3f}"])
    other = KernelKMeans(10, kernel="rbf", kernel_params={"gamma": gamma}, n_init=1, random_state=0)
    seconds, model = timed(lambda: other.fit(X[:, :, None]))
    rows.append(["", "tslearn, 1 start", seconds, f"inertia {model.inertia_:.1f}", f"ARI {adjusted_rand_score(y, model.labels_):.3f}"])
    rings, sides = make_circles(2000, noise=0.03, factor=0.3, random_state=0)
    # The width that docs/clustering.md finds without labels.
    seconds, model = timed(lambda: mercer.KernelKMeans(2, gamma=4.0, random_state=0).fit(rings))
    rows.append(["k-means rings 2000", "mercer", seconds, f"inertia {model.inertia_:.1f}", f"ARI {adjusted_rand_score(sides, model.labels_):.3f}"])
    other = KernelKMeans(2, kernel="rbf", kernel_params={"gamma": 4.0}, n_init=10, random_state=0)
    seconds, model = timed(lambda: other.fit(rings[:, :, None]))
    rows.append(["", "tslearn", seconds, f"inertia {model.inertia_:.1f}", f"ARI {adjusted_rand_score(sides, model.labels_):.3f}"])
    for name, P, t, k in (("usps 5000", X, y, 10), ("rings 2000", rings, sides, 2)):
        for peer, make in (("mercer", mercer.SpectralClustering), ("scikit-learn", SpectralClustering)):
            seconds, model = timed(lambda: make(k, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit(P))
            rows.append([f"spectral {name}", peer, seconds, f"ARI {adjusted_rand_score(t, model.labels_):.3f}", ""])
    return rows


def som() -> list[list[Any]]:
    """Ten epochs on digits of USPS for the time; twenty on smaller sets for the error, beside each way of MiniSom, the mean of three seeds."""
    from minisom import MiniSom

    X, _ = data("classification/usps.libsvm.gz", 2000)
    seconds, model = timed(lambda: mercer.KernelSOM(kernel="linear", n_epochs=10, random_state=0).fit(X))
    rows = [["map 10 x 10, usps 2000", "mercer", seconds, f"QE {model.quantization_error_:.3f}", f"TE {model.topographic_error_:.3f}"]]

    def peer() -> Any:
        other = MiniSom(10, 10, 256, sigma=2.0, random_seed=0)
        other.pca_weights_init(X)
        other.train_batch(X, 20_000)
        return other

    seconds, other = timed(peer)
    rows.append(["", "MiniSom", seconds, f"QE {other.quantization_error(X):.3f}", f"TE {other.topographic_error(X):.3f}"])
    square = np.random.default_rng(0).random((1000, 2))
    for name, X, side in (("iris", load_iris().data, 7), ("digits", load_digits().data, 10), ("square", square, 10)):
        seconds, model = timed(lambda: mercer.KernelSOM(side, side, kernel="linear").fit(X))
        quality = [f"QE {model.quantization_error_:.4g}", f"TE {model.topographic_error_:.3f}"]
        rows.append([f"map {side} x {side}, {name}", "mercer", seconds, *quality])
        for start in ("pca_weights_init", "random_weights_init"):
            for way in ("train_batch", "train_random", "train_batch_offline"):
                started, errors = time.perf_counter(), []
                for seed in range(3):
                    other = MiniSom(side, side, X.shape[1], random_seed=seed)
                    getattr(other, start)(X)
                    getattr(other, way)(X, 20 if way == "train_batch_offline" else 20 * len(X))
                    errors.append([other.quantization_error(X), other.topographic_error(X)])
                seconds, (error, torn) = (time.perf_counter() - started) / 3, np.mean(errors, axis=0)
                rows.append(["", f"MiniSom, {start[:-13]}, {way[6:]}", seconds, f"QE {error:.4g}", f"TE {torn:.3f}"])
    return rows


def network() -> list[list[Any]]:
    X, y = data("classification/letter.scale.tr.libsvm.gz")
    V, v = data("classification/letter.scale.val.libsvm.gz")
    X, y = np.vstack([X, V])[:15000], np.hstack([y, v])[:15000]
    T, u = data("classification/letter.scale.t.libsvm.gz")
    make = lambda: mercer.RBFNetworkClassifier(n_units=2000, gamma=1.0, alpha=1e-4, random_state=0).fit(X, y)  # noqa: E731
    seconds, model = timed(make)
    rows = [["network letter, 2000 centres", "mercer", seconds, f"error {100 * np.mean(model.predict(T) != u):.2f} %", ""]]

    def peer() -> Any:
        centres = KMeans(2000, n_init=1, max_iter=5, random_state=0).fit(X).cluster_centers_
        return centres, RidgeClassifier(1e-4).fit(rbf_kernel(X, centres, gamma=1.0), y)

    seconds, chosen = timed(lambda: mercer.RBFNetworkClassifier(n_units=2000, gamma=1.0, random_state=0).fit(X, y))
    rows.append(["", "mercer, auto", seconds, f"error {100 * np.mean(chosen.predict(T) != u):.2f} %", f"alpha {chosen.alpha_:.2g}"])
    seconds, (centres, other) = timed(peer)
    units = rbf_kernel(T, centres, gamma=1.0)
    rows.append(["", "scikit-learn", seconds, f"error {100 * np.mean(other.predict(units) != u):.2f} %", ""])
    started, hidden = time.perf_counter(), rbf_kernel(X, centres, gamma=1.0)
    other = RidgeClassifierCV(np.geomspace(1e-6, 1e3, 19)).fit(hidden, y)
    seconds += time.perf_counter() - started
    quality = [f"error {100 * np.mean(other.predict(units) != u):.2f} %", f"alpha {other.alpha_:.2g}"]
    rows.append(["", "scikit-learn, the penalty of 19 by leaving out", seconds, *quality])
    return rows


def friedman(kind: int, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points and the function without noise."""
    if kind == 1:
        X = random.random((n, 10))
        return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    X = random.random((n, 4)) * [100, 520 * np.pi, 1, 10] + [0, 40 * np.pi, 0, 1]
    inner = X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])
    return X, np.sqrt(X[:, 0] ** 2 + inner**2) if kind == 2 else np.arctan(inner / X[:, 0])


def drawn(kind: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tipping's draw of a function of Friedman: 240 points with noise, and 1,000 without, standardised by the first."""
    random = np.random.default_rng(seed)
    X, f = friedman(kind, 240, random)
    y = f + random.standard_normal(240) * (1.0 if kind == 1 else f.std() / 3)
    T, truth = friedman(kind, 1000, random)
    scale = StandardScaler().fit(X)
    return scale.transform(X), y, scale.transform(T), truth


def chosen(model: Any, widths: list[float], X: np.ndarray, y: np.ndarray) -> Any:
    """The model with the width that five folds choose, fitted to all rows."""
    from sklearn.model_selection import GridSearchCV

    return GridSearchCV(model, {"gamma": np.array(widths)}, cv=5).fit(X, y).best_estimator_


def published_sinc(seed: int, uniform: bool) -> tuple[float, int]:
    """A hundred points; ten times the root mean squared error on a thousand of the function, in which unit the paper's must be."""
    x = np.linspace(-10, 10, 100)
    random = np.random.default_rng(seed)
    noise = random.uniform(-0.1, 0.1, 100) if uniform else 0.1 * random.standard_normal(100)
    model = mercer.RVR(gamma=0.1).fit(x[:, None], np.sinc(x / np.pi) + noise)
    grid = np.linspace(-10, 10, 1000)
    return 10 * rmse(model, grid[:, None], np.sinc(grid / np.pi)), vectors(model)


def published_friedman(seed: int, kind: int, features: bool) -> tuple[float, int]:
    """The mean squared error on points without noise, with one width by five folds or a width for each feature by evidence."""
    X, y, T, truth = drawn(kind, seed)
    widths = [0.003, 0.01, 0.02, 0.03, 0.045, 0.1, 0.3]
    model = mercer.RVR(width="features").fit(X, y) if features else chosen(mercer.RVR(), widths, X, y)
    return float(np.mean((model.predict(T) - truth) ** 2)), vectors(model)


def published_boston(seed: int) -> tuple[float, int]:
    """The mean squared error on 25 rows, of which a hundred draws leave the mean uncertain by half."""
    X, y = data("regression/boston_gal.libsvm.gz")
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:481], order[481:]
    scale = StandardScaler().fit(X[train])
    model = chosen(mercer.RVR(), [0.01, 0.03, 0.06, 0.1, 0.15], scale.transform(X[train]), y[train])
    return rmse(model, scale.transform(X[test]), y[test]) ** 2, vectors(model)


def published_classes(split: int, name: str) -> tuple[float, int]:
    """The share of errors of a split of the benchmark. Rows that stand at relevance vectors count: copies are one vector to us."""
    X, y = data(f"raetsch/{name}.libsvm.gz")
    train = splits(f"raetsch/{name}.splits.txt.gz")[split]
    test = np.setdiff1d(np.arange(len(y)), train)
    scale = StandardScaler().fit(X[train])
    own = scale.transform(X[train])
    model = chosen(mercer.RVC(), [0.03, 0.1, 0.3, 1.0, 3.0], own, y[train])
    copies = sum(int((own == vector).all(axis=1).sum()) for vector in np.unique(model.relevance_vectors_, axis=0))
    return float(100 * np.mean(model.predict(scale.transform(X[test])) != y[test])), copies


def published_ripley(seed: int) -> tuple[float, int]:
    """A hundred of the points, the width of the paper."""
    (X, y), (T, u) = data("raetsch/ripley.libsvm.gz"), data("raetsch/ripley.t.libsvm.gz")
    own = np.random.default_rng(seed).permutation(len(y))[:100]
    model = mercer.RVC(gamma=4.0).fit(X[own], y[own])
    return float(100 * np.mean(model.predict(T) != u)), vectors(model)


def published_usps(_: int) -> tuple[float, int]:
    """Ten classes against the others; vectors of all ten functions together, as the paper counts."""
    (X, y), (T, u) = data("classification/usps.libsvm.gz"), data("classification/usps.t.libsvm.gz")
    model = mercer.RVC(gamma=1 / 128).fit(X, y)
    return float(100 * np.mean(model.predict(T) != u)), vectors(model)


# What is drawn and how often, Tipping's error and number of vectors.
PUBLISHED: dict[str, tuple[Callable[[int], tuple[float, int]], int, float | None, float | None]] = {
    "sinc": (lambda seed: published_sinc(seed, False), 100, 0.326, 6.7),
    "sinc-uniform": (lambda seed: published_sinc(seed, True), 100, 0.187, 7.0),
    "friedman-1": (lambda seed: published_friedman(seed, 1, False), 100, 2.80, 59.4),
    "friedman-2": (lambda seed: published_friedman(seed, 2, False), 100, 3505, 6.9),
    "friedman-3": (lambda seed: published_friedman(seed, 3, False), 100, 0.0164, 11.5),
    "features-1": (lambda seed: published_friedman(seed, 1, True), 100, 0.27, 11.5),
    "features-2": (lambda seed: published_friedman(seed, 2, True), 100, None, None),
    "features-3": (lambda seed: published_friedman(seed, 3, True), 100, None, None),
    "boston": (published_boston, 100, 7.46, 39.0),
    "ripley": (published_ripley, 100, 9.3, 4.0),
    "banana": (lambda split: published_classes(split, "banana"), 10, 10.8, 11.4),
    "breast-cancer": (lambda split: published_classes(split, "breast-cancer"), 10, 29.9, 6.3),
    "titanic": (lambda split: published_classes(split, "titanic"), 10, 23.0, 65.3),
}


def tables(wanted: list[str]) -> None:
    """Tipping 2001, each line as soon as it is there: `NAME`, or `NAME:FIRST:END` for some of its draws, all lines if none is named."""
    for text in wanted or PUBLISHED:
        name, *some = text.split(":")
        one, count, error, number = PUBLISHED[name]
        first, end = (int(at) for at in some) if some else (0, count)
        found = np.array([one(seed) for seed in range(first, end)])
        mean, spread = found.mean(axis=0), found.std(axis=0)
        beside = "" if error is None else f"  Tipping {error:g}, {number:g}: {mean[0] / error:.2f}, {mean[1] / number:.2f} of it"
        print(f"{name:14s} {len(found):3d} draws  error {mean[0]:.4g} ({spread[0]:.2g})  vectors {mean[1]:.1f} ({spread[1]:.2g}){beside}", flush=True)


def main(wanted: list[str]) -> None:
    if wanted[:1] == ["tables"]:
        tables(wanted[1:])
        return
    kinds = {"rvm": rvm, "cluster": cluster, "map": som, "network": network}
    for name in wanted or kinds:
        rows = [[what, who, f"{seconds:.4f}", *rest] for what, who, seconds, *rest in kinds[name]()]
        print(table(["task", "who", "seconds", "quality", ""], rows), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
