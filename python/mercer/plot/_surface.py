"""What a model says over a plane, or along a line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from mercer.multiclass import KernelSoftmax, OneVsRestSVC
from mercer.plot._style import COLOURS, INK, Array, classes_of_points, documented, legend_beside, new_axes, ringed, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The border of the picture, as a share of the range of the data.
_PAD = 0.08


@documented
def decision_surface(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ax: Axes | None = None,
    features: tuple[int | str, int | str] = (0, 1),
    grid: int = 200,
    margins: bool = True,
    support: bool = True,
    legend: bool = True,
) -> Axes:
    """What a model says over a plane, with the data on it.

    Of a classifier the region of each class, for two classes shaded by the decision, with the border and the margins;
    of a detector its levels and its border; of a regression its values. Columns other than the two drawn
    are held at their mean over X: the picture is then a cut through the data, and points may lie on the wrong side.

    A regression of one column is drawn as a curve, with the zone in which errors cost nothing.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or outlier detector, of ours or of scikit-learn's; also a pipeline or a search
        that ends in one.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows to draw, as the model takes them. Where it is a data frame the axes have the names of its columns.
    y : array-like of shape (n_samples,), default=None
        Their classes or targets, for the colour of the points; None for what the model predicts.
    features : tuple of two int or str, default=(0, 1)
        The columns drawn, by position or by name.
    grid : int, default=200
        Points along each axis at which the model is asked.
    margins : bool, default=True
        Whether the lines f = ±1 of a support vector machine of two classes, or the zone of a regression, are drawn.
    support : bool, default=True
        Whether support vectors are ringed. After a pipeline, whose support vectors are no rows of X, this needs the X
        that it was fitted on.

    >>> ax = plot.decision_surface(SVC().fit(X, y), X, y, features=("petal length (cm)", "petal width (cm)"))
    >>> ax.get_xlabel()
    'petal length (cm)'
    """
    if grid < 2:
        raise ValueError(f"grid = {grid}: must be 2 or more")
    estimator = _last(model)
    names, rows = _names(estimator, X), _dense(X)
    if y is not None and len(np.ravel(y)) != len(rows):
        raise ValueError(f"y has {len(np.ravel(y))} values, X has {len(rows)} rows")
    if rows.shape[1] == 1 and is_regressor(model):
        ax = new_axes(ax)
        _curve(ax, model, estimator, rows, y, grid, margins, support)
        ax.set(xlabel=names[0])
        if legend:
            legend_beside(ax)
        return ax
    if rows.shape[1] < 2:
        raise ValueError(f"X has the shape {rows.shape}: a plane needs two or more columns")
    plane = tuple(_column(feature, names, rows.shape[1]) for feature in features)
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"features = {features!r}: must be two different columns")
    ax = new_axes(ax)
    across, along, points = _plane(rows, plane, grid)
    with _nameless():
        if is_classifier(model):
            _classes(ax, model, estimator, across, along, points, margins)
            classes_of_points(ax, rows[:, plane], model.predict(rows) if y is None else np.ravel(y), model.classes_)
        elif is_outlier_detector(model):
            _level(ax, model.decision_function(points).reshape(grid, grid), across, along)
            sides = np.where(model.predict(rows) > 0, "inside", "outside") if y is None else np.ravel(y)
            every = np.array(["inside", "outside"]) if y is None else np.unique(sides)
            classes_of_points(ax, rows[:, plane], sides, every)
        elif is_regressor(model):
            _values(ax, model.predict(points), rows[:, plane], y, across, along, legend)
        else:
            raise TypeError(f"{type(model).__name__} is no classifier, regressor or outlier detector")
    if support:
        _rings(ax, model, estimator, rows, plane)
    ax.set(xlim=across[[0, -1]], ylim=along[[0, -1]], xlabel=names[plane[0]], ylabel=names[plane[1]])
    if legend:
        legend_beside(ax, above=is_regressor(model))
    return ax


def _last(model: Any) -> Any:
    """The last step of a pipeline, the best of a search."""
    check_is_fitted(model)
    estimator = getattr(model, "best_estimator_", model)
    estimator = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if getattr(estimator, "kernel", None) == "precomputed":
        raise ValueError("a machine on a precomputed kernel knows no plane to draw")
    if getattr(estimator, "multilabel_", False):
        raise ValueError("a machine of several labels a row has no regions to draw")
    return estimator


def _names(estimator: Any, X: Any) -> list[str]:
    """Names of the columns."""
    columns = getattr(X, "columns", None)
    if columns is None:
        columns = getattr(estimator, "feature_names_in_", None)
    width = X.shape[1] if hasattr(X, "shape") else np.shape(X)[-1]
    return [str(name) for name in columns] if columns is not None else [f"x{i}" for i in range(width)]


def _dense(X: Any) -> Array:
    rows = X.toarray() if sp.issparse(X) else np.asarray(X)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(f"X has the shape {rows.shape}: must be one or more rows")
    return cast(Array, rows.astype(np.float64) if rows.dtype.kind not in "f" else rows)


def _column(feature: int | str, names: Sequence[str], width: int) -> int:
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"features: no column {feature!r}; there are {', '.join(names)}")
        return names.index(feature)
    if not 0 <= feature < width:
        raise ValueError(f"features: column {feature} of {width}; they count from 0")
    return feature


def _plane(rows: Array, plane: tuple[int, ...], grid: int) -> tuple[Array, Array, Array]:
    """Where the model is asked: ticks of both axes, and all points of the grid with the other columns at their mean."""
    low, high = rows[:, plane].min(axis=0), rows[:, plane].max(axis=0)
    pad = np.where(high > low, _PAD * (high - low), 1.0)
    across, along = (np.linspace(low[k] - pad[k], high[k] + pad[k], grid) for k in (0, 1))
    points = np.tile(rows.mean(axis=0, dtype=np.float64), (grid * grid, 1))
    points[:, plane[0]] = np.tile(across, grid)
    points[:, plane[1]] = np.repeat(along, grid)
    return across, along, points.astype(rows.dtype, copy=False)


@contextmanager
def _nameless() -> Iterator[None]:
    """A grid has no names; a model that was fitted on some need not say so."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def _classes(
    ax: Axes, model: Any, estimator: Any, across: Array, along: Array, points: Array, margins: bool
) -> None:
    """Regions of classes."""
    shape = (len(along), len(across))
    if len(model.classes_) == 2 and hasattr(model, "decision_function"):
        # Of two classes in one-against-rest both functions are one, whose decision counts twice.
        scale = 2.0 if isinstance(estimator, OneVsRestSVC) else 1.0
        decision = model.decision_function(points).reshape(shape) / scale
        _shaded(ax, decision, across, along)
        ax.contour(across, along, decision, levels=[0.0], colors=INK, linewidths=1.6)
        wide = hasattr(estimator, "support_vectors_") and not isinstance(estimator, KernelSoftmax)
        if margins and wide:
            ax.contour(across, along, decision, levels=[-1.0, 1.0], colors=INK, linewidths=1.0, linestyles="--")
        return
    predicted = np.searchsorted(model.classes_, model.predict(points)).reshape(shape)
    for k in range(len(model.classes_)):
        own = (predicted == k).astype(np.float64)
        if own.any():
            ax.contourf(across, along, own, levels=[0.5, 1.5], colors=[tint(k)])
    for k in range(len(model.classes_)):
        own = (predicted == k).astype(np.float64)
        if own.any() and not own.all():
            ax.contour(across, along, own, levels=[0.5], colors="white", linewidths=1.6)


