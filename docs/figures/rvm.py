"""The figure of the page on relevance vector machines: `python docs/figures/rvm.py`, in the repository, with mercer installed."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from mercer import RVR, SVR

random = np.random.default_rng(1)
x = np.linspace(-10.0, 10.0, 100)
y = np.sinc(x / np.pi) + 0.1 * random.standard_normal(100)
grid = np.linspace(-11.0, 16.0, 600)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.6), sharey=True, layout="constrained")
model = RVR(gamma=0.1).fit(x[:, None], y)
mean, deviation = model.predict(grid[:, None], return_std=True)
left.fill_between(grid, mean - 2 * deviation, mean + 2 * deviation, color="#1f77b4", alpha=0.18, label="twice the deviation")
svm = SVR(gamma=0.1, C=10, epsilon=0.1).fit(x[:, None], y)
for axes, values, own, name in (
    (left, mean, model.relevance_, "relevance vectors"),
    (right, svm.predict(grid[:, None]), svm.support_, "support vectors"),
):
    axes.plot(grid, np.sinc(grid / np.pi), color="0.6", linestyle="--", linewidth=1, label="sin(x)/x")
    axes.plot(x, y, ".", color="0.35", markersize=4)
    axes.plot(grid, values, color="#1f77b4", linewidth=1.8)
    axes.plot(x[own], y[own], "o", markersize=9, markerfacecolor="none", markeredgecolor="#d62728", label=f"{len(own)} {name}")
    axes.legend(loc="upper right", frameon=False, fontsize=9)
    axes.set_xlabel("x")
left.set_title(f"RVR: noise {np.sqrt(model.noise_):.3f}", fontsize=11)
right.set_title("SVR, the same kernel: C = 10, ε = 0.1", fontsize=11)
figure.savefig(Path(__file__).with_name("rvm-sinc.png"), dpi=110)
