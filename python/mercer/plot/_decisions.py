"""What decisions and probabilities of classes are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.utils.validation import check_is_fitted

from mercer.plot._style import COLOURS, INK, Array, documented, legend_beside, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = ("-", "--", ":", "-.")


def _classes(model: Any, X: Any, y: Any) -> tuple[Array, Array]:
    """The classes of a model, and the number of the class of each row."""
    check_is_fitted(model)
    if not is_classifier(model):
        raise TypeError(f"{type(model).__name__} is no classifier")
    labels, classes = np.ravel(y), np.asarray(model.classes_)
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(labels) != rows:
        raise ValueError(f"y has {len(labels)} values, X has {rows} rows")
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(f"the model knows no class {unknown[0]}")
    return classes, np.searchsorted(classes, labels)


@documented
def margins(model: Any, X: Any, y: Any, *, bins: int = 40, ax: Axes | None = None, legend: bool = True) -> Axes:
    """How far rows lie on their side: a histogram of y f(x) of a classifier of two classes.

    Below 0 a row is on the wrong side, below 1 inside the margin.

    Parameters
    ----------
    model : estimator
        A fitted classifier of two classes that has decisions.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    bins : int, default=40
        Bars of the histogram.

    >>> two = y < 2
    >>> plot.margins(SVC(C=10.0).fit(X[two], y[two]), X[two], y[two]).get_xlabel()
    'y f(x)'
    """
    classes, index = _classes(model, X, y)
    if len(classes) != 2:
        raise ValueError(f"margins are of two classes; this model has {len(classes)}")
    own = np.where(index == 1, 1.0, -1.0) * np.ravel(model.decision_function(X))
    edges = np.linspace(min(own.min(), 0.0), max(own.max(), 1.0), bins + 1)
    ax = new_axes(ax)
    parts = [own[index == k] for k in (0, 1)]
    ax.hist(parts, bins=list(edges), stacked=True, color=[COLOURS[0], COLOURS[1]], label=[str(name) for name in classes], rwidth=0.92)
    ax.axvline(0.0, color=INK, linewidth=1.8, label="decision")
    ax.axvline(1.0, color=INK, linewidth=1.2, linestyle="--", label="margin")
    ax.set(xlabel="y f(x)", ylabel="rows", title=f"{int((own <= 0.0).sum())} of {len(own)} rows on the wrong side")
    if legend:
        legend_beside(ax)
    return ax


@documented
def roc(model: Any, X: Any, y: Any, *, ax: Axes | None = None, legend: bool = True) -> Axes:
    """Hits against false alarms for every threshold, with the area below; of several classes each against the others.

    Parameters
    ----------
    model : estimator
        A fitted classifier that has decisions or probabilities.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows, best such that the model has not seen.
    y : array-like of shape (n_samples,)
        Their classes.

    >>> ax = plot.roc(SVC().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> len(ax.lines)
    4
    """
    classes, index = _classes(model, X, y)
    scores = np.asarray(model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X))
    if len(classes) == 2 and scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(classes):
        raise ValueError("the decisions are of pairs of classes: set decision_function_shape to 'ovr'")
    ax = new_axes(ax)
    for k in [1] if len(classes) == 2 else range(len(classes)):
        own = index == k
        if own.all() or not own.any():
            raise ValueError(f"all rows, or none, are of class {classes[k]}: there is nothing to tell apart")
        alarms, hits, _ = roc_curve(own, scores[:, k])
        label = f"{classes[k]}: area {roc_auc_score(own, scores[:, k]):.3f}"
        ax.plot(alarms, hits, color=COLOURS[k % len(COLOURS)], linestyle=_DASHES[k % 4], linewidth=2.0, label=label)
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#666666", linewidth=1.0, linestyle=":", label="chance")
    ax.set(xlabel="false alarms", ylabel="hits", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    if legend:
        legend_beside(ax)
    return ax


@documented
def calibration(model: Any, X: Any, y: Any, *, bins: int = 10, ax: Axes | None = None, legend: bool = True) -> Axes:
    """How often what was said with a probability is true, with Clopper and Pearson's intervals.

    Of two classes the probability of the second, of more that of the class that is most probable.

    Parameters
    ----------
    model : estimator
        A fitted classifier that has probabilities.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows, best such that the model has not seen.
    y : array-like of shape (n_samples,)
        Their classes.
    bins : int, default=10
        Into how many equal parts [0, 1] is cut.

    >>> ax = plot.calibration(SVC(probability=True).fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> ax.get_xlabel()
    'probability that was said'
    """
    from scipy.stats import beta

    classes, index = _classes(model, X, y)
    if bins < 1:
        raise ValueError(f"bins = {bins}: must be 1 or more")
    said = np.asarray(model.predict_proba(X))
    two = len(classes) == 2
    taken = np.ones(len(said), dtype=int) if two else said.argmax(axis=1)
    values, true = said[np.arange(len(said)), taken], index == taken
    cell = np.minimum((values * bins).astype(int), bins - 1)
    full = [k for k in range(bins) if (cell == k).any()]
    means = np.array([values[cell == k].mean() for k in full])
    shares = np.array([true[cell == k].mean() for k in full])
    count, right = (np.array([part[cell == k].sum() for k in full]) for part in (np.ones(len(values)), true))
    low = np.where(right > 0, beta.ppf(0.025, right, count - right + 1), 0.0)
    high = np.where(right < count, beta.ppf(0.975, right + 1, count - right), 1.0)
    ax = new_axes(ax)
    spread = np.maximum([shares - low, high - shares], 0.0)
    name = str(classes[1]) if two else "most probable class"
    ax.errorbar(means, shares, yerr=spread, color=COLOURS[0], marker="o", linewidth=1.8, elinewidth=1.0, label=name)
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#666666", linewidth=1.0, linestyle=":", label="as it should be")
    ax.set(xlabel="probability that was said", ylabel="share of rows where it is true")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    if legend:
        legend_beside(ax)
    return ax
