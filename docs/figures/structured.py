"""Draws the figures of the pages on graphs and on sets: `python docs/figures/structured.py`, with matplotlib."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "mercer", "font.size": 10, "svg.fonttype": "none"})
FOLDER = Path(__file__).parent
BLUE, ORANGE, GREY = "#1f77b4", "#d95f02", "0.35"


def pyramid() -> None:
    """Which vectors of two sets on a line meet in which grid."""
    first, second = [0.5, 2.2, 7.5], [0.9, 3.1]
    met = [[(0.5, 0.9)], [(2.2, 3.1)], [], []]
    figure, axes = plt.subplots(4, 1, figsize=(7.2, 3.6), layout="constrained", sharex=True)
    for i, ax in enumerate(axes):
        side = 2**i
        for k in range(8 // side + 1):
            ax.axvline(k * side, color="0.75", lw=0.8)
        ax.plot(first, [0.3] * 3, "o", color=BLUE, ms=7, label="X")
        ax.plot(second, [-0.3] * 2, "s", color=ORANGE, ms=7, label="Y")
        for grid in range(i + 1):
            for pair in met[grid]:
                ax.plot(pair, [0.3, -0.3], color="0.2", lw=1.5 if grid == i else 0.8, ls="-" if grid == i else ":")
        ax.set(ylim=(-0.8, 0.8), yticks=[], xlim=(-0.15, 8.15))
        ax.set_ylabel(f"side {side}" if i < 3 else "one cell", rotation=0, ha="right", va="center")
        ax.text(8.3, 0, f"{len(met[i])} new, weight {['1', '1/2', '1/4', '1/8'][i]}", va="center")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0, labelbottom=i == 3)
    axes[0].legend(loc="upper right", ncols=2, frameon=False, bbox_to_anchor=(1.0, 1.75))
    figure.savefig(FOLDER / "pyramid.svg", metadata={"Date": None})


def product_graph() -> None:
    """Two graphs, and the graph of the pairs of their nodes that have the same label."""
    labels, colour = ["C", "C", "O"], {"C": GREY, "O": ORANGE}
    triangle, chain = [(0, 1), (1, 2), (0, 2)], [(0, 1), (1, 2)]
    figure, axes = plt.subplots(1, 3, figsize=(9.0, 3.0), layout="constrained", width_ratios=[1, 1, 1.6])

    def draw(ax, title, places, edges, names, kinds) -> None:
        for u, v in edges:
            ax.plot(*zip(places[u], places[v], strict=True), color="0.6", lw=1.5, zorder=1)
        for (x, y), name, kind in zip(places, names, kinds, strict=True):
            ax.plot(x, y, "o", ms=17, color=colour[kind], zorder=2)
            ax.text(x, y, name, color="white", ha="center", va="center", zorder=3, fontsize=9)
        ax.set_title(title)
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.margins(0.22)

    draw(axes[0], "G", [(0, 0), (1, 0), (0.5, 0.85)], triangle, "123", labels)
    draw(axes[1], "H", [(0, 0), (1, 0), (1, 0.85)], chain, "abc", labels)
    places = {(0, 0): (0, 0), (0, 1): (1, 0), (1, 0): (0, 1), (1, 1): (1, 1), (2, 2): (2, 0.5)}
    pairs = list(places)

    def joined(edges, u, v) -> bool:
        return (u, v) in edges or (v, u) in edges

    both = [
        (i, j) for i, (a, c) in enumerate(pairs) for j, (b, d) in enumerate(pairs)
        if i < j and joined(triangle, a, b) and joined(chain, c, d)
    ]
    names = [f"{a + 1}{'abc'[c]}" for a, c in pairs]
    draw(axes[2], "their product, nodes with one label", list(places.values()), both, names, [labels[a] for a, _ in pairs])
    figure.savefig(FOLDER / "product-graph.svg", metadata={"Date": None})


pyramid()
product_graph()
