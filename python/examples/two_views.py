"""What two views of the same things have in common.

Each row is seen twice: once on a spiral, once by two noisy numbers. No column of one view says much of a column of the other,
but kernel canonical correlations find the one cause behind both. Saves two_views.png.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelCCA, plot

random = np.random.default_rng(0)
cause = random.uniform(0.0, 1.0, 400)
spiral = np.column_stack([cause * np.cos(9.0 * cause), cause * np.sin(9.0 * cause)])
spiral += 0.02 * random.standard_normal(spiral.shape)
numbers = np.column_stack([(cause - 0.5) ** 2, random.standard_normal(400)])
numbers[:, 0] += 0.01 * random.standard_normal(400)
numbers /= numbers.std(axis=0)
train, test = slice(0, 300), slice(300, 400)

plain = np.corrcoef(np.hstack([spiral, numbers]).T)[:2, 2:]
print(f"the largest correlation of two columns: {np.abs(plain).max():.2f}")
for alpha in (1e-5, 1e-3, 0.1):
    model = KernelCCA(alpha=alpha, gamma=5.0).fit(spiral[train], numbers[train])
    on_new = model.score(spiral[test], numbers[test])
    print(f"alpha = {alpha:<6g}: {model.correlations_[0]:.3f} on the training rows, {on_new:.3f} on new ones")

model = KernelCCA(alpha=1e-3, gamma=5.0).fit(spiral[train], numbers[train])
figure, axes = plt.subplots(1, 3, figsize=(15.0, 4.2), layout="constrained")
axes[0].scatter(*spiral.T, c=cause, cmap="cividis", s=14)
axes[0].set_title("first view", loc="left")
axes[1].scatter(*numbers.T, c=cause, cmap="cividis", s=14)
axes[1].set_title("second view", loc="left")
plot.components(model, cause[test], X=(spiral[test], numbers[test]), ax=axes[2])
axes[2].set_title("what they share, on new rows", loc="left")
figure.savefig("two_views.png", dpi=100)
print("two_views.png")
