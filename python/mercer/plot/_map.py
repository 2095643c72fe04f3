"""Self-organising maps, drawn on their grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from mercer.plot._style import INK, Array, documented, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Corners of a cell around the place of its unit: a square of side 1, and a hexagon whose sides are 1 apart.
_CORNERS = {
    "rectangular": np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]),
    "hexagonal": np.array([[np.sin(a), np.cos(a)] for a in np.arange(6) * np.pi / 3.0]) / np.sqrt(3.0),
}

#: What the colours of values that have a name say.
_NAMES = {"u_matrix": "mean distance to neighbours", "hits": "rows of the unit"}


@documented
def som_map(
    model: Any,
    values: Any = "u_matrix",
    *,
    X: Any = None,
    texts: Any = None,
    cmap: Any = "cividis",
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """A self-organising map: a cell for each unit of the grid, coloured by a number.

    Parameters
    ----------
    model : KernelSOM
        A fitted map.
    values : {"u_matrix", "hits"}, int, str or array-like of n_rows * n_columns numbers, default="u_matrix"
        What the colours say: the mean distance of a prototype to those of its neighbours, high where groups of rows part; the
        number of rows; a feature, by its number or name, of the prototypes in the space of the rows (its component plane, of
        the linear kernel); or numbers of your own.
    X : array-like or sparse matrix of shape (n_samples, n_features), default=None
        The training rows, for a component plane.
    texts : sequence of str, default=None
        A text for each unit, drawn into its cell.
    cmap : str or Colormap, default="cividis"
        The colours.

    >>> model = KernelSOM(6, 6, grid="hexagonal").fit(X)
    >>> plot.som_map(model, "petal length (cm)", X=X).get_title(loc="left")
    'petal length (cm)'
    """
    check_is_fitted(model)
    if not hasattr(model, "u_matrix_"):
        raise TypeError(f"{type(model).__name__} is no self-organising map")
    numbers, name = _numbers(model, values, X)
    if texts is not None and len(texts) != numbers.size:
        raise ValueError(f"{len(texts)} texts for {numbers.size} units")
    ax = new_axes(ax)
    from matplotlib.collections import PolyCollection

    rows, columns = model.hits_.shape
    places = _places(rows, columns, model.grid)
    cells: Any = PolyCollection(
        places[:, None, :] + _CORNERS[model.grid], array=numbers, cmap=cmap, edgecolors="white", linewidths=0.8
    )
    ax.add_collection(cells)
    reach = np.abs(_CORNERS[model.grid]).max(axis=0) + 0.05
    ax.set_xlim(-reach[0], places[:, 0].max() + reach[0])
    # The first row is the upper one.
    ax.set_ylim(places[:, 1].max() + reach[1], -reach[1])
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(name, loc="left")
    if texts is not None:
        _write(ax, places, texts, cells)
    if legend:
        ax.figure.colorbar(cells, ax=ax, shrink=0.8, label=_NAMES.get(values) if isinstance(values, str) else None)
    return ax


def _places(rows: int, columns: int, grid: str) -> Array:
    """The places of all units: across, down."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    if grid == "hexagonal":
        return np.column_stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)])
    return np.column_stack([column, row]).astype(float)


def _numbers(model: Any, values: Any, X: Any) -> tuple[Array, str]:
    """A number for each unit, and what they are."""
    if isinstance(values, str) and values in _NAMES:
        return np.ravel(getattr(model, f"{values}_")), "U-matrix" if values == "u_matrix" else "hits"
    if isinstance(values, str) or np.ndim(values) == 0:
        return _plane(model, values, X)
    numbers = np.ravel(np.asarray(values, dtype=np.float64))
    if numbers.size != model.hits_.size:
        raise ValueError(f"{numbers.size} values for {model.hits_.size} units")
    return numbers, ""


def _plane(model: Any, feature: Any, X: Any) -> tuple[Array, str]:
    """A feature of all prototypes in the space of the rows: means of the training rows with the prototypes' coefficients."""
    names = list(getattr(model, "feature_names_in_", []))
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(f"values = {feature!r}: must be u_matrix, hits, or the name of a feature")
        feature = names.index(feature)
    if X is None:
        raise ValueError("a component plane is made of the training rows: give X")
    rows = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if not 0 <= feature < rows.shape[1]:
        raise ValueError(f"values = {feature!r}: there are {rows.shape[1]} features, from 0")
    if len(rows) != model._fitted_rows:
        raise ValueError(f"X has {len(rows)} rows, the map was trained on {model._fitted_rows}")
    return model.dual_coef_ @ rows[model.support_, feature], names[feature] if names else f"x{feature}"


def _write(ax: Axes, places: Array, texts: Any, cells: Any) -> None:
    """Texts in cells, dark on light colours and light on dark ones."""
    shades = cells.cmap(cells.norm(cells.get_array()))[:, :3] @ np.array([0.299, 0.587, 0.114])
    for (x, y), text, shade in zip(places, texts, shades, strict=True):
        ax.text(x, y, str(text), ha="center", va="center", fontsize=8, color=INK if shade > 0.5 else "white")
