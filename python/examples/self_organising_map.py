"""A map of handwritten digits: 1,797 pictures on a grid of 12 × 16 units, like beside like.

Each unit is shown by its median, the picture nearest to its prototype in feature space. This works for whatever a kernel
compares, also for texts and graphs, whose prototypes cannot be drawn. Saves self_organising_map.png.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from mercer import KernelSOM, plot

X, y = load_digits(return_X_y=True)
model = KernelSOM(12, 16, kernel="rbf", gamma=0.0005, grid="hexagonal").fit(X)
print(f"quantisation error {model.quantization_error_:.3f}, topographic error {model.topographic_error_:.3f}")

# The most frequent digit of each unit, and how many of its pictures are of another.
counts = np.zeros((model.hits_.size, 10))
np.add.at(counts, (model.labels_, y), 1.0)
purity = counts.max(axis=1).sum() / len(y)
print(f"{100.0 * purity:.1f} % of the pictures are of the digit that their unit has most of")

figure, axes = plt.subplots(1, 2, figsize=(15.0, 5.6), layout="constrained")
plot.som_map(model, ax=axes[0], texts=[d if c.any() else "" for c, d in zip(counts, counts.argmax(axis=1), strict=True)])
axes[0].set_title("U-matrix, and the digit that a unit has most of", loc="left")

rows, columns = model.hits_.shape
for unit, median in enumerate(model.median_indices_):
    row, column = divmod(unit, columns)
    left, low = column + 0.5 * (row % 2), row * 0.75**0.5
    axes[1].imshow(X[median].reshape(8, 8), cmap="gray_r", extent=(left, left + 0.85, low + 0.75, low))
axes[1].set(xlim=(-0.2, columns + 0.6), ylim=(rows * 0.75**0.5 + 0.1, -0.2), aspect="equal")
axes[1].set_axis_off()
axes[1].set_title("the median picture of each unit", loc="left")
figure.savefig("self_organising_map.png", dpi=100)
print("self_organising_map.png")
