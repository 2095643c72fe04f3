"""Draws the figures of the page on self-organising maps: `python docs/figures/som.py`, with matplotlib and the package mercer."""

import gzip
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402

from mercer import Graph, KernelSOM, plot  # noqa: E402

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[1] / "data"
plt.rcParams.update({"font.size": 10, "savefig.dpi": 110})
#: Carbon, nitrogen, oxygen, fluorine, iodine, chlorine, bromine, as the data number them.
ATOMS = ["0.25", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#8C6D1F"]


def digits() -> None:
    """The U-matrix of handwritten digits, their hits, a component plane, and the median digit of each unit."""
    rows, labels = load_svmlight_file(DATA / "digits8x8.libsvm.gz")
    rows = rows.toarray()
    model = KernelSOM(10, 14, grid="hexagonal").fit(rows)
    print(f"digits: quantisation error {model.quantization_error_:.3f}, topographic error {model.topographic_error_:.3f}")
    counts = np.zeros((140, 10))
    np.add.at(counts, (model.labels_, labels.astype(int)), 1)
    names = [str(each.argmax()) if each.any() else "" for each in counts]
    figure, axes = plt.subplots(2, 2, figsize=(11.0, 7.0), layout="constrained")
    plot.som_map(model, ax=axes[0, 0], texts=names)
    axes[0, 0].set_title("U-matrix, and the digit that a unit has most of", loc="left")
    plot.som_map(model, "hits", ax=axes[0, 1])
    middle = 36
    plot.som_map(model, middle, X=rows, ax=axes[1, 0])
    axes[1, 0].set_title("component plane: ink in the middle of the picture", loc="left")
    ax = axes[1, 1]
    for unit, median in enumerate(model.median_indices_):
        row, column = divmod(unit, 14)
        left, low = column + 0.5 * (row % 2), row * np.sqrt(0.75)
        picture = rows[median].reshape(8, 8)
        ax.imshow(picture, cmap="gray_r", extent=(left - 0.41, left + 0.41, low + 0.38, low - 0.38))
    ax.set(xlim=(-0.7, 14.1), ylim=(9 * np.sqrt(0.75) + 0.6, -0.6), aspect="equal")
    ax.set_axis_off()
    ax.set_title("the median picture of each unit", loc="left")
    figure.savefig(FOLDER / "som-digits.png")


def lines(name: str) -> list[str]:
    with gzip.open(DATA / "MUTAG" / f"MUTAG_{name}.txt.gz", "rt") as file:
        return file.read().split("\n")[:-1]


def molecules() -> tuple[list[Graph], np.ndarray]:
    """188 molecules, and whether each is mutagenic."""
    owner = np.array([int(line) for line in lines("graph_indicator")]) - 1
    labels = np.array(lines("node_labels"))
    first = np.searchsorted(owner, np.arange(owner.max() + 1))
    edges = np.array([[int(node) for node in line.split(",")] for line in lines("A")]) - 1
    edges = edges[edges[:, 0] < edges[:, 1]]
    found = [
        Graph(edges[owner[edges[:, 0]] == g] - first[g], labels[owner == g].tolist()) for g in range(owner.max() + 1)
    ]
    return found, np.array([line.strip() == "1" for line in lines("graph_labels")])


def places(graph: Graph) -> np.ndarray:
    """Nodes in the plane, as far from each other as the paths between them are long: stress majorisation."""
    steps = np.full((graph.nodes, graph.nodes), np.inf)
    np.fill_diagonal(steps, 0.0)
    for a, b in graph.edges:
        steps[a, b] = steps[b, a] = 1.0
    for k in range(graph.nodes):
        steps = np.minimum(steps, steps[:, [k]] + steps[[k]])
    steps[np.isinf(steps)] = graph.nodes
    centred = np.eye(graph.nodes) - 1.0 / graph.nodes
    values, vectors = np.linalg.eigh(-0.5 * centred @ steps**2 @ centred)
    weights = 1.0 / np.maximum(steps, 1.0) ** 2 - np.eye(graph.nodes)
    laplacian = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    best, least = vectors[:, -2:], np.inf
    for trial in range(12):
        # Nodes at the same place would stay there, and rings that are folded would not unfold.
        at = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-3))
        at += (0.05 + 0.1 * trial) * np.sin((trial + 1.0) * np.arange(2.0 * graph.nodes)).reshape(-1, 2)
        for _ in range(80):
            far = np.linalg.norm(at[:, None] - at[None], axis=-1) + np.eye(graph.nodes)
            ratio = weights * steps / far
            at = laplacian @ ((np.diag(ratio.sum(axis=1)) - ratio) @ at)
        stress = (weights * (far - steps) ** 2).sum()
        if stress < least:
            best, least = at, stress
    return best / np.abs(best).max()


def mutag() -> None:
    """Molecules on a map by the Weisfeiler-Lehman kernel: the share that is mutagenic, and the median molecule of each unit."""
    graphs, mutagenic = molecules()
    model = KernelSOM(5, 8, kernel="normalized(wl(h=3))").fit(graphs)
    print(f"molecules: quantisation error {model.quantization_error_:.3f}, topographic error {model.topographic_error_:.3f}")
    hits = np.bincount(model.labels_, minlength=40)
    shares = np.bincount(model.labels_, weights=mutagenic, minlength=40) / np.maximum(hits, 1)
    shares[hits == 0] = np.nan
    figure, ax = plt.subplots(figsize=(11.0, 6.6), layout="constrained")
    plot.som_map(model, shares, ax=ax, cmap=LinearSegmentedColormap.from_list("pale", ["#92c5de", "#f7f7f7", "#f4a582"]))
    ax.set_title("188 molecules: the median of each unit, how many it has, and by colour the share that is mutagenic", loc="left")
    for unit, median in enumerate(model.median_indices_):
        row, column = divmod(unit, 8)
        graph = graphs[median]
        at = 0.36 * places(graph) + [column, row]
        for a, b in graph.edges:
            ax.plot(*at[[a, b]].T, color="0.15", lw=0.8, zorder=3)
        ax.scatter(*at.T, s=9, c=[ATOMS[int(label)] for label in graph.labels], zorder=4, linewidths=0)
        ax.text(column + 0.46, row - 0.42, str(hits[unit]), ha="right", va="top", fontsize=7)
    figure.savefig(FOLDER / "som-molecules.png")


digits()
mutag()
