"""Draws the figure of the page on clusters: `python docs/figures/clustering.py`, with mercer and matplotlib.

The gap curve is that of `cargo run --release --example cluster -- gap "rbf(gamma=1)" data/three_clusters.libsvm.gz 7`.
"""

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")

import matplotlib.pyplot as plt  # noqa: E402

from mercer import KernelKMeans, SpectralClustering  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "mercer", "font.size": 10, "svg.fonttype": "none"})
COLOURS = np.array(["#1f77b4", "#d95f02"])
#: gap(k) and s(k) for k from 1 to 7.
GAP = [
    [-0.4008, 0.0883], [-0.0993, 0.0851], [2.0470, 0.0832], [1.8310, 0.0873], [1.8438, 0.0771], [1.7695, 0.0668],
    [1.7253, 0.0644],
]

random = np.random.default_rng(0)
angle = random.uniform(0.0, 2.0 * np.pi, 400)
radius = np.repeat([1.0, 3.0], 200) + 0.12 * random.standard_normal(400)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

panels = {
    "k-means": KernelKMeans(2, kernel="linear"),
    "kernel k-means, γ = 0.5": KernelKMeans(2, gamma=0.5),
    "spectral, 10 neighbours": SpectralClustering(2, affinity="nearest_neighbors"),
}
figure, axes = plt.subplots(1, 4, figsize=(11.0, 2.9), layout="constrained", width_ratios=[1, 1, 1, 1.15])
for ax, (title, model) in zip(axes, panels.items(), strict=False):
    labels = model.fit_predict(X)
    # The cluster of the first point is blue, whatever its number.
    ax.scatter(*X.T, c=COLOURS[(labels != labels[0]).astype(int)], s=7, linewidths=0)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])
gaps, spreads = np.array(GAP).T
clusters = np.arange(1, 8)
axes[3].errorbar(clusters, gaps, yerr=spreads, color="0.25", marker="o", ms=4, lw=1.2, capsize=3)
axes[3].axvline(3, color=COLOURS[1], lw=1.0, ls=":")
axes[3].set(title="gap curve, three heaps", xlabel="clusters k", xticks=clusters)
axes[3].set_ylabel("gap(k)")
axes[3].spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).parent / "clustering.svg", metadata={"Date": None})
