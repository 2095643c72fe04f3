"""The named kernels. Formulas, remarks and the domains of parameters in their docstrings are those of the library's records."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Literal, SupportsFloat, SupportsIndex

from mercer import _mercer
from mercer._docs import F, documented, entry, filled
from mercer.kernels._kernel import Kernel
from mercer.kernels._text import call, real, whole, word

_RECORDS = {name: (formula, remark, dict(domains)) for name, formula, remark, domains in _mercer.kernels()}
_KINDS = {"SupportsFloat": "float", "SupportsIndex": "int"}


def recorded(name: str) -> Callable[[F], F]:
    """Fills in a docstring from the record of the kernel: its formula and remark, and the domains of its parameters."""
    formula, remark, domains = _RECORDS[name]

    def fill(function: F) -> F:
        first, *rest = inspect.cleandoc(function.__doc__ or "").split("\n", 1)
        function.__doc__ = "\n".join((f"{first.rstrip('.')}: {formula}{remark and f'; {remark}'}.", *rest))
        given = inspect.signature(function).parameters
        known = {
            each: entry(each, f"{_KINDS[given[each].annotation]}, default={given[each].default:g}", f"{domain or 'Finite'}.")
            for each, domain in domains.items()
            if each in given and given[each].annotation in _KINDS
        }
        return filled(documented(function), known)

    return fill


@recorded("linear")
def Linear() -> Kernel:
    """The inner product.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """
    return Kernel("linear")


@recorded("rbf")
def RBF(gamma: SupportsFloat | None = None, *, sigma: SupportsFloat | None = None) -> Kernel:
    """The Gaussian kernel.

    Parameters
    ----------
    gamma : float, default=1
        γ > 0.
    sigma : float, optional
        In its place, σ with γ = 1/(2σ²).

    See Also
    --------
    median_gamma : A first guess of γ from data.

    >>> RBF(0.5) == RBF(sigma=1)
    True
    """
    return Kernel(call("rbf", gamma=_given(gamma), sigma=_given(sigma)))


@recorded("poly")
def Poly(degree: SupportsIndex = 3, gamma: SupportsFloat = 1.0, coef0: SupportsFloat = 0.0) -> Kernel:
    """The polynomial kernel.

    >>> Poly(2, coef0=1)
    poly(degree=2, gamma=1, coef0=1)
    """
    return Kernel(call("poly", degree=whole(degree), gamma=real(gamma), coef0=real(coef0)))


@recorded("tanh")
def Tanh(gamma: SupportsFloat = 1.0, coef0: SupportsFloat = 0.0) -> Kernel:
    """The hyperbolic tangent, called sigmoid elsewhere.

    >>> Tanh(0.1).definite
    'unknown'
    """
    return Kernel(call("tanh", gamma=real(gamma), coef0=real(coef0)))


@recorded("plummer")
def Plummer(epsilon: SupportsFloat = 1.0, power: SupportsFloat = 1.0) -> Kernel:
    """A potential that is smooth at the origin.

    >>> Plummer(3, power=1)([[4.0]], [[0.0]])
    array([[0.2]])
    """
    return Kernel(call("plummer", epsilon=real(epsilon), power=real(power)))


@recorded("laplace")
def Laplace(gamma: SupportsFloat = 1.0) -> Kernel:
    """The Laplace kernel.

    >>> Laplace(0.5)
    laplace(gamma=0.5)
    """
    return Kernel(call("laplace", gamma=real(gamma)))


@recorded("matern")
def Matern(nu: SupportsFloat = 1.5, length: SupportsFloat = 1.0) -> Kernel:
    """Between an exponential and a Gaussian.

    With s = ‖x − y‖/ℓ: exp(−s) for ν = 0.5, (1 + √3 s) exp(−√3 s) for 1.5, (1 + √5 s + 5s²/3) exp(−√5 s) for 2.5.

    >>> Matern(2.5, length=0.3)
    matern(nu=2.5, length=0.3)
    """
    return Kernel(call("matern", nu=real(nu), length=real(length)))


@recorded("rational")
def RationalQuadratic(alpha: SupportsFloat = 1.0, length: SupportsFloat = 1.0) -> Kernel:
    """A mixture of Gaussians of all widths.

    >>> RationalQuadratic(length=2)
    rational(alpha=1, length=2)
    """
    return Kernel(call("rational", alpha=real(alpha), length=real(length)))


@recorded("cosine")
def Cosine() -> Kernel:
    """The cosine of the angle between x and y.

    >>> Cosine()([[1.0, 0.0]], [[3.0, 4.0]])
    array([[0.6]])
    """
    return Kernel("cosine")


@recorded("intersection")
def Intersection() -> Kernel:
    """The intersection of histograms.

    >>> Intersection()([[0.5, 0.5]], [[0.2, 0.8]])
    array([[0.7]])
    """
    return Kernel("intersection")


@recorded("gaussian")
def Gaussian(
    metric: Literal["l1", "chi2", "canberra", "angular", "hamming"], sigma: SupportsFloat = 1.0
) -> Kernel:
    """The Gaussian of a distance D; of the Euclidean one see `RBF`.

    Parameters
    ----------
    metric : {"l1", "chi2", "canberra", "angular", "hamming"}
        D: Σ|xₖ − yₖ|; √Σ(xₖ − yₖ)²/(xₖ + yₖ); Σ|xₖ − yₖ|/(|xₖ| + |yₖ|); the angle of x and y; the share of features that
        differ.

    Notes
    -----
    Only ``"chi2"`` is positive semi-definite in general, and that where no feature is negative. For the others see
    `check`.

    >>> Gaussian("chi2", 0.5).definite
    'psd on non-negative'
    """
    return Kernel(call("gaussian", metric=word(metric), sigma=real(sigma)))


@documented
def Factor(
    function: Literal["norm", "coordinate", "bump"],
    *,
    index: SupportsIndex | None = None,
    gamma: SupportsFloat | None = None,
) -> Kernel:
    """f(x) f(y); times k it makes f(x) k(x, y) f(y).

    Parameters
    ----------
    function : {"norm", "coordinate", "bump"}
        f: ‖x‖; the feature xⱼ; exp(−γ‖x‖²).
    index : int, optional
        j of ``"coordinate"``, from 1, which is the default.
    gamma : float, optional
        γ > 0 of ``"bump"``, default 1.

    >>> from mercer.kernels import Cosine, Factor
    >>> (Factor("norm") * Cosine())([[1.0, 0.0]], [[3.0, 4.0]])
    array([[3.]])
    """
    place = None if index is None else whole(index)
    return Kernel(call("factor", function=word(function), index=place, gamma=_given(gamma)))


@documented
def Constant(value: SupportsFloat) -> Kernel:
    """The constant kernel c.

    Parameters
    ----------
    value : float
        c ≥ 0.

    >>> from mercer.kernels import Constant, Linear
    >>> Linear() + Constant(2) == Linear() + 2
    True
    """
    return Kernel("1")._constant(float(value) + 0.0)


@documented
def Precomputed() -> Kernel:
    """The data are kernel values: k(x, y) is the value of x in the column that y numbers.

    Column 0 of a row is the number of its point, from 1, and column j its kernel value with point j.

    >>> Precomputed()([[1.0, 5.0, 3.0], [2.0, 3.0, 7.0]])
    array([[5., 3.],
           [3., 7.]])
    """
    return Kernel("precomputed")


def _given(value: SupportsFloat | None) -> str | None:
    return None if value is None else real(value)
