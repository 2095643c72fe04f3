"""Eigenvalues, and a target in the eigenvectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.kernels import Spectrum, Validity
from mercer.plot._style import COLOURS, INK, Array, counted, documented, new_axes, tint
from mercer.relevance import RelevantDimension

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Components up to which a spectrum has bars.
_BARS = 40


@documented
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

    Returns
    -------
    Axes
        What was drawn into; of a KernelPCA the one with the eigenvalues.

    >>> plot.spectrum(KernelPCA(5, kernel="rbf").fit(X)).get_ylabel()
    'eigenvalue'
    """
    if n_components is not None and n_components < 1:
        raise ValueError(f"n_components = {n_components}: must be 1 or more")
    if isinstance(model, Validity):
        model = model.spectrum
    if isinstance(model, Spectrum):
        return _mercer_spectrum(new_axes(ax), model.eigenvalues[:n_components], legend)
    if isinstance(model, RelevantDimension):
        check_is_fitted(model)
        return _relevant(new_axes(ax), model, n_components, legend)
    if hasattr(model, "eigenvalues_"):
        return _scree(new_axes(ax), model, n_components, legend)
    check_is_fitted(model)
    raise TypeError(f"{type(model).__name__} has no spectrum")


def _scree(ax: Axes, model: Any, count: int | None, legend: bool) -> Axes:
    """Eigenvalues, and the share of the variance up to each."""
    from matplotlib.ticker import PercentFormatter

    values = model.eigenvalues_[:count]
    place = np.arange(1, len(values) + 1)
    if len(values) <= _BARS:
        ax.bar(place, values, color=tint(0, 0.75), width=0.75, label="eigenvalue")
    else:
        ax.fill_between(place, values, color=tint(0, 0.75), step="mid", label="eigenvalue")
    ax.set(xlabel="component", ylabel="eigenvalue", xlim=(0.4, len(values) + 0.6), ylim=(0.0, None))
    counted(ax)
    shares = getattr(model, "explained_variance_ratio_", None)
    if shares is not None and len(shares):
        other = ax.twinx()
        dot = "o" if len(values) <= _BARS else ""
        so_far = np.cumsum(shares[:count])
        other.plot(place[: len(so_far)], so_far, color=COLOURS[1], marker=dot, ms=4, label="share so far")
        other.set(ylim=(0.0, 1.04), ylabel="share of variance so far")
        other.yaxis.set_major_formatter(PercentFormatter(1.0))
        if legend:
            lines = [*ax.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
            other.legend(handles=lines, loc="center right", frameon=False)
    return ax


def _relevant(ax: Axes, model: RelevantDimension, count: int | None, legend: bool) -> Axes:
    """Coefficients of a target, the cut and the noise."""
    squares = np.mean(model.coefficients_**2, axis=0)
    cut = int(model.dimension_)
    noise = float(np.sqrt(squares[cut:].mean())) if cut < len(squares) else 0.0
    values = np.sqrt(squares)[:count]
    place = np.arange(1, len(values) + 1)
    for own, colour, name in ((place <= cut, COLOURS[0], "relevant"), (place > cut, "#9A9A9A", "noise")):
        if own.any():
            ax.vlines(place[own], 0.0, values[own], color=colour, linewidth=1.2 if len(place) <= 100 else 0.8)
            ax.scatter(place[own], values[own], s=14, color=colour, label=name, zorder=3)
    ax.axvline(cut + 0.5, color=INK, linewidth=1.2, linestyle="--", label=f"dimension {cut}")
    if len(values) > cut:
        level = f"noise level {noise:.2g}"
        ax.hlines(noise, cut + 0.5, len(values) + 0.5, color=COLOURS[1], linewidth=2.0, label=level, zorder=4)
    ax.set(xlabel="component", ylabel="|coefficient of the target|", xlim=(0.0, len(values) + 1.0), ylim=(0.0, None))
    counted(ax)
    if legend:
        ax.legend(loc="upper right", frameon=False)
    return ax


def _mercer_spectrum(ax: Axes, values: Array, legend: bool) -> Axes:
    """Eigenvalues on a logarithmic scale; a negative one is no eigenvalue of a kernel."""
    place = np.arange(1, len(values) + 1)
    for own, colour, marker, name in (
        (values > 0.0, COLOURS[0], "o", "positive"),
        (values < 0.0, COLOURS[1], "v", "negative"),
    ):
        if own.any():
            ax.scatter(place[own], np.abs(values[own]), s=18, color=colour, marker=marker, label=name)
    ax.set(xlabel="i", ylabel="|eigenvalue| of K/n", yscale="log", xlim=(0.0, len(values) + 1.0))
    counted(ax)
    if legend:
        ax.legend(loc="upper center", frameon=False)
    return ax
