"""Pictures of fitted machines, by matplotlib (``pip install "mercer[plot]"``).

Each function draws into `ax`, or into a new figure, and returns the Axes. Colour-blind readers can tell the
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

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from mercer.cross_decomposition import KernelCCA
from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelFisher
from mercer.kernels import Spectrum, Validity
from mercer.multiclass import KernelSoftmax, OneVsRestSVC
from mercer.relevance import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["components", "decision_surface", "spectrum"]

Array: TypeAlias = NDArray[Any]

#: Okabe and Ito's colours, the dark ones first, a dark yellow for their light one, and two of Tol's.
_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#555555", "#332288", "#882255",
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">")
_INK = "#222222"
#: How much of a class's colour is in its region; the rest is white.
_TINT = 0.28
#: The border of the picture, as a share of the range of the data.
_PAD = 0.08
#: Components up to which a spectrum has bars.
_BARS = 40


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
    of a machine of one class its levels and its border; of a regression its values. Columns other than the two drawn
    are held at their mean over X: the picture is then a cut through the data, and points may lie on the wrong side.

    Parameters
    ----------
    model : estimator
        A fitted classifier, regressor or outlier detector, of ours or of scikit-learn's; also a pipeline or a search
        that ends in one.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows to draw, as the model takes them. Where it is a data frame the axes have the names of its columns.
    y : array-like of shape (n_samples,), default=None
        Their classes or targets, for the colour of the points; None for what the model predicts.
    ax : matplotlib Axes, default=None
        Where to draw; None for a new figure.
    features : tuple of two int or str, default=(0, 1)
        The columns drawn, by position or by name.
    grid : int, default=200
        Points along each axis at which the model is asked.
    margins : bool, default=True
        Whether the lines f = ±1 of a support vector machine of two classes are drawn.
    support : bool, default=True
        Whether support vectors are ringed. After a pipeline, whose support vectors are no rows of X, this needs the X
        that it was fitted on.
    legend : bool, default=True
        Whether there is a legend, to the right of the picture, or a colour bar.

    Returns
    -------
    Axes
        What was drawn into.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, plot
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot.decision_surface(SVC().fit(X, y), X, y, features=("petal length (cm)", "petal width (cm)"))
    >>> ax.get_xlabel()
    'petal length (cm)'
    """
    if grid < 2:
        raise ValueError(f"grid = {grid}: must be 2 or more")
    machine = _machine(model)
    names, rows = _names(machine, X), _dense(X)
    plane = tuple(_column(feature, names, rows.shape[1]) for feature in features)
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ValueError(f"features = {features!r}: must be two different columns")
    if y is not None and len(np.ravel(y)) != len(rows):
        raise ValueError(f"y has {len(np.ravel(y))} values, X has {len(rows)} rows")
    ax = _axes(ax)
    across, along, points = _plane(rows, plane, grid)
    with _nameless():
        if is_classifier(model):
            _classes(ax, model, machine, across, along, points, margins)
            _points(ax, rows[:, plane], model.predict(rows) if y is None else np.ravel(y), model.classes_)
        elif is_outlier_detector(model):
            _level(ax, model.decision_function(points).reshape(grid, grid), across, along)
            inside = np.where(model.predict(rows) > 0, "inside", "outside") if y is None else np.ravel(y)
            _points(ax, rows[:, plane], inside, np.array(["inside", "outside"]) if y is None else np.unique(y))
        elif is_regressor(model):
            _values(ax, model.predict(points), rows[:, plane], y, across, along, legend)
        else:
            raise TypeError(f"{type(model).__name__} is no classifier, regressor or outlier detector")
    if support:
        _rings(ax, model, machine, rows, plane)
    ax.set(xlim=across[[0, -1]], ylim=along[[0, -1]], xlabel=names[plane[0]], ylabel=names[plane[1]])
    if legend:
        _legend(ax, above=is_regressor(model))
    return ax


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
    ax : matplotlib Axes, default=None
        Where to draw; None for a new figure.
    legend : bool, default=True
        Whether there is a legend, to the right of the picture, or a colour bar.

    Returns
    -------
    Axes
        What was drawn into.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KernelPCA, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> plot.components(KernelPCA(2, kernel="rbf", gamma=0.1).fit(X), y).get_xlabel()
    'component 1 (68 % of variance)'
    """
    scores, labels = _scores(model, X, axes)
    if y is not None and len(np.ravel(y)) != len(scores):
        raise ValueError(f"y has {len(np.ravel(y))} values, there are {len(scores)} rows")
    ax = _axes(ax)
    if scores.shape[1] == 1:
        _histograms(ax, scores[:, 0], y)
        ax.set(xlabel=labels[0], ylabel="rows")
    else:
        _coloured(ax, scores, y, legend)
        ax.set(xlabel=labels[0], ylabel=labels[1])
    if legend:
        _legend(ax)
    return ax


def spectrum(model: Any, *, n_components: int | None = None, ax: Axes | None = None, legend: bool = True) -> Axes:
    """The eigenvalues of a kernel on data, or the target in its eigenvectors.

    Of a KernelPCA the eigenvalues, with the share of the variance up to each component. Of a RelevantDimension the
    coefficients of the target, with the cut and the level of the noise; of several classes the root of their mean
    square. Of a Mercer spectrum the eigenvalues on a logarithmic scale, negative ones marked.

    Parameters
    ----------
    model : KernelPCA, RelevantDimension, Spectrum or Validity
        A fitted model, or what :func:`mercer.kernels.spectrum` or :func:`mercer.kernels.check` has found.
    n_components : int, default=None
        How many are drawn; None for all.
    ax : matplotlib Axes, default=None
        Where to draw; None for a new figure.
    legend : bool, default=True
        Whether there is a legend.

    Returns
    -------
    Axes
        What was drawn into; of a KernelPCA the one with the eigenvalues.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import KernelPCA, plot
    >>> X, y = load_iris(return_X_y=True)
    >>> plot.spectrum(KernelPCA(5, kernel="rbf").fit(X)).get_ylabel()
    'eigenvalue'
    """
    if n_components is not None and n_components < 1:
        raise ValueError(f"n_components = {n_components}: must be 1 or more")
    if isinstance(model, Validity):
        model = model.spectrum
    if isinstance(model, Spectrum):
        return _mercer_spectrum(_axes(ax), model.eigenvalues[:n_components], legend)
    if isinstance(model, RelevantDimension):
        check_is_fitted(model)
        return _relevant(_axes(ax), model, n_components, legend)
    if hasattr(model, "eigenvalues_"):
        return _scree(_axes(ax), model, n_components, legend)
    check_is_fitted(model)
    raise TypeError(f"{type(model).__name__} has no spectrum")


# -- what is drawn ----------------------------------------------------------------------------------------------------


def _machine(model: Any) -> Any:
    """The last step of a pipeline, the best of a search."""
    check_is_fitted(model)
    machine = getattr(model, "best_estimator_", model)
    machine = machine.steps[-1][1] if hasattr(machine, "steps") else machine
    if getattr(machine, "kernel", None) == "precomputed":
        raise ValueError("a machine on a precomputed kernel knows no plane to draw")
    if getattr(machine, "multilabel_", False):
        raise ValueError("a machine of several labels a row has no regions to draw")
    return machine


def _names(machine: Any, X: Any) -> list[str]:
    """Names of the columns."""
    columns = getattr(X, "columns", None)
    if columns is None:
        columns = getattr(machine, "feature_names_in_", None)
    width = X.shape[1] if hasattr(X, "shape") else np.shape(X)[-1]
    return [str(name) for name in columns] if columns is not None else [f"x{i}" for i in range(width)]


def _dense(X: Any) -> Array:
    rows = X.toarray() if sp.issparse(X) else np.asarray(X)
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2:
        raise ValueError(f"X has the shape {rows.shape}: a plane needs one or more rows of two or more columns")
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


# -- how --------------------------------------------------------------------------------------------------------------


def _axes(ax: Axes | None) -> Axes:
    """Where to draw."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "mercer[plot]"') from error
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _tint(k: int, share: float = _TINT) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - share * (1.0 - part) for part in to_rgb(_COLOURS[k % len(_COLOURS)]))
    return red, green, blue


