"""Fits and searches: what happens on the way, over a parameter, and what denoising does."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mercer.classification import SVC, NuSVC
from mercer.plot._style import COLOURS, INK, Array, documented, legend_beside, new_axes, new_panels
from mercer.plot._surface import decision_surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@documented
def nu_sweep(X: Any, y: Any, *, kernel: Any = "rbf", gamma: Any = "scale", nus: Any = _SHARES, grid: int = 100) -> list[Axes]:
    """A ν-SVC for each ν over two features: how regions, margins and support vectors change.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; the first two features are drawn, the others held at their means.
    y : array-like of shape (n_samples,)
        Their classes.
    kernel : str, Kernel or callable, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        γ of the kernels "rbf", "poly" and "sigmoid".
    nus : sequence of float, default=(0.1, 0.2, ..., 0.8)
        The shares ν; those that the smaller class does not allow are left out.
    grid : int, default=100
        Points along each axis at which each model is asked.

    Returns
    -------
    list of Axes
        One for each ν.

    >>> axes = plot.nu_sweep(X.iloc[50:, 2:].to_numpy(), y[50:], nus=[0.2, 0.5], grid=20)
    >>> axes[0].get_title(loc="left")[:7]
    'ν = 0.2'
    """
    counts = np.unique(np.ravel(y), return_counts=True)[1]
    if len(counts) != 2:
        raise ValueError(f"a sweep of ν is of two classes; these are {len(counts)}")
    most = 2.0 * counts.min() / counts.sum()
    fitted = [(nu, NuSVC(nu=nu, kernel=kernel, gamma=gamma).fit(X, y)) for nu in nus if nu <= most]
    if not fitted:
        raise ValueError(f"no ν is given that the classes allow: at most {most:.3g}")
    axes = new_panels(len(fitted), 4, (2.7, 2.6))
    rows = len(np.ravel(y))
    for ax, (nu, model) in zip(axes, fitted, strict=True):
        decision_surface(model, X, y, ax=ax, grid=grid, legend=False)
        ax.set_title(f"ν = {nu:g}: {len(model.support_) / rows:.2f} support", loc="left", fontsize=10)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
    return axes


@documented
def path(model: Any, X: Any, y: Any, *, ratio: float = 1.3, ax: Axes | None = None, legend: bool = True) -> Axes:
    """How the solver of a support vector machine comes to its end: objective, duality gap and violation over its steps.

    Copies of the model are fitted with ever higher limits of steps. The gap is what is proved at each: the objective is never farther
    than that from the best.

    Parameters
    ----------
    model : SVC or other support vector machine
        An estimator of one quadratic programme: of a classifier, of two classes.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes or targets.
    ratio : float, default=1.3
        Each limit is so many times the one before.

    >>> two = y < 2
    >>> ax = plot.path(SVC(C=10.0), X[two], y[two], ratio=2.0)
    >>> ax.get_yscale(), ax.get_xlabel()
    ('log', 'steps')
    """
    if not ratio > 1.0:
        raise ValueError(f"ratio = {ratio}: must be above 1")
    if "max_iter" not in model.get_params():
        raise TypeError(f"{type(model).__name__} has no limit of steps: it is no support vector machine")
    # The finish by a linear system is no step.
    fast = {"exact": False} if "exact" in model.get_params() else {}
    points: list[Array] = []
    limit = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        while True:
            fitted = clone(model).set_params(max_iter=int(limit), **fast).fit(X, y)
            found = getattr(fitted, "certificate_", None)
            if found is None:
                raise TypeError(f"{type(model).__name__} has no certificate: it is no support vector machine")
            if found.parts:
                raise ValueError("several problems were solved: give a model of one, such as a classifier of two classes")
            gap = np.nan if found.gap is None else found.gap
            points.append(np.array([found.iterations, gap, found.objective, found.violation], dtype=float))
            if found.stop != "iteration-limit":
                break
            limit = max(limit + 1.0, ratio * limit)
    steps, gaps, objectives, violations = np.array(points).T
    ax = new_axes(ax)
    labels = ("gap: what is proved", "objective − its last value", "largest violation")
    for k, values in enumerate((gaps, objectives - objectives[-1], violations)):
        kept = np.where(values > 0.0, values, np.nan)
        ax.plot(steps, kept, color=COLOURS[k], linestyle=("-", "--", ":")[k], linewidth=2.0, label=labels[k])
    ax.set(yscale="log", xlabel="steps", ylabel="size")
    if legend:
        legend_beside(ax)
    return ax


@documented
def search(
    search: Any, *, x: str | None = None, y: str | None = None, cmap: Any = "cividis", ax: Axes | None = None, legend: bool = True
) -> Axes:
    """The scores of a search over two parameters, the best marked; of other parameters the best value.

    Parameters
    ----------
    search : SearchCV, GridSearchCV or dict
        A fitted search, or its ``cv_results_``.
    x : str, default=None
        The parameter across; None for the first of several values.
    y : str, default=None
        The parameter upwards; None for the next.
    cmap : str or Colormap, default="cividis"
        The colours.

    >>> from sklearn.model_selection import GridSearchCV
    >>> found = GridSearchCV(SVC(), {"C": [1, 10], "gamma": [0.01, 0.1, 1]}).fit(X, y)
    >>> plot.search(found).get_xlabel()
    'C'
    """
    results = search if isinstance(search, dict) else search.cv_results_
    name = next((key for key in results if key.startswith("mean_test_")), None)
    if name is None or "params" not in results:
        raise TypeError("these are no results of a search")
    points = results["params"]
    names = [each for each in dict.fromkeys(k for point in points for k in point) if len({str(p.get(each)) for p in points}) > 1]
    across = x or next((each for each in names if each != y), None)
    up = y or next((each for each in names if each != across), None)
    if across is None or up is None or not {across, up} <= set(names):
        raise ValueError("there must be two parameters with several values")

    def values(key: str) -> list[Any]:
        found = list({str(point[key]): point[key] for point in points if key in point}.values())
        # Numbers by their size, then texts.
        is_number = [isinstance(value, (int, float)) for value in found]
        keys = [(not number, value if number else 0, str(value)) for value, number in zip(found, is_number, strict=True)]
        return [found[k] for k in sorted(range(len(found)), key=keys.__getitem__)]

    columns, rows = values(across), values(up)
    scores = np.asarray(results[name], dtype=float)
    table: Array = np.full((len(rows), len(columns)), np.nan)
    texts = {key: [str(value) for value in found] for key, found in ((across, columns), (up, rows))}
    where: list[tuple[int, int] | None] = []
    for point, score in zip(points, scores, strict=True):
        if across not in point or up not in point:
            where.append(None)
            continue
        place = texts[up].index(str(point[up])), texts[across].index(str(point[across]))
        where.append(place)
        if np.isfinite(score) and not table[place] >= score:
            table[place] = score
    if not np.isfinite(table).any():
        raise ValueError("no candidate has a score")
    ax = new_axes(ax)
    shown = ax.imshow(table, cmap=cmap, origin="lower", aspect="auto")
    best = where[int(np.nanargmax(scores))]
    if best is not None:
        from matplotlib.patches import Rectangle

        ax.add_patch(Rectangle((best[1] - 0.5, best[0] - 0.5), 1, 1, fill=False, edgecolor=COLOURS[1], linewidth=2.5))

    def short(value: Any) -> str:
        return f"{value:.3g}" if isinstance(value, (int, float)) else str(value)

    ax.set_xticks(range(len(columns)), [short(value) for value in columns], rotation=45 if len(columns) > 6 else 0)
    ax.set_yticks(range(len(rows)), [short(value) for value in rows])
    ax.set(xlabel=across, ylabel=up)
    if legend:
        ax.figure.colorbar(shown, ax=ax, label=name.removeprefix("mean_test_"))
    return ax


@documented
def risk(model: Any, X: Any, y: Any, *, octaves: int = 8, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Structural risk over C: training errors, capacity and the bound that is their sum, with the span's estimate.

    Parameters
    ----------
    model : SVC
        A classifier of two classes; copies are fitted for each C.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    octaves : int, default=8
        C goes from that of the model times 2 to the power of minus this, to 2 to the power of this.

    >>> two = y < 2
    >>> plot.risk(SVC(), X[two], y[two], octaves=2).get_xlabel()
    'C'
    """
    if not isinstance(model, SVC):
        raise TypeError(f"{type(model).__name__}: the bound is of an SVC")
    if octaves < 1:
        raise ValueError(f"octaves = {octaves}: must be 1 or more")
    prices = [float(model.C) * 2.0**k for k in range(-octaves, octaves + 1)]
    lines: dict[str, list[float]] = {"bound": [], "capacity": [], "inside the margin": [], "training errors": [], "span": []}
    for price in prices:
        found = clone(model).set_params(C=price).fit(X, y).bounds(X, y, leave_one_out=False)
        if len(found.pairs) != 1:
            raise ValueError(f"risk is of two classes; these are {len(np.unique(y))}")
        pair = found.pairs[0]
        inside, bound = pair.margin_errors / pair.rows, found["SRM, uniform"].value
        span = found["span"].value
        bound = np.nan if bound is None else bound
        own = (bound, bound - inside, inside, pair.training_errors / pair.rows, np.nan if span is None else span)
        for values, value in zip(lines.values(), own, strict=True):
            values.append(float(value))
    ax = new_axes(ax)
    looks: tuple[Any, ...] = (("-", 2.6), ("--", 1.6), ("-", 1.6), (":", 1.6))
    for (label, values), (dash, width) in zip(lines.items(), looks, strict=False):
        ax.plot(prices, values, color=INK, linestyle=dash, linewidth=width, label=label)
    ax.plot(prices, lines["span"], color=COLOURS[0], linestyle="", marker="o", ms=5, label="span")
    ax.axhline(1.0, color="#666666", linewidth=1.0, linestyle=":", label="above: vacuous")
    ax.set(xscale="log", xlabel="C", ylabel="share of rows", ylim=(0.0, None))
    if legend:
        legend_beside(ax)
    return ax


