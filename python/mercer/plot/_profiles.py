"""Kernels themselves: their profiles, and their values on data."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.kernels import Kernel, parse
from mercer.plot._style import COLOURS, Array, counted, documented, new_axes, new_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _parsed(kernel: Any) -> Kernel:
    """A kernel, or what a text says."""
    if isinstance(kernel, str):
        return parse(kernel)
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{kernel!r}: must be a kernel, or the text of one")
    return kernel


#: A linear kernel on images of basis functions: its factor, the functions, their parameters.
_BASIS = re.compile(r"(?:([0-9.e+-]+)\*\(?)?linear @ (monomials|gaussians|sigmoids)\(([^()]*)\)\)?")


def _basis(kernel: Kernel, across: Array) -> Array:
    """The basis functions of a kernel at numbers, a column each; none where it is not written by some."""
    found = _BASIS.fullmatch(repr(kernel))
    if found is None:
        return np.empty((len(across), 0))
    named = {name.strip(): float(value) for name, value in (part.split("=") for part in found[3].split(","))}
    images: Array
    if found[2] == "monomials":
        images = across[:, None] ** np.arange(int(named["degree"]) + 1)
    else:
        away = (across[:, None] - np.linspace(named["low"], named["high"], int(named["count"]))) / named["width"]
        images = np.exp(-0.5 * away**2) if found[2] == "gaussians" else 1.0 / (1.0 + np.exp(-away))
    return np.asarray(np.sqrt(float(found[1] or 1.0)) * images)


@documented
def kernel(*kernels: Any, low: float = -1.0, high: float = 1.0) -> list[Axes]:
    """The profiles k(x, 0) of kernels of a number, and above them the basis functions that they come from.

    Parameters
    ----------
    *kernels : Kernel or str
        The kernels. Those written ``linear @ monomials(...)``, ``@ gaussians(...)`` or ``@ sigmoids(...)`` have basis functions.
    low : float, default=-1.0
        Where the axis of x begins.
    high : float, default=1.0
        Where it ends.

    Returns
    -------
    list of Axes
        The basis functions of each kernel, where any kernel has some, then the profiles.

    >>> axes = plot.kernel("rbf(gamma=2)", "linear @ gaussians(count=7)")
    >>> len(axes), len(axes[1].lines), axes[-1].get_xlabel()
    (4, 7, 'x')
    """
    if not kernels:
        raise ValueError("no kernel is given")
    if not low < high:
        raise ValueError(f"low = {low}, high = {high}: the axis must have a length")
    across = np.linspace(low, high, 201)
    shown = [_parsed(one) for one in kernels]
    values = [one(across[:, None], np.zeros((1, 1))).ravel() for one in shown]
    bases = [_basis(one, across) for one in shown]
    upper = any(basis.shape[1] for basis in bases)
    axes = new_panels((2 if upper else 1) * len(shown), len(shown), (3.4, 2.8))
    for ax, basis in zip(axes, bases, strict=False) if upper else ():
        if not basis.shape[1]:
            ax.set_axis_off()
            continue
        for k, image in enumerate(basis.T):
            ax.plot(across, image, color=COLOURS[k % len(COLOURS)], linewidth=1.6)
        ax.set_title("basis functions φⱼ(x)", loc="left", fontsize=10)
    for ax, one, value in zip(axes[-len(shown) :], shown, values, strict=True):
        ax.plot(across, value, color=COLOURS[0], linewidth=2.0)
        ax.set_title("k(x, 0), " + textwrap.fill(repr(one), 40), loc="left", fontsize=9)
        ax.set(xlabel="x", ylim=(min(0.0, 1.05 * value.min()), max(0.0, 1.08 * value.max()) or 1.0))
    return axes


@documented
def gram(
    kernel: Any, X: Any, y: Any = None, *, n_clusters: int | None = None, cmap: Any = "cividis", ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """The kernel values of all pairs of rows as colours, ordered by class or by cluster.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features), or list of str, graphs or sets
        The rows.
    y : array-like of shape (n_samples,), default=None
        Classes, by which the rows are ordered; None for the order of the rows.
    n_clusters : int, default=None
        Order by so many clusters of kernel k-means, not by class.
    cmap : str or Colormap, default="cividis"
        The colours.

    >>> plot.gram("rbf(gamma=0.5)", X, y).get_ylabel()
    'row, by class'
    """
    one = _parsed(kernel)
    values = np.asarray(one(X))
    by, classes = "row", None
    if n_clusters is not None:
        from mercer.cluster import KernelKMeans

        by, classes = "row, by cluster", KernelKMeans(n_clusters, kernel=one, random_state=0).fit(X).labels_
    elif y is not None:
        by, classes = "row, by class", np.ravel(y)
    ax = new_axes(ax)
    if classes is not None:
        if len(classes) != len(values):
            raise ValueError(f"y has {len(classes)} values, X has {len(values)} rows")
        order = np.argsort(classes, kind="stable")
        values, classes = values[np.ix_(order, order)], np.asarray(classes)[order]
    shown = ax.imshow(values, cmap=cmap, interpolation="nearest")
    if classes is not None:
        names, begins, counts = np.unique(classes, return_index=True, return_counts=True)
        for begin in begins[1:]:
            ax.axvline(begin - 0.5, color="white", linewidth=1.0)
            ax.axhline(begin - 0.5, color="white", linewidth=1.0)
        ax.set_yticks(begins + (counts - 1) / 2.0, [str(name) for name in names])
        ax.set_xticks([])
    else:
        counted(ax)
    ax.set(ylabel=by, title=str(one))
    if legend:
        ax.figure.colorbar(shown, ax=ax, label="k(x, y)")
    return ax


@documented
def contours(model: Any, X: Any = None, *, n_components: int = 8, grid: int = 80) -> list[Axes]:
    """The components of a kernel PCA over the plane: lines along which each is constant, over the rows.

    Parameters
    ----------
    model : KernelPCA
        A fitted model of rows of two features.
    X : array-like of shape (n_samples, 2), default=None
        Rows to draw; None for those that it was fitted to, where it keeps them.
    n_components : int, default=8
        How many are drawn, at most.
    grid : int, default=80
        Points along each axis at which the model is asked.

    Returns
    -------
    list of Axes
        One for each component, its eigenvalue above.

    >>> rows = X.iloc[:, 2:].to_numpy()
    >>> axes = plot.contours(KernelPCA(4, kernel="rbf", gamma=2.0).fit(rows), rows)
    >>> len(axes)
    4
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if not hasattr(model, "eigenvalues_"):
        raise TypeError(f"{type(model).__name__} is no kernel PCA")
    if grid < 2 or n_components < 1:
        raise ValueError(f"grid = {grid}, n_components = {n_components}: must be at least 2 and 1")
    rows = getattr(model, "X_fit_", None) if X is None else X
    if rows is None:
        raise ValueError("the model does not keep its training data: give X")
    rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) == 0:
        raise ValueError(f"X has the shape {rows.shape}: a plane is of two features")
    low, high = rows.min(axis=0), rows.max(axis=0)
    pad = 0.08 * np.where(high > low, high - low, 1.0)
    across, along = (np.linspace(low[k] - pad[k], high[k] + pad[k], grid) for k in (0, 1))
    nodes = np.column_stack([np.tile(across, grid), np.repeat(along, grid)])
    values: Array = np.asarray(model.transform(nodes))[:, :n_components]
    axes = new_panels(values.shape[1], 4, (2.6, 2.5))
    for k, ax in enumerate(axes):
        size = float(np.abs(values[:, k]).max()) or 1.0
        shape = values[:, k].reshape(grid, grid)
        ax.contourf(across, along, shape, levels=np.linspace(-size, size, 11), cmap="RdBu_r", alpha=0.6)
        ax.contour(across, along, shape, levels=np.linspace(-size, size, 11), colors="#444444", linewidths=0.5)
        ax.scatter(rows[:, 0], rows[:, 1], s=4, color="#111111")
        ax.set_title(f"{k + 1}: eigenvalue {model.eigenvalues_[k]:.4g}", loc="left", fontsize=10)
        ax.set(xticks=[], yticks=[])
    return axes
