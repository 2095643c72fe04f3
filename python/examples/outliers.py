"""Where the data are: a one-class machine and the smallest sphere, and what nu means.

nu bounds the share of rows that are left outside. With a Gaussian kernel both machines find the same border; with a kernel
whose k(x, x) is not constant they differ. Saves outliers.png.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVDD, OneClassSVM, plot
from mercer.kernels import Poly

random = np.random.default_rng(1)
angle = random.uniform(0.0, np.pi, 190)
X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.08 * random.standard_normal((190, 2))
X = np.vstack([X, random.uniform(-1.5, 1.5, (10, 2))])

for nu in (0.02, 0.05, 0.1, 0.2):
    model = OneClassSVM(nu=nu, gamma=2.0).fit(X)
    outside = np.mean(model.predict(X) < 0)
    print(f"nu = {nu:4}: {outside:5.1%} outside, {len(model.support_) / len(X):5.1%} support vectors")

plane = OneClassSVM(nu=0.1, gamma=2.0).fit(X)
sphere = SVDD(nu=0.1, gamma=2.0).fit(X)
print(f"Gaussian kernel: the two agree on {np.mean(plane.predict(X) == sphere.predict(X)):.0%} of the rows")
lowest = np.argsort(plane.score_samples(X))[:5]
print("the five strangest rows:", lowest.tolist(), "(the last ten were put in)")

panels = {
    "one class, rbf": plane,
    "sphere, rbf": sphere,
    "one class, poly": OneClassSVM(nu=0.1, kernel=Poly(2, coef0=1.0)).fit(X),
    "sphere, poly": SVDD(nu=0.1, kernel=Poly(2, coef0=1.0)).fit(X),
}
figure, axes = plt.subplots(2, 2, figsize=(11.0, 8.0), layout="constrained")
for ax, (title, model) in zip(axes.flat, panels.items(), strict=True):
    plot.decision_surface(model, X, ax=ax).set_title(title, loc="left")
figure.savefig("outliers.png", dpi=100)
print("outliers.png")