def _classes(
    ax: Axes, model: Any, machine: Any, across: Array, along: Array, points: Array, margins: bool
) -> None:
    """Regions of classes."""
    shape = (len(along), len(across))
    if len(model.classes_) == 2 and hasattr(model, "decision_function"):
        # Of two classes in one-against-rest both machines are one, whose decision counts twice.
        scale = 2.0 if isinstance(machine, OneVsRestSVC) else 1.0
        decision = model.decision_function(points).reshape(shape) / scale
        _shaded(ax, decision, across, along)
        ax.contour(across, along, decision, levels=[0.0], colors=_INK, linewidths=1.6)
        wide = hasattr(machine, "support_vectors_") and not isinstance(machine, KernelSoftmax)
        if margins and wide:
            ax.contour(across, along, decision, levels=[-1.0, 1.0], colors=_INK, linewidths=1.0, linestyles="--")
        return
    predicted = np.searchsorted(model.classes_, model.predict(points)).reshape(shape)
    for k in range(len(model.classes_)):
        own = (predicted == k).astype(np.float64)
        if own.any():
            ax.contourf(across, along, own, levels=[0.5, 1.5], colors=[_tint(k)])
    for k in range(len(model.classes_)):
        own = (predicted == k).astype(np.float64)
        if own.any() and not own.all():
            ax.contour(across, along, own, levels=[0.5], colors="white", linewidths=1.6)


