"""Kernels on texts, graphs and sets: speed beside peers, values beside theirs, published accuracies. Run by `cargo xtask structured`.

`speed`: whole normalised Grams, one thread each, the smallest of three runs; mercer by the example `gram`, data in memory, peers in
this process, graphs in the form that they want. Where a peer has the same definition its values must agree to 1e-9 (GraKeL's
labelled random walk has another one and is timed only). `published`: accuracies of support vector machines on mercer's Grams with
nested selection: ten folds, and C and the kernel chosen by three folds of each training part alone.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

from place import EXAMPLES, MERCER, SHARED, TARGET  # noqa: E402
from table import table  # noqa: E402

WORK = TARGET / "bench-structured"
RUNS = 3
FOLDS, INNER = 10, 3
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)

#: Name, data, kernels to choose from, repeats, accuracy in per cent that is published, its standard deviation, whose.
PUBLISHED = (
    ("wl", "graphs/MUTAG", [f"wl(h={h})" for h in range(11)], 10, 82.05, 0.36, "Shervashidze 2011"),
    ("shortest path", "graphs/MUTAG", ["path"], 10, 87.28, 0.55, "Shervashidze 2011"),
    ("wl", "graphs/ENZYMES", [f"wl(h={h})" for h in (0, 1, 2, 3, 4, 6, 8, 10)], 2, 52.22, 1.26, "Shervashidze 2011"),
    ("shortest path", "graphs/ENZYMES", ["path"], 2, 41.68, 1.79, "Shervashidze 2011"),
    ("wl", "graphs/NCI1", [f"wl(h={h})" for h in (2, 5, 8)], 1, 82.19, 0.18, "Shervashidze 2011"),
    ("shortest path", "graphs/NCI1", ["path"], 1, 73.47, 0.11, "Shervashidze 2011"),
    ("set", "bags/musk1.bags.gz", [f"set(rbf(gamma={g:g}))" for g in (1e-6, 3e-6, 1e-5, 3e-5, 1e-4)], 5, 84.0, 0.0, "at least"),
    ("spectrum", "strings/sms_spam.tsv.gz", ["spectrum(p=4)"], 1, 98.5, 0.0, "at least"),
)


def gram(kernel: str, data: str) -> np.ndarray:
    """Values by the program, kept from one run to the next."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / ("".join(c if c.isalnum() else "_" for c in f"{data}-{kernel}") + ".npy")
    if not path.exists():
        subprocess.run([MERCER, "kernel", "gram", "--quiet", kernel, SHARED / data, path], check=True)
    return np.load(path)


def labels(data: str) -> np.ndarray:
    path = SHARED / data
    if data.startswith("graphs"):
        with gzip.open(path / f"{path.name}_graph_labels.txt.gz", "rt") as file:
            return np.array([line.strip() for line in file])
    with gzip.open(path, "rt") as file:
        if not data.startswith("bags"):
            return np.array([line.split("\t", 1)[0] for line in file if line.strip()])
        found = {line.split()[1]: line.split()[0] for line in file if line.strip()}
    return np.array(list(found.values()))


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """The shortest of some runs, and the answer."""
    best, answer = np.inf, None
    for _ in range(RUNS):
        began = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - began)
    return best, answer


def ours(kernel: str, data: Path) -> float:
    def once() -> float:
        done = subprocess.run([EXAMPLES / "gram", kernel, data], check=True, capture_output=True, text=True)
        return float(done.stdout.split("gram ")[1].split()[0])

    return min(once() for _ in range(RUNS))


def graphs_of(name: str) -> list[object]:
    """Graphs as GraKeL wants them: a dictionary of edges and one of labels."""
    folder = SHARED / "graphs" / name

    def lines(part: str) -> list[str]:
        with gzip.open(folder / f"{name}_{part}.txt.gz", "rt") as file:
            return file.read().split("\n")[:-1]

    place = [int(line) - 1 for line in lines("graph_indicator")]
    found: list[list[object]] = [[{}, {}] for _ in range(max(place) + 1)]
    for node, (graph, label) in enumerate(zip(place, lines("node_labels"), strict=True)):
        found[graph][1][node] = int(label)
    for line in lines("A"):
        a, b = (int(word) - 1 for word in line.split(","))
        found[place[a]][0][(a, b)] = 1.0
    return found


