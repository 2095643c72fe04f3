"""Handwritten digits without their labels: k-means, kernel k-means and spectral clustering.

Means in feature space go with heaps; a graph of neighbours follows a sheet of any shape. The labels are used only to say
how well the clusters agree with them. Saves clustering.png.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from mercer import KernelKMeans, SpectralClustering

X, y = load_digits(return_X_y=True)
models = {
    "k-means": KernelKMeans(10, kernel="linear"),
    "kernel k-means": KernelKMeans(10, gamma=2e-3),
    "spectral, all affinities": SpectralClustering(10, gamma=2e-3),
    "spectral, ten neighbours": SpectralClustering(10, affinity="nearest_neighbors"),
}
for name, model in models.items():
    labels = model.fit_predict(X)
    print(f"{name:25}: adjusted Rand index {adjusted_rand_score(y, labels):.3f}")

means = models["kernel k-means"]
print(f"inertia {means.inertia_:.1f} in feature space after {means.n_iter_} iterations, silhouette {means.silhouette_:.3f}")

spectral = models["spectral, ten neighbours"]
figure, axes = plt.subplots(2, 10, figsize=(11.0, 2.6), layout="constrained")
for row, model in zip(axes, (means, spectral), strict=True):
    for cluster, ax in enumerate(row):
        ax.imshow(X[model.labels_ == cluster].mean(axis=0).reshape(8, 8), cmap="gray_r")
        ax.set_axis_off()
axes[0, 0].set_title("means of the clusters of kernel k-means", loc="left", fontsize=9)
axes[1, 0].set_title("and of a graph of neighbours", loc="left", fontsize=9)
figure.savefig("clustering.png", dpi=100)
print("clustering.png")
