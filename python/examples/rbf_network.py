"""RBF network and support vector machine side by side: the same kernel, centres where the rows are against centres at the border.

A network of few units finds its centres without the classes (k-means) or by what they explain (orthogonal least squares); the
machine takes the rows that decide. Saves rbf_network.png.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC, RBFNetworkClassifier, RBFNetworkRegressor

random = np.random.default_rng(4)
GAMMA = 1.0


def moons(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Two half moons that reach into each other."""
    angle, side = random.uniform(0.0, np.pi, count), np.arange(count) % 2
    x = np.column_stack([np.cos(angle), np.sin(angle)])
    x[side == 1] = [1.0, 0.35] - x[side == 1]
    return 1.4 * x + 0.13 * random.standard_normal((count, 2)), side


X, y = moons(120)
new, expected = moons(2000)
models = {
    "network, 5 means": RBFNetworkClassifier(n_units=5, gamma=GAMMA, n_rounds=50),
    "network, 5 by OLS": RBFNetworkClassifier(n_units=5, gamma=GAMMA, centers="ols"),
    "network, widths by neighbours": RBFNetworkClassifier(n_units=12, kernel="linear", width="nearest"),
    "SVM": SVC(gamma=GAMMA, C=1000.0),
}
figure, axes = plt.subplots(1, 4, figsize=(15.0, 3.4), layout="constrained", sharey=True)
across, up = np.meshgrid(np.linspace(-2.0, 3.4, 160), np.linspace(-1.8, 2.0, 120))
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    network = isinstance(model, RBFNetworkClassifier)
    centers = model.centers_ if network else X[model.support_]
    print(f"{name:30}: {len(centers):3} centres, error {1.0 - model.score(new, expected):.2%}")
    values = model.decision_function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    ax.contour(across, up, values, [0.0], colors="black")
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=8)
    style = {"marker": "x", "color": "black"} if network else {"facecolors": "none", "edgecolors": "black"}
    ax.scatter(*centers.T, s=90, **style)
    ax.set_title(name, loc="left")
figure.savefig("rbf_network.png", dpi=100)
print("rbf_network.png")

# Regression: the price of the weights by leaving rows out, for all prices at once.
x = np.sort(random.uniform(-10.0, 10.0, 200))[:, None]
noisy = np.sinc(x.ravel() / np.pi) + 0.1 * random.standard_normal(200)
for centers in ("k-means", "ols"):
    model = RBFNetworkRegressor(n_units=30, gamma=0.3, centers=centers).fit(x, noisy)
    error = np.sqrt(np.mean((model.predict(x) - np.sinc(x.ravel() / np.pi)) ** 2))
    left_out = np.sqrt(model.loo_error_)
    print(f"sinc, {centers}: {model.n_units_} units, alpha {model.alpha_:.1e}, error left out {left_out:.3f}, true {error:.3f}")