def speed(chosen: Sequence[str]) -> None:
    import grakel
    from sklearn.feature_extraction.text import CountVectorizer

    rows: list[list[str]] = []

    def add(what: str, kernel: str, data: str, peer: str, theirs: Callable[[], object] | None, compare: bool) -> None:
        if chosen and not any(word in what for word in chosen):
            return
        mine = ours(kernel, SHARED / data)
        agreed = "–"
        seconds, values = timed(theirs) if theirs else (float("nan"), None)
        if compare and values is not None:
            off = float(np.abs(np.asarray(values) - gram(kernel, data)).max())
            agreed = f"{off:.0e}"
            if off > 1e-9:
                print(f"{what}: values differ by {off}", file=sys.stderr)
        rows.append([what, f"{mine:.4f}", peer, f"{seconds:.3f}", f"{seconds / mine:.0f}×", agreed])
        print(*rows[-1], flush=True)

    def kernels(name: str) -> list[tuple[str, str, object, bool]]:
        wl = grakel.WeisfeilerLehman(n_iter=5, base_graph_kernel=grakel.VertexHistogram, normalize=True)
        path = grakel.ShortestPath(normalize=True, with_labels=True)
        found = [("wl h=5", "wl(h=5)", wl, True), ("shortest path", "path", path, True)]
        found.append(("vertices", "vertices", grakel.VertexHistogram(normalize=True), True))
        if name in ("MUTAG", "PTC"):
            found.append(("walk", "walk", grakel.RandomWalk(normalize=True, lamda=0.01, method_type="fast"), False))
            found.append(("walk, labels", "walk(labels=nodes)", grakel.RandomWalkLabeled(normalize=True, lamda=0.01), False))
        if name == "MUTAG":
            found.append(("graphlets k=5", "graphlet(k=5)", grakel.GraphletSampling(normalize=True, k=5), False))
        return found

    for name in ("MUTAG", "PTC", "ENZYMES", "NCI1"):
        graphs = graphs_of(name)
        for what, kernel, peer, same in kernels(name):
            def theirs(peer: object = peer, graphs: list[object] = graphs) -> object:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return peer.fit_transform(graphs)  # type: ignore[attr-defined]

            add(f"{what}, {name}", f"normalized({kernel})", f"graphs/{name}", "GraKeL", theirs, same)

    def texts(data: str) -> list[str]:
        with gzip.open(SHARED / data, "rt") as file:
            return [line.rstrip("\r\n").split("\t", 1)[1] for line in file if line.strip()]

    for data, p in (("strings/sms_spam.tsv.gz", 4), ("strings/celegans_acceptor.tsv.gz", 5)):
        def words(points: list[str] = texts(data), p: int = p) -> object:
            counts = CountVectorizer(analyzer=lambda text: [text[i : i + p] for i in range(len(text) - p + 1)])
            x = counts.fit_transform(points).astype(np.float64)
            norms = np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel())
            dense = (x @ x.T).toarray()
            scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
            dense *= scale[:, None]
            dense *= scale
            return dense

        add(f"spectrum p={p}, {Path(data).name}", f"normalized(spectrum(p={p}))", data, "CountVectorizer", words, True)
    for kernel in ("degree(d=5)", "mismatch(p=5, m=1, alphabet=4)"):
        add(kernel, f"normalized({kernel})", "strings/celegans_acceptor.tsv.gz", "", None, False)
    print(table(["Gram", "mercer s", "peer", "peer s", "ratio", "difference"], rows))


def nested(grams: list[np.ndarray], y: np.ndarray, seed: int) -> float:
    """The accuracy over ten folds, C and the Gram chosen inside each training part."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    right = 0
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y):
        inner = StratifiedKFold(INNER, shuffle=True, random_state=seed)

        def score(k: np.ndarray, c: float, train: np.ndarray = train, inner: object = inner) -> float:
            model = SVC(C=c, kernel="precomputed", cache_size=1000)
            return float(cross_val_score(model, k[np.ix_(train, train)], y[train], cv=inner).mean())

        choices = [(score(k, c), -i, -c, k) for i, k in enumerate(grams) for c in COSTS]
        best = max(choices, key=lambda choice: choice[:3])
        model = SVC(C=-best[2], kernel="precomputed", cache_size=1000).fit(best[3][np.ix_(train, train)], y[train])
        right += int((model.predict(best[3][np.ix_(test, train)]) == y[test]).sum())
    return 100.0 * right / len(y)


def acceptors() -> list[str]:
    """The area under the curve of acceptor sites, five folds."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import SVC

    data = "strings/celegans_acceptor.tsv.gz"
    k, y = gram("normalized(degree(d=20, shift=0))", data), labels(data) == "1"
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_predict(SVC(C=1.0, kernel="precomputed"), k, y, cv=folds, method="decision_function")
    return ["degree", "celegans_acceptor", f"{100.0 * roc_auc_score(y, scores):.2f}", "", "98.00", "at least, area under the curve"]


def published(chosen: Sequence[str]) -> None:
    rows = []
    for name, data, kernels, repeats, accuracy, deviation, source in PUBLISHED:
        if chosen and not any(word in f"{name} {data}" for word in chosen):
            continue
        grams = [gram(f"normalized({kernel})", data) for kernel in kernels]
        found = [nested(grams, labels(data), seed) for seed in range(repeats)]
        mean, spread = float(np.mean(found)), float(np.std(found))
        rows.append([name, data, f"{mean:.2f}", f"{spread:.2f}", f"{accuracy:.2f} ± {deviation:.2f}", source])
        print(*rows[-1], flush=True)
    if not chosen or "degree" in chosen:
        rows.append(acceptors())
        print(*rows[-1], flush=True)
    print(table(["kernel", "data", "accuracy", "±", "published", "source"], rows))


def main(arguments: Sequence[str]) -> int:
    part, chosen = (arguments[0], arguments[1:]) if arguments else ("", ())
    if part not in ("", "speed", "published"):
        print(f"structured.py [speed | published] [WORD …]\n\n{__doc__}")
        return 0 if part in ("-h", "--help") else 2
    if part in ("", "speed"):
        speed(chosen)
    if part in ("", "published"):
        published(chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