def _shaded(ax: Axes, decision: Array, across: Array, along: Array) -> None:
    """Colours of two classes, fading towards the border."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [_tint(0, 0.55), _tint(0, 0.18), _tint(1, 0.18), _tint(1, 0.55)]
    colours = LinearSegmentedColormap.from_list("classes", list(zip((0.0, 0.5, 0.5, 1.0), ends, strict=True)))
    # Most of the picture, so that a few far corners do not wash out the rest.
    reach = max(float(np.quantile(np.abs(decision), 0.95)), np.finfo(np.float64).tiny)
    ax.imshow(
        decision, extent=(across[0], across[-1], along[0], along[-1]), origin="lower", aspect="auto", cmap=colours,
        vmin=-reach, vmax=reach, interpolation="bilinear",
    )


def _level(ax: Axes, decision: Array, across: Array, along: Array) -> None:
    """Levels of a machine of one class."""
    low, high = float(decision.min()), float(decision.max())
    if low < 0.0 < high:
        outer = [str(grey) for grey in (0.78, 0.83, 0.88, 0.93, 0.98)]
        ax.contourf(across, along, decision, levels=np.linspace(low, 0.0, 6), colors=outer)
        inner = [_tint(0, share) for share in (0.12, 0.2, 0.28, 0.36, 0.44)]
        ax.contourf(across, along, decision, levels=np.linspace(0.0, high, 6), colors=inner)
        ax.contour(across, along, decision, levels=[0.0], colors=_INK, linewidths=1.6)
    else:
        ax.set_facecolor(_tint(0) if low >= 0.0 else "#EEEEEE")


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


def _points(ax: Axes, points: Array, y: Array, classes: Array) -> None:
    """Rows in the colour and with the marker of their class."""
    every = list(classes) + [c for c in np.unique(y) if c not in classes]
    size = 30.0 if len(points) <= 400 else 14.0
    for k, name in enumerate(every):
        own = points[y == name]
        marker = _MARKERS[(k + k // len(_COLOURS)) % len(_MARKERS)]
        ax.scatter(
            own[:, 0], own[:, 1], s=size, color=_COLOURS[k % len(_COLOURS)], marker=marker, edgecolors="white",
            linewidths=0.6 if size > 20.0 else 0.3, label=str(name), zorder=3,
        )


def _rings(ax: Axes, model: Any, machine: Any, rows: Array, plane: tuple[int, ...]) -> None:
    """Support vectors."""
    vectors = getattr(machine, "support_vectors_", None)
    own = model if not hasattr(model, "best_estimator_") else model.best_estimator_
    if vectors is None or vectors.shape[0] == 0 or vectors.shape[1] == 0:
        return
    if hasattr(own, "steps"):
        if machine.shape_fit_[0] != len(rows):
            return
        at = rows[machine.support_][:, plane]
    else:
        at = (vectors.toarray() if sp.issparse(vectors) else vectors)[:, plane]
    size = 75.0 if len(rows) <= 400 else 40.0
    ax.scatter(
        at[:, 0], at[:, 1], s=size, facecolors="none", edgecolors=_INK, linewidths=0.9, zorder=4,
        label="support vectors",
    )


def _coloured(ax: Axes, scores: Array, y: Any, legend: bool) -> None:
    """Rows on two components."""
    if y is None:
        ax.scatter(scores[:, 0], scores[:, 1], s=28, color=_COLOURS[0], edgecolors="white", linewidths=0.6)
    elif type_of_target(np.ravel(y)).startswith("continuous"):
        found = ax.scatter(
            scores[:, 0], scores[:, 1], s=28, c=np.ravel(y), cmap="cividis", edgecolors="white", linewidths=0.6
        )
        if legend:
            ax.figure.colorbar(found, ax=ax)
    else:
        _points(ax, scores, np.ravel(y), np.unique(np.ravel(y)))


def _histograms(ax: Axes, scores: Array, y: Any) -> None:
    """Rows on one component."""
    bins = np.histogram_bin_edges(scores, bins="auto")
    labels = np.zeros(len(scores)) if y is None else np.ravel(y)
    for k, name in enumerate(np.unique(labels)):
        colour = _COLOURS[k % len(_COLOURS)]
        own = scores[labels == name]
        title = None if y is None else str(name)
        ax.hist(own, bins=list(bins), color=colour, alpha=0.6, edgecolor="white", label=title)


def _scree(ax: Axes, model: Any, count: int | None, legend: bool) -> Axes:
    """Eigenvalues, and the share of the variance up to each."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    values = model.eigenvalues_[:count]
    place = np.arange(1, len(values) + 1)
    if len(values) <= _BARS:
        ax.bar(place, values, color=_tint(0, 0.75), width=0.75, label="eigenvalue")
    else:
        ax.fill_between(place, values, color=_tint(0, 0.75), step="mid", label="eigenvalue")
    ax.set(xlabel="component", ylabel="eigenvalue", xlim=(0.4, len(values) + 0.6), ylim=(0.0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    shares = getattr(model, "explained_variance_ratio_", None)
    if shares is not None and len(shares):
        other = ax.twinx()
        dot = "o" if len(values) <= _BARS else ""
        so_far = np.cumsum(shares[:count])
        other.plot(place[: len(so_far)], so_far, color=_COLOURS[1], marker=dot, ms=4, label="share so far")
        other.set(ylim=(0.0, 1.04), ylabel="share of variance so far")
        other.yaxis.set_major_formatter(PercentFormatter(1.0))
        if legend:
            lines = [*ax.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
            other.legend(handles=lines, loc="center right", frameon=False)
    return ax


def _relevant(ax: Axes, model: RelevantDimension, count: int | None, legend: bool) -> Axes:
    """Coefficients of a target, the cut and the noise."""
    from matplotlib.ticker import MaxNLocator

    squares = np.mean(model.coefficients_**2, axis=0)
    cut = int(model.dimension_)
    noise = float(np.sqrt(squares[cut:].mean())) if cut < len(squares) else 0.0
    values = np.sqrt(squares)[:count]
    place = np.arange(1, len(values) + 1)
    for own, colour, name in ((place <= cut, _COLOURS[0], "relevant"), (place > cut, "#9A9A9A", "noise")):
        if own.any():
            ax.vlines(place[own], 0.0, values[own], color=colour, linewidth=1.2 if len(place) <= 100 else 0.8)
            ax.scatter(place[own], values[own], s=14, color=colour, label=name, zorder=3)
    ax.axvline(cut + 0.5, color=_INK, linewidth=1.2, linestyle="--", label=f"dimension {cut}")
    if len(values) > cut:
        level = f"noise level {noise:.2g}"
        ax.hlines(noise, cut + 0.5, len(values) + 0.5, color=_COLOURS[1], linewidth=2.0, label=level, zorder=4)
    ax.set(xlabel="component", ylabel="|coefficient of the target|", xlim=(0.0, len(values) + 1.0), ylim=(0.0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if legend:
        ax.legend(loc="upper right", frameon=False)
    return ax


def _mercer_spectrum(ax: Axes, values: Array, legend: bool) -> Axes:
    """Eigenvalues on a logarithmic scale; a negative one is no eigenvalue of a kernel."""
    from matplotlib.ticker import MaxNLocator

    place = np.arange(1, len(values) + 1)
    for own, colour, marker, name in (
        (values > 0.0, _COLOURS[0], "o", "positive"),
        (values < 0.0, _COLOURS[1], "v", "negative"),
    ):
        if own.any():
            ax.scatter(place[own], np.abs(values[own]), s=18, color=colour, marker=marker, label=name)
    ax.set(xlabel="i", ylabel="|eigenvalue| of K/n", yscale="log", xlim=(0.0, len(values) + 1.0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if legend:
        ax.legend(loc="upper center", frameon=False)
    return ax


def _legend(ax: Axes, above: bool = False) -> None:
    """Beside the picture, where it hides no point; above it where a colour bar is beside it."""
    if not ax.get_legend_handles_labels()[1]:
        return
    if above:
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, frameon=False)
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, markerscale=1.2)
