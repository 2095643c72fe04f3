"""Kernel expressions."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from operator import index
from typing import Any, Literal, SupportsIndex, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

from mercer import _mercer
from mercer._docs import documented
from mercer._graphs import Graph
from mercer.kernels._maps import Map
from mercer.kernels._rows import dimensions, rows
from mercer.kernels._text import Expression

Definite: TypeAlias = Literal["psd", "psd on non-negative", "unknown"]
"""What a kernel promises of every Gram matrix that it makes."""


class Kernel(Expression):
    """A kernel k(x, y) on vectors, texts, graphs or sets: an expression that prints, reads back, compares and pickles.

    Kernels are immutable, and the operands of an expression are of one space. ``k1 + k2``, ``k1 * k2``, ``2 * k``,
    ``k + 1``, ``k ** 3`` and ``k @ map`` are kernels, and so are ``exp(k)``, ``normalized(k)`` and ``centered(k)``. Two
    kernels are equal if they are the same expression: sums in sums and products in products are flattened and constants
    merged, but operands stay in their order.

    Parameters
    ----------
    text : str
        The expression, such as ``"rbf(gamma=0.5) + 2*linear"``.

    Raises
    ------
    ValueError
        If the text cannot be read or a parameter is out of its range; the message names the column.

    Examples
    --------
    >>> from mercer.kernels import RBF, Kernel, Linear
    >>> k = Kernel("rbf(0.5) + linear*2")
    >>> k
    rbf(gamma=0.5) + 2*linear
    >>> k == RBF(0.5) + 2 * Linear()
    True
    >>> Kernel("linear + rbg(gamma=1)")
    Traceback (most recent call last):
    ...
    mercer.errors.KernelError: kernel "linear + rbg(gamma=1)", column 10: unknown kernel 'rbg'; did you mean rbf?
    """

    __slots__ = ("_native",)
    _native: _mercer.Kernel

    # A number of numpy's leaves `0.5 * k` to the kernel.
    __array_ufunc__ = None

    def __init__(self, text: str) -> None:
        self._native = _mercer.Kernel(text)

    @classmethod
    def _of(cls, native: _mercer.Kernel) -> Kernel:
        kernel = cls.__new__(cls)
        kernel._native = native
        return kernel

    def __repr__(self) -> str:
        return str(self._native)

    def _constant(self, value: float) -> Kernel:
        """A constant kernel on points of the same space."""
        return Kernel._of(self._native.constant(value))

    def _operand(self, value: object) -> _mercer.Kernel | None:
        if isinstance(value, Kernel):
            return value._native
        return self._native.constant(float(value)) if isinstance(value, Real) else None

    def __add__(self, other: Kernel | float) -> Kernel:
        native = self._operand(other)
        if native is None:
            return NotImplemented
        # What the built-in sum begins with.
        return self if isinstance(other, int) and other == 0 else Kernel._of(self._native.plus(native))

    __radd__ = __add__

    def __mul__(self, other: Kernel | float) -> Kernel:
        native = self._operand(other)
        return NotImplemented if native is None else Kernel._of(self._native.times(native))

    __rmul__ = __mul__

    def __pow__(self, exponent: SupportsIndex) -> Kernel:
        try:
            whole = index(exponent)
        except TypeError:
            return NotImplemented
        return Kernel._of(self._native.power(whole))

    def __matmul__(self, map: Map) -> Kernel:
        return self.on(map) if isinstance(map, Map) else NotImplemented

    @documented
    def on(self, map: Map) -> Kernel:
        """The kernel of mapped points, k(φ(x), φ(y)); also ``k @ map``.

        >>> from mercer.kernels import RBF, columns
        >>> RBF(2).on(columns(1))
        rbf(gamma=2) @ columns(1)
        """
        return Kernel._of(self._native.on(repr(map)))

    @property
    def definite(self) -> Definite:
        """Whether it is positive semi-definite by construction.

        ``"psd"``: on all data. ``"psd on non-negative"``: where no feature is negative. ``"unknown"``: see `check`.

        Examples
        --------
        >>> from mercer.kernels import RBF, Intersection, Tanh
        >>> RBF(1).definite, (RBF(1) + Intersection()).definite, Tanh().definite
        ('psd', 'psd on non-negative', 'unknown')
        """
        return cast(Definite, self._native.definite)

    @property
    def parameters(self) -> dict[str, float]:
        """The real parameters by their path, in the order of the text.

        A path has the position of each operand of a sum or product, the kernel, and the parameter. Degrees and counts
        are structure, not parameters.

        Examples
        --------
        >>> from mercer.kernels import RBF, Linear
        >>> (RBF(0.5) + 2 * Linear()).parameters
        {'0.rbf.gamma': 0.5, '1.0.constant': 2.0}
        """
        return {path: value for path, value, *_ in self._native.parameters()}

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Where a search looks for each of `parameters`: the lowest and the highest value.

        Examples
        --------
        >>> from mercer.kernels import RBF
        >>> RBF(0.5).bounds
        {'rbf.gamma': (1e-05, 100000.0)}
        """
        return {path: (low, high) for path, _, low, high, _ in self._native.parameters()}

    @documented
    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Kernel:
        """This kernel with other values of some parameters.

        Parameters
        ----------
        values : mapping of str to float, optional
            Values by path, or by the end of a path where only one parameter has it: ``"gamma"`` for ``"rbf.gamma"``.
        **named : float
            More of the same.

        Raises
        ------
        ValueError
            If there is no such parameter or more than one, or a value is out of range.

        >>> from mercer.kernels import RBF, Linear
        >>> RBF(1).with_parameters(gamma=0.5)
        rbf(gamma=0.5)
        >>> (RBF(1) + 2 * Linear()).with_parameters({"1.0.constant": 3.0}, gamma=0.5)
        rbf(gamma=0.5) + 3*linear
        """
        native = self._native
        for name, value in {**(values or {}), **named}.items():
            native = native.with_parameter(self._path(name), value)
        return Kernel._of(native)

    def _path(self, name: str) -> str:
        paths = list(self.parameters)
        ends = [name] if name in paths else [path for path in paths if path.endswith(f".{name}")]
        if len(ends) == 1:
            return ends[0]
        found = f"{name!r} may be {' or '.join(ends)}" if ends else f"no parameter {name!r}"
        raise ValueError(f"{found}; {self} has {', '.join(paths) or 'no parameters'}")

    @overload
    def __call__(self, X: Any, Y: Any = None, *, dtype: Literal["float64"] = "float64") -> NDArray[np.float64]: ...
    @overload
    def __call__(self, X: Any, Y: Any = None, *, dtype: Literal["float32"]) -> NDArray[np.float32]: ...
    def __call__(self, X: Any, Y: Any = None, *, dtype: Literal["float64", "float32"] = "float64") -> NDArray[Any]:
        """The Gram matrix, of all rows of X with all rows of Y.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n, n_features), or list of str, of graphs or of matrices
            Points. Two lists of numbers, two texts or two graphs are two points, and the result is one number.
        Y : array-like, sparse matrix or data frame of shape (m, n_features), optional
            More points. Without them the matrix is that of X with itself: exactly symmetric, at half the cost.
        dtype : {"float64", "float32"}, default="float64"
            Single precision takes half the time and memory. It is right to about 1e-6; where computing in it would lose
            more than that, values are computed in double precision and rounded.

        Returns
        -------
        ndarray of shape (n, m)
            k(xᵢ, yⱼ).

        Examples
        --------
        >>> from mercer.kernels import Poly, PSpectrum
        >>> k = Poly(degree=2, coef0=1)
        >>> k([[1.0, 0.0], [1.0, 2.0]])
        array([[ 4.,  4.],
               [ 4., 36.]])
        >>> k([[1.0, 0.0]], [[1.0, 2.0]], dtype="float32")
        array([[4.]], dtype=float32)
        >>> k([1.0, 0.0], [1.0, 2.0])
        np.float64(4.0)
        >>> PSpectrum(2)("banana", "ananas")
        np.float64(8.0)
        """
        if dtype not in ("float64", "float32"):
            raise ValueError(f"dtype = {dtype!r}: must be 'float64' or 'float32'")
        space = self._native.space
        alone = dimensions(X, space) == 1 and (Y is None or dimensions(Y, space) == 1)
        if alone:
            X, Y = (
                [p] if isinstance(p, (str, Graph)) else p if p is None else np.atleast_2d(p) for p in (X, None if Y is X else Y)
            )
        other = None if Y is None or Y is X else rows(Y, self._native)
        gram: NDArray[Any] = self._native.gram(rows(X, self._native), other, single=dtype == "float32")
        return gram[0, 0] if alone else gram

    @documented
    def settled(self, X: Any) -> Kernel:
        """The kernel with those parameters found from points that it leaves to data, as side and levels of `PyramidMatch`.

        The ``fit`` of an estimator does this first; a call ``k(X, Y)`` takes what Y says.

        Returns
        -------
        Kernel
            The kernel, unchanged where it leaves nothing open.

        >>> from mercer.kernels import PyramidMatch
        >>> PyramidMatch().settled([[[0.5], [2.25]], [[1.0], [8.0]]])
        pyramid(side=0.5, levels=4, shifts=1, seed=0, weights=half)
        """
        return Kernel._of(self._native.settled(rows(X, self._native)))

    @documented
    def diag(self, X: Any) -> NDArray[np.float64]:
        """k(x, x) of each row, the diagonal of ``k(X)`` to the bit.

        Returns
        -------
        ndarray of shape (n,)
            The result.

        >>> from mercer.kernels import Linear
        >>> Linear().diag([[1.0, 2.0], [3.0, 4.0]])
        array([ 5., 25.])
        """
        diagonal: NDArray[np.float64] = self._native.diagonal(rows(X, self._native))
        return diagonal


