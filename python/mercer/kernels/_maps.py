"""Feature maps: from the features of a point to the features that a kernel sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from mercer import _mercer
from mercer.kernels._text import call, real, whole


class Map:
    """A feature map φ, for ``k @ map``: k(φ(x), φ(y)).

    Parameters
    ----------
    text : str
        Its text, as it stands behind the ``@`` of an expression. The functions `columns`, `monomials`, `gaussians`,
        `sigmoids` and `matrix` write it.

    Examples
    --------
    >>> from mercer.kernels import Map, columns
    >>> Map("columns(1, 3..5)") == columns(1, 3, 4, 5)
    True
    """

    __slots__ = ("_native",)
    _native: _mercer.Map

    def __init__(self, text: str) -> None:
        self._native = _mercer.Map(text)

    def __repr__(self) -> str:
        return str(self._native)

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other) if isinstance(other, Map) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[type[Map], tuple[str]]:
        return Map, (repr(self),)


def columns(*features: SupportsIndex | Iterable[SupportsIndex]) -> Map:
    """Chosen features only.

    Parameters
    ----------
    *features : int or iterable of int
        Which, **from 1** as in the text of a kernel and in data files; ``range(3, 6)`` means 3, 4 and 5.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear, columns
    >>> RBF(0.5) @ columns(1, 3) + Linear() @ columns(range(4, 8))
    rbf(gamma=0.5) @ columns(1, 3) + linear @ columns(4..7)
    """
    chosen: list[str] = []
    for part in features:
        chosen.extend(map(whole, part) if isinstance(part, Iterable) else [whole(part)])
    return Map(f"columns({', '.join(chosen)})")


def monomials(degree: SupportsIndex = 2) -> Map:
    """The powers 1, t, t², … of each feature t.

    Parameters
    ----------
    degree : int, default=2
        The highest power, at most 100.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer.kernels import Linear, monomials
    >>> (Linear() @ monomials(2))([[2.0]], [[3.0]])  # 1 + 2·3 + 4·9
    array([[43.]])
    """
    return Map(call("monomials", degree=whole(degree)))


def gaussians(
    low: SupportsFloat = -1.0, high: SupportsFloat = 1.0, count: SupportsIndex = 11, width: SupportsFloat = 0.2
) -> Map:
    """Gaussian bumps exp(−(t − c)²/(2w²)) of each feature t.

    Parameters
    ----------
    low, high : float, default=-1, 1
        The first and the last centre c; the others lie evenly between them.
    count : int, default=11
        How many centres.
    width : float, default=0.2
        w > 0.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer.kernels import Linear, gaussians
    >>> Linear() @ gaussians(0, 1, count=5)
    linear @ gaussians(low=0, high=1, count=5, width=0.2)
    """
    return Map(call("gaussians", low=real(low), high=real(high), count=whole(count), width=real(width)))


def sigmoids(
    low: SupportsFloat = -1.0, high: SupportsFloat = 1.0, count: SupportsIndex = 11, width: SupportsFloat = 0.2
) -> Map:
    """Sigmoids 1/(1 + exp(−(t − c)/w)) of each feature t.

    Parameters
    ----------
    low, high : float, default=-1, 1
        The first and the last centre c; the others lie evenly between them.
    count : int, default=11
        How many centres.
    width : float, default=0.2
        w > 0.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer.kernels import Linear, sigmoids
    >>> (Linear() @ sigmoids(0, 0, count=1))([[0.0]])
    array([[0.25]])
    """
    return Map(call("sigmoids", low=real(low), high=real(high), count=whole(count), width=real(width)))


def matrix(values: ArrayLike) -> Map:
    """x ↦ Lᵀx, so that ``Linear() @ matrix(L)`` is xᵀAy with A = LLᵀ.

    Parameters
    ----------
    values : array-like of shape (n_features, n_images)
        L.

    Returns
    -------
    Map
        The map.

    Examples
    --------
    >>> from mercer.kernels import Linear, matrix
    >>> Linear() @ matrix([[1, 0], [0.5, 1]])
    linear @ matrix(rows=2, 1, 0, 0.5, 1)
    """
    dense = np.asarray(values, dtype=np.float64)
    if dense.ndim != 2:
        raise ValueError(f"a matrix has two dimensions, not {dense.ndim}")
    return Map(f"matrix({', '.join([f'rows={dense.shape[0]}', *map(real, dense.ravel())])})")
