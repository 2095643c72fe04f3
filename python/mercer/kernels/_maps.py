"""Feature maps: from the features of a point to the features that a kernel sees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from mercer import _mercer
from mercer._docs import documented
from mercer.kernels._text import Expression, call, real, whole


class Map(Expression):
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

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = _mercer.map_text(text)

    def __repr__(self) -> str:
        return self._text


@documented
def columns(*features: SupportsIndex | Iterable[SupportsIndex]) -> Map:
    """Chosen features only.

    Parameters
    ----------
    *features : int or iterable of int
        Which, **from 1** as in the text of a kernel and in data files; ``range(3, 6)`` means 3, 4 and 5.

    >>> from mercer.kernels import RBF, Linear, columns
    >>> RBF(0.5) @ columns(1, 3) + Linear() @ columns(range(4, 8))
    rbf(gamma=0.5) @ columns(1, 3) + linear @ columns(4..7)
    """
    chosen: list[str] = []
    for part in features:
        chosen.extend(map(whole, part) if isinstance(part, Iterable) else [whole(part)])
    return Map(f"columns({', '.join(chosen)})")


@documented
def monomials(degree: SupportsIndex = 2) -> Map:
    """The powers 1, t, t², … of each feature t.

    Parameters
    ----------
    degree : int, default=2
        The highest power, at most 100.

    >>> from mercer.kernels import Linear, monomials
    >>> (Linear() @ monomials(2))([[2.0]], [[3.0]])  # 1 + 2·3 + 4·9
    array([[43.]])
    """
    return Map(call("monomials", degree=whole(degree)))


@documented
def gaussians(
    low: SupportsFloat = -1.0, high: SupportsFloat = 1.0, count: SupportsIndex = 11, width: SupportsFloat = 0.2
) -> Map:
    """Gaussian bumps exp(−(t − c)²/(2w²)) of each feature t.

    >>> from mercer.kernels import Linear, gaussians
    >>> Linear() @ gaussians(0, 1, count=5)
    linear @ gaussians(low=0, high=1, count=5, width=0.2)
    """
    return Map(call("gaussians", low=real(low), high=real(high), count=whole(count), width=real(width)))


@documented
def sigmoids(
    low: SupportsFloat = -1.0, high: SupportsFloat = 1.0, count: SupportsIndex = 11, width: SupportsFloat = 0.2
) -> Map:
    """Sigmoids 1/(1 + exp(−(t − c)/w)) of each feature t.

    >>> from mercer.kernels import Linear, sigmoids
    >>> (Linear() @ sigmoids(0, 0, count=1))([[0.0]])
    array([[0.25]])
    """
    return Map(call("sigmoids", low=real(low), high=real(high), count=whole(count), width=real(width)))


@documented
def matrix(values: ArrayLike) -> Map:
    """x ↦ Lᵀx, so that ``Linear() @ matrix(L)`` is xᵀAy with A = LLᵀ.

    Parameters
    ----------
    values : array-like of shape (n_features, n_images)
        L.

    >>> from mercer.kernels import Linear, matrix
    >>> Linear() @ matrix([[1, 0], [0.5, 1]])
    linear @ matrix(rows=2, 1, 0, 0.5, 1)
    """
    dense = np.asarray(values, dtype=np.float64)
    if dense.ndim != 2:
        raise ValueError(f"a matrix has two dimensions, not {dense.ndim}")
    return Map(f"matrix({', '.join([f'rows={dense.shape[0]}', *map(real, dense.ravel())])})")
