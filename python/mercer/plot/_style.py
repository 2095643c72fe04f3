"""Colours, markers and legends that all pictures share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._docs import F, filled, known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array: TypeAlias = NDArray[Any]

#: Okabe and Ito's colours, the dark ones first, a dark yellow for their light one, and two of Tol's.
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#555555", "#332288", "#882255",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">")
INK = "#222222"
#: How much of a class's colour is in its region; the rest is white.
TINT = 0.28

_ENTRIES = known(
    ax=("matplotlib Axes, default=None", "Where to draw; None for a new figure."),
    legend=("bool, default=True", "Whether there is a legend, beside the picture where it would hide points, or a colour bar."),
)
_SETUP = """>>> import matplotlib
>>> matplotlib.use("Agg")
>>> from sklearn.datasets import load_iris
>>> from mercer import SVC, KernelPCA, KernelSOM, plot
>>> X, y = load_iris(return_X_y=True, as_frame=True)
"""


def documented(function: F) -> F:
    """A function that draws, its docstring with what all of them have in common."""
    return filled(function, _ENTRIES, "Axes\n    What was drawn into.", _SETUP)


def new_axes(ax: Axes | None) -> Axes:
    """Where to draw."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "mercer[plot]"') from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def new_panels(count: int, columns: int, size: tuple[float, float]) -> list[Axes]:
    """So many Axes on a new figure, in rows of at most `columns`, each of this size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "mercer[plot]"') from error
    columns = min(columns, count)
    rows = -(-count // columns)
    whole = (size[0] * columns, size[1] * rows)
    grid = plt.subplots(rows, columns, figsize=whole, squeeze=False, layout="constrained")[1]
    every = list(grid.ravel())
    for ax in every[count:]:
        ax.remove()
    return every[:count]


def counted(ax: Axes) -> None:
    """Ticks at whole numbers only, along an axis that counts."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def ringed(ax: Axes, across: Array, along: Array, size: float) -> None:
    """Rings around support vectors."""
    ring: Any = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.9, "zorder": 4, "label": "support vectors"}
    ax.scatter(across, along, s=size, **ring)


def tint(k: int, share: float = TINT) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - share * (1.0 - part) for part in to_rgb(COLOURS[k % len(COLOURS)]))
    return red, green, blue


def classes_of_points(ax: Axes, points: Array, y: Array, classes: Array) -> None:
    """Rows in the colour and with the marker of their class."""
    every = list(classes) + [c for c in np.unique(y) if c not in classes]
    size = 30.0 if len(points) <= 400 else 14.0
    for k, name in enumerate(every):
        own = points[y == name]
        marker = MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]
        ax.scatter(
            own[:, 0], own[:, 1], s=size, color=COLOURS[k % len(COLOURS)], marker=marker, edgecolors="white",
            linewidths=0.6 if size > 20.0 else 0.3, label=str(name), zorder=3,
        )


def legend_beside(ax: Axes, above: bool = False) -> None:
    """Beside the picture, where it hides no point; above it where a colour bar is beside it."""
    if not ax.get_legend_handles_labels()[1]:
        return
    if above:
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, frameon=False)
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, markerscale=1.2)