@documented
def denoising(
    model: Any, X: Any, *, shape: tuple[int, int], clean: Any = None, n_rows: int = 10, way: str = "auto", cmap: Any = "gray_r"
) -> list[Axes]:
    """Images, and what is left of them on the components of a kernel PCA.

    Parameters
    ----------
    model : KernelPCA
        A fitted model.
    X : array-like of shape (n_samples, n_features)
        Noisy images, a row each.
    shape : tuple of two int
        Height and width.
    clean : array-like of shape (n_samples, n_features), default=None
        The images without noise, drawn above, and compared with.
    n_rows : int, default=10
        How many are drawn, at most.
    way : str, default="auto"
        How pre-images are found, as :meth:`KernelPCA.denoise` takes it.
    cmap : str or Colormap, default="gray_r"
        The colours.

    Returns
    -------
    list of Axes
        One for each line of images.

    >>> from sklearn.datasets import load_digits
    >>> images = load_digits().data
    >>> model = KernelPCA(16, kernel="rbf", gamma=0.001).fit(images[:200])
    >>> len(plot.denoising(model, images[200:205], shape=(8, 8)))
    2
    """
    check_is_fitted(model)
    if not hasattr(model, "denoise"):
        raise TypeError(f"{type(model).__name__} does not denoise")
    noisy = np.asarray(X, dtype=np.float64)[:n_rows]
    if noisy.ndim != 2 or len(noisy) == 0 or noisy.shape[1] != shape[0] * shape[1]:
        raise ValueError(f"X has the shape {np.shape(X)}: a row must have {shape[0]} × {shape[1]} features")
    found = np.asarray(model.denoise(noisy, way=way))
    lines = [("noisy", noisy), ("denoised", found)]
    if clean is not None:
        truth = np.asarray(clean, dtype=np.float64)[:n_rows]
        if truth.shape != noisy.shape:
            raise ValueError(f"clean has the shape {np.shape(clean)}, X {np.shape(X)}")
        lines = [("clean", truth)] + [
            (f"{name}, mean square error {np.mean((rows - truth) ** 2):.3g}", rows) for name, rows in lines
        ]
    low, high = lines[0][1].min(), lines[0][1].max()
    axes = new_panels(len(lines), 1, (0.9 * len(noisy), 1.15))
    for ax, (name, rows) in zip(axes, lines, strict=True):
        images = [np.pad(row.reshape(shape), 1, constant_values=low) for row in rows]
        ax.imshow(np.hstack(images), cmap=cmap, vmin=low, vmax=high, interpolation="nearest")
        ax.set_title(name, loc="left", fontsize=10)
        ax.set_axis_off()
    return axes