@documented
def parse(text: str) -> Kernel:
    """Reads the text of a kernel: the same as ``Kernel(text)``.

    Parameters
    ----------
    text : str
        The expression.

    >>> parse("rbf(sigma=1) @ columns(1, 3..5) + 1")
    rbf(gamma=0.5) @ columns(1, 3..5) + 1
    """
    return Kernel(text)


@documented
def exp(kernel: Kernel) -> Kernel:
    """The kernel exp(k(x, y)).

    >>> from mercer.kernels import Linear, exp
    >>> exp(0.5 * Linear())
    exp(0.5*linear)
    """
    return Kernel._of(kernel._native.exp())


@documented
def normalized(kernel: Kernel) -> Kernel:
    """The kernel k(x, y)/√(k(x, x) k(y, y)), the cosine of the angle in feature space.

    It is 0 where k(x, x) or k(y, y) is not positive.

    >>> from mercer.kernels import Poly, normalized
    >>> normalized(Poly(2)).diag([[3.0, 4.0]])
    array([1.])
    """
    return Kernel._of(kernel._native.normalized())


@documented
def centered(kernel: Kernel) -> Kernel:
    """The kernel about the mean of some points in feature space.

    It is k(x, y) − mean k(·, y) − mean k(x, ·) + mean k(·, ·), where the means are over the training points of an estimator,
    with their weights; in ``k(X, Y)`` over the rows of Y, and in ``k(X)`` over those of X, as scikit-learn's
    ``KernelCenterer`` takes them. With n such points it costs n² kernel values, and n more for each other point.

    >>> from mercer.kernels import Linear, centered
    >>> k = centered(Linear())
    >>> k([[1.0], [3.0], [5.0]])
    array([[ 4.,  0., -4.],
           [ 0.,  0.,  0.],
           [-4.,  0.,  4.]])
    >>> k([[9.0]], [[1.0], [3.0], [5.0]])
    array([[-12.,   0.,  12.]])
    """
    return Kernel._of(kernel._native.centered())