def _shaded(ax: Axes, decision: Array, across: Array, along: Array) -> None:
    """Colours of two classes, fading towards the border."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [tint(0, 0.55), tint(0, 0.18), tint(1, 0.18), tint(1, 0.55)]
    colours = LinearSegmentedColormap.from_list("classes", list(zip((0.0, 0.5, 0.5, 1.0), ends, strict=True)))
    # Most of the picture, so that a few far corners do not wash out the rest.
    reach = max(float(np.quantile(np.abs(decision), 0.95)), np.finfo(np.float64).tiny)
    ax.imshow(
        decision, extent=(across[0], across[-1], along[0], along[-1]), origin="lower", aspect="auto", cmap=colours,
        vmin=-reach, vmax=reach, interpolation="bilinear",
    )


def _level(ax: Axes, decision: Array, across: Array, along: Array) -> None:
    """Levels of a detector."""
    low, high = float(decision.min()), float(decision.max())
    if low < 0.0 < high:
        outer = [str(grey) for grey in (0.78, 0.83, 0.88, 0.93, 0.98)]
        ax.contourf(across, along, decision, levels=np.linspace(low, 0.0, 6), colors=outer)
        inner = [tint(0, share) for share in (0.12, 0.2, 0.28, 0.36, 0.44)]
        ax.contourf(across, along, decision, levels=np.linspace(0.0, high, 6), colors=inner)
        ax.contour(across, along, decision, levels=[0.0], colors=INK, linewidths=1.6)
    else:
        ax.set_facecolor(tint(0) if low >= 0.0 else "#EEEEEE")


def _values(
    ax: Axes, values: Array, points: Array, y: Any, across: Array, along: Array, legend: bool
) -> None:
    """A regression: colours are values, those of the points too."""
    if values.ndim != 1:
        raise ValueError(f"a regression of {values.shape[1]} targets: a picture has one")
    from matplotlib.ticker import MaxNLocator

    both = values if y is None else np.concatenate([values, np.ravel(y).astype(np.float64)])
    low, high = float(both.min()), float(both.max())
    levels = MaxNLocator(14).tick_values(low, high)
    surface = ax.contourf(across, along, values.reshape(len(along), len(across)), levels=levels, cmap="cividis")
    colour: Any = {"color": "white"} if y is None else {"c": np.ravel(y), "cmap": "cividis", "norm": surface.norm}
    ax.scatter(points[:, 0], points[:, 1], s=28, edgecolors="white", linewidths=0.8, zorder=3, **colour)
    if legend:
        ax.figure.colorbar(surface, ax=ax, label="value")


def _rings(ax: Axes, model: Any, estimator: Any, rows: Array, plane: tuple[int, ...]) -> None:
    """Support vectors."""
    vectors = getattr(estimator, "support_vectors_", None)
    own = model if not hasattr(model, "best_estimator_") else model.best_estimator_
    if vectors is None or vectors.shape[0] == 0 or vectors.shape[1] == 0:
        return
    if hasattr(own, "steps"):
        if estimator.shape_fit_[0] != len(rows):
            return
        at = rows[estimator.support_][:, plane]
    else:
        at = (vectors.toarray() if sp.issparse(vectors) else vectors)[:, plane]
    ringed(ax, at[:, 0], at[:, 1], 75.0 if len(rows) <= 400 else 40.0)


def _curve(
    ax: Axes, model: Any, estimator: Any, rows: Array, y: Any, grid: int, margins: bool, support: bool
) -> None:
    """A regression of one column, and the zone around it."""
    low, high = float(rows.min()), float(rows.max())
    pad = _PAD * (high - low) if high > low else 1.0
    across = np.linspace(low - pad, high + pad, grid)
    with _nameless():
        values = model.predict(across[:, None].astype(rows.dtype))
    zone = getattr(estimator, "epsilon_", getattr(estimator, "epsilon", None))
    if margins and zone:
        label = f"zone ±{zone:.2g}"
        ax.fill_between(across, values - zone, values + zone, color=tint(0, 0.2), linewidth=0.0, label=label)
    ax.plot(across, values, color=COLOURS[0], linewidth=2.0, label=type(estimator).__name__)
    ax.set_xlim(across[0], across[-1])
    if y is None:
        return
    target = np.ravel(y)
    ax.scatter(rows[:, 0], target, s=24, color=COLOURS[1], edgecolors="white", linewidths=0.6, label="data", zorder=3)
    if support and hasattr(estimator, "support_") and getattr(estimator, "shape_fit_", (0,))[0] == len(rows):
        ringed(ax, rows[estimator.support_, 0], target[estimator.support_], 75.0)
