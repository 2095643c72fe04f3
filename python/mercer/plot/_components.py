"""Rows on the components of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from mercer.cross_decomposition import KernelCCA
from mercer.decomposition import KernelPCA
from mercer.plot._style import COLOURS, Array, classes_of_points, documented, legend_beside, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@documented
def components(
    model: Any,
    y: Any = None,
    *,
    X: Any = None,
    axes: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Rows on two of the components that a model has found.

    A single component, as the Fisher discriminant of two classes has it, is drawn as histograms.

    Parameters
    ----------
    model : KernelPCA, KernelFisher, KernelCCA, other transformer, or array-like of shape (n_samples, n_components)
        The fitted model, or the components themselves. Axes then say how much each component explains: its share of the
        variance, the share of the scatter along it that is between the classes, or the correlation of the two views.
    y : array-like of shape (n_samples,), default=None
        Classes, or numbers, for the colour of the points.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features), or a tuple of two, default=None
        Rows to draw. None for the training data of a KernelPCA; the other models do not keep theirs. With a tuple of
        both views of a KernelCCA the component ``axes[0]`` of the second is drawn over that of the first.
    axes : tuple of two int, default=(0, 1)
        The components drawn, from 0.

    >>> plot.components(KernelPCA(2, kernel="rbf", gamma=0.1).fit(X), y).get_xlabel()
    'component 1 (68 % of variance)'
    """
    scores, labels = _scores(model, X, axes)
    if y is not None and len(np.ravel(y)) != len(scores):
        raise ValueError(f"y has {len(np.ravel(y))} values, there are {len(scores)} rows")
    ax = new_axes(ax)
    if scores.shape[1] == 1:
        _histograms(ax, scores[:, 0], y)
        ax.set(xlabel=labels[0], ylabel="rows")
    else:
        _coloured(ax, scores, y, legend)
        ax.set(xlabel=labels[0], ylabel=labels[1])
    if legend:
        legend_beside(ax)
    return ax


def _scores(model: Any, X: Any, axes: tuple[int, int]) -> tuple[Array, list[str]]:
    """The components to draw, and what their axes say."""
    if isinstance(model, KernelCCA) and isinstance(X, tuple):
        both = model.transform(*X)
        found = float(np.corrcoef(both[0][:, axes[0]], both[1][:, axes[0]])[0, 1])
        pair = np.column_stack([view[:, axes[0]] for view in both])
        return pair, [f"first view, component {axes[0] + 1}", f"second view (correlation {found:.2f})"]
    if not hasattr(model, "transform"):
        scores = np.asarray(model, dtype=np.float64)
    elif X is not None:
        scores = np.asarray(model.transform(X))
    elif isinstance(model, KernelPCA):
        check_is_fitted(model)
        scores = model.eigenvectors_ * np.sqrt(model.eigenvalues_)
    else:
        raise ValueError(f"{type(model).__name__} does not keep its training data: give X")
    if scores.ndim != 2 or scores.shape[0] == 0:
        raise ValueError(f"components have the shape {scores.shape}: must be rows of one or more columns")
    width = scores.shape[1]
    shown = list(axes) if width > 1 else [0]
    if len(shown) > 2 or not all(0 <= k < width for k in shown):
        raise ValueError(f"axes = {axes!r}: must be two of the {width} components, from 0")
    return scores[:, shown], [_explained(model, k) for k in shown]


def _explained(model: Any, k: int) -> str:
    """A component and what is known of it."""
    for name, unit in (("explained_variance_ratio_", "of variance"), ("ratios_", "between classes")):
        shares = getattr(model, name, ())
        if k < len(shares):
            return f"component {k + 1} ({100.0 * shares[k]:.0f} % {unit})"
    if isinstance(model, KernelCCA):
        return f"component {k + 1} (correlation {model.correlations_[k]:.2f})"
    return f"component {k + 1}"


def _coloured(ax: Axes, scores: Array, y: Any, legend: bool) -> None:
    """Rows on two components."""
    if y is None:
        ax.scatter(scores[:, 0], scores[:, 1], s=28, color=COLOURS[0], edgecolors="white", linewidths=0.6)
    elif type_of_target(np.ravel(y)).startswith("continuous"):
        found = ax.scatter(
            scores[:, 0], scores[:, 1], s=28, c=np.ravel(y), cmap="cividis", edgecolors="white", linewidths=0.6
        )
        if legend:
            ax.figure.colorbar(found, ax=ax)
    else:
        classes_of_points(ax, scores, np.ravel(y), np.unique(np.ravel(y)))


def _histograms(ax: Axes, scores: Array, y: Any) -> None:
    """Rows on one component."""
    bins = np.histogram_bin_edges(scores, bins="auto")
    labels = np.zeros(len(scores)) if y is None else np.ravel(y)
    for k, name in enumerate(np.unique(labels)):
        colour = COLOURS[k % len(COLOURS)]
        own = scores[labels == name]
        title = None if y is None else str(name)
        ax.hist(own, bins=list(bins), color=colour, alpha=0.6, edgecolor="white", label=title)
