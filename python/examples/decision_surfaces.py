"""What a machine has learnt, as a picture.

Six machines on data of two columns, each by one call of `mercer.plot.decision_surface`: regions of classes, margins and
support vectors, the border of a one-class machine, the values of a regression. Saves decision_surfaces.png.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris, make_moons

from mercer import SVC, SVDD, SVR, KernelFisher, OneVsRestSVC, plot

moons, side = make_moons(150, noise=0.25, random_state=0)
iris = load_iris(as_frame=True)
petals, species = iris.data.iloc[:, 2:], iris.target_names[iris.target]
random = np.random.default_rng(0)
square = random.uniform(-2.0, 2.0, (120, 2))
height = np.sin(2.0 * square[:, 0]) * np.cos(square[:, 1]) + 0.1 * random.standard_normal(120)

panels = [
    ("SVC", SVC(C=10.0), moons, side),
    ("SVC, errors dear, kernel narrow", SVC(C=1e6, gamma=3.0), moons, side),
    ("the Fisher discriminant", KernelFisher(), moons, side),
    ("one against the rest", OneVsRestSVC(C=10.0), petals, species),
    ("the smallest sphere", SVDD(nu=0.1), moons, None),
    ("SVR", SVR(C=10.0), square, height),
]
figure, axes = plt.subplots(2, 3, figsize=(15.0, 7.5), layout="constrained")
for ax, (title, machine, X, y) in zip(axes.flat, panels, strict=True):
    plot.decision_surface(machine.fit(X, y), X, y, ax=ax)
    ax.set_title(title, loc="left")
figure.savefig("decision_surfaces.png", dpi=100)
print("decision_surfaces.png")
