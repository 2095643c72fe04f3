"""Texts, graphs and sets of vectors: the same machines, other kernels.

Promoters of genes among strands of DNA, molecules that cause mutations, and molecules that smell of musk, each known by the
shapes that it can take: each point is compared with the others by the parts that they share. Saves structured_data.png.
"""

import gzip
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mercer import SVC, Graph

DATA = Path("data")


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt") as file:
        return file.read().splitlines()


def strands() -> tuple[list[str], list[str]]:
    """Lines of a label, a tab and a text."""
    labels, texts = zip(*(line.split("\t", 1) for line in lines(DATA / "promotergene.tsv.gz")), strict=True)
    return list(texts), list(labels)


def molecules() -> tuple[list[Graph], list[str]]:
    """A folder of the TU collection: the graph and the label of each node, and edges in both directions."""
    part = {name: lines(DATA / "MUTAG" / f"MUTAG_{name}.txt.gz") for name in ("A", "graph_indicator", "node_labels", "graph_labels")}
    of = np.array([int(line) - 1 for line in part["graph_indicator"]])
    first = np.searchsorted(of, np.arange(len(part["graph_labels"]) + 1))
    edges: list[list[tuple[int, int]]] = [[] for _ in part["graph_labels"]]
    for line in part["A"]:
        a, b = (int(node) - 1 for node in line.split(","))
        edges[of[a]].append((a - first[of[a]], b - first[of[a]]))
    graphs = [Graph(edges[g], part["node_labels"][first[g] : first[g + 1]]) for g in range(len(edges))]
    return graphs, part["graph_labels"]


def shapes() -> tuple[list[np.ndarray], list[str]]:
    """Rows `label qid:SET index:value …`; scaled to unit deviation."""
    rows: dict[str, list[list[float]]] = {}
    labels: dict[str, str] = {}
    for line in lines(DATA / "musk1.bags.gz"):
        label, name, *entries = line.split()
        values = [0.0] * 166
        for entry in entries:
            index, value = entry.split(":")
            values[int(index) - 1] = float(value)
        rows.setdefault(name, []).append(values)
        labels[name] = label
    sets = [np.array(rows[name]) for name in rows]
    scale = np.vstack(sets).std(axis=0)
    return [one / scale for one in sets], list(labels.values())


CASES = {
    "promoters": (strands(), ["spectrum(p=4)", "range(p=5)", "degree(d=10)", "mismatch(p=5, m=1, alphabet=4)", "subsequence(p=4)"]),
    "mutagens": (molecules(), ["vertices", "edges", "wl(h=3)", "path", "graphlet(k=4)"]),
    "musk": (shapes(), ["set(rbf(gamma=0.01))", "set(rbf(gamma=0.03))^2", "bestmatch(rbf(gamma=0.01))"]),
}
figure, axes = plt.subplots(1, 3, figsize=(15.0, 4.0), layout="constrained")
for ax, (title, ((points, labels), kernels)) in zip(axes, CASES.items(), strict=True):
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    scores = [cross_val_score(SVC(C=10.0, kernel=f"normalized({kernel})"), points, labels, cv=folds) for kernel in kernels]
    ax.boxplot(scores, orientation="horizontal", showmeans=True)
    ax.set_yticks(range(1, len(kernels) + 1), kernels)
    ax.set_title(f"{title}: accuracy of ten folds", loc="left")
    ax.invert_yaxis()
    for kernel, score in zip(kernels, scores, strict=True):
        print(f"{title:9}  {kernel:32}  {100 * score.mean():5.1f} %")
figure.savefig("structured_data.png", dpi=100)
