"""Draws the figure of the page on RBF networks: `python docs/figures/rbf_network.py`, with matplotlib and the package."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

from mercer import SVC, RBFNetworkClassifier  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "mercer", "font.size": 10, "svg.fonttype": "none"})
FOLDER = Path(__file__).parent
BLUE, ORANGE = "#1f77b4", "#d95f02"
GAMMA = 1.0


def bananas(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Two half moons that reach into each other."""
    random = np.random.default_rng(4)
    angle, side = random.uniform(0.0, np.pi, count), np.arange(count) % 2
    x = np.column_stack([np.cos(angle), np.sin(angle)])
    x[side == 1] = [1.0, 0.35] - x[side == 1]
    return 1.4 * x + 0.13 * random.standard_normal((count, 2)), side


def main() -> None:
    """A network and a support vector machine with the same kernel: where their centres are."""
    x, y = bananas(120)
    network = RBFNetworkClassifier(n_units=5, gamma=GAMMA, n_rounds=50).fit(x, y)
    vectors = SVC(gamma=GAMMA, C=1000.0).fit(x, y)
    across, up = np.meshgrid(np.linspace(-2.0, 3.4, 200), np.linspace(-1.8, 2.0, 150))
    places = np.column_stack([across.ravel(), up.ravel()])
    panels = [
        (f"RBF network: {network.n_units_} centres", network, network.centers_, {"marker": "x", "s": 90, "lw": 2.4, "color": "black"}),
        (f"SVM: {len(vectors.support_)} support vectors", vectors, x[vectors.support_],
         {"marker": "o", "s": 110, "lw": 1.6, "facecolors": "none", "edgecolors": "black"}),
    ]
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained", sharey=True)
    for ax, (title, model, centers, style) in zip(axes, panels, strict=True):
        values = model.decision_function(places).reshape(across.shape)
        ax.contourf(across, up, values, [-np.inf, 0.0, np.inf], colors=[BLUE, ORANGE], alpha=0.13)
        ax.contour(across, up, values, [0.0], colors="0.2", linewidths=1.5)
        for side, (marker, colour) in enumerate([("o", BLUE), ("s", ORANGE)]):
            ax.plot(*x[y == side].T, marker, color=colour, ms=3.5)
        ax.scatter(*np.asarray(centers).T, zorder=3, **style)
        ax.set(title=title, xticks=[], yticks=[], aspect="equal")
    figure.savefig(FOLDER / "rbf-network.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
