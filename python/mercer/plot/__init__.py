"""Pictures of fitted models, by matplotlib (``pip install "mercer[plot]"``).

Each function draws into `ax`, or into a new figure, and returns the Axes; pictures of several panels make a figure of their own and
return a list of Axes. The program draws the same kinds: ``mercer plot KIND``. Colour-blind readers can tell the
colours apart (Okabe and Ito's), and classes also differ in their markers.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("Agg")
>>> from sklearn.datasets import make_moons
>>> from mercer import SVC, plot
>>> X, y = make_moons(noise=0.2, random_state=0)
>>> ax = plot.decision_surface(SVC(C=10.0).fit(X, y), X, y)
>>> ax.figure.savefig("moons.png")
"""

from mercer.plot._components import components
from mercer.plot._decisions import calibration, margins, roc
from mercer.plot._fits import denoising, nu_sweep, path, risk, search
from mercer.plot._map import som_map
from mercer.plot._profiles import contours, gram, kernel
from mercer.plot._spectrum import spectrum
from mercer.plot._surface import decision_surface

__all__ = [
    "calibration", "components", "contours", "decision_surface", "denoising", "gram", "kernel", "margins", "nu_sweep", "path", "risk",
    "roc", "search", "som_map", "spectrum",
]
