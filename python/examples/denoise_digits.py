"""Noise taken out of images by kernel PCA and pre-images.

Components are learnt on clean digits; of noisy ones only what lies along those components is kept, and turned back into an
image by a pre-image. Linear PCA has 64 components at most, and brings the noise back with them. Saves denoise_digits.png.
Widths and numbers of components, the linear one's too, were chosen on these images: the errors show what is possible and are no test.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from mercer import KernelPCA

X, y = load_digits(return_X_y=True)
X = X / 16.0
train, test = X[:1200], X[1200:1300]
noisy = test + 0.35 * np.random.default_rng(0).standard_normal(test.shape)

rows = {"clean": test, "noisy": noisy}
errors = {"noisy": np.mean((noisy - test) ** 2)}
for name, model in {
    "linear, 12": KernelPCA(12),
    "linear, 64": KernelPCA(64),
    "rbf, 100": KernelPCA(100, kernel="rbf", gamma=0.1),
}.items():
    rows[name] = model.fit(train).denoise(noisy)
    errors[name] = np.mean((rows[name] - test) ** 2)
# The last model once more, its pre-images found from distances instead of by iteration.
rows["distances"] = model.denoise(noisy, way="distances")
errors["distances"] = np.mean((rows["distances"] - test) ** 2)
for name, error in errors.items():
    print(f"{name:12} mean square error of a pixel {error:.4f}")

shown = [int(np.flatnonzero(y[1200:1300] == digit)[0]) for digit in range(10)]
figure, axes = plt.subplots(len(rows), 10, figsize=(10.0, 1.05 * len(rows)), layout="constrained")
for line, (name, images) in zip(axes, rows.items(), strict=True):
    for ax, image in zip(line, images[shown], strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0.0, vmax=1.0)
        ax.set(xticks=[], yticks=[])
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
figure.savefig("denoise_digits.png", dpi=100)
print("denoise_digits.png")
