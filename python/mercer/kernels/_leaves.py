"""The named kernels."""

from __future__ import annotations

from typing import Literal, SupportsFloat, SupportsIndex

from mercer.kernels._kernel import Kernel
from mercer.kernels._text import call, real, whole, word


def Linear() -> Kernel:
    """xᵀy.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """
    return Kernel("linear")


def RBF(gamma: SupportsFloat | None = None, *, sigma: SupportsFloat | None = None) -> Kernel:
    """exp(−γ‖x − y‖²), the Gaussian kernel.

    Parameters
    ----------
    gamma : float, default=1
        γ > 0.
    sigma : float, optional
        In its place, σ with γ = 1/(2σ²).

    Returns
    -------
    Kernel
        The kernel.

    See Also
    --------
    median_gamma : A first guess of γ from data.

    Examples
    --------
    >>> from mercer.kernels import RBF
    >>> RBF(0.5) == RBF(sigma=1)
    True
    """
    return Kernel(call("rbf", gamma=_given(gamma), sigma=_given(sigma)))


def Poly(degree: SupportsIndex = 3, gamma: SupportsFloat = 1.0, coef0: SupportsFloat = 0.0) -> Kernel:
    """(γ xᵀy + c)^m, the polynomial kernel.

    Parameters
    ----------
    degree : int, default=3
        m, from 1 to 100.
    gamma : float, default=1
        γ > 0.
    coef0 : float, default=0
        c; where it is negative the kernel may be indefinite.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Poly
    >>> Poly(2, coef0=1)
    poly(degree=2, gamma=1, coef0=1)
    """
    return Kernel(call("poly", degree=whole(degree), gamma=real(gamma), coef0=real(coef0)))


def Tanh(gamma: SupportsFloat = 1.0, coef0: SupportsFloat = 0.0) -> Kernel:
    """tanh(γ xᵀy + c), called sigmoid elsewhere; indefinite in general.

    Parameters
    ----------
    gamma : float, default=1
        γ > 0.
    coef0 : float, default=0
        c.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Tanh
    >>> Tanh(0.1).definite
    'unknown'
    """
    return Kernel(call("tanh", gamma=real(gamma), coef0=real(coef0)))


def Plummer(epsilon: SupportsFloat = 1.0, power: SupportsFloat = 1.0) -> Kernel:
    """(‖x − y‖² + ε²)^(−N/2), a potential that is smooth at the origin.

    Parameters
    ----------
    epsilon : float, default=1
        ε > 0.
    power : float, default=1
        N > 0.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Plummer
    >>> Plummer(3, power=1)([[4.0]], [[0.0]])
    array([[0.2]])
    """
    return Kernel(call("plummer", epsilon=real(epsilon), power=real(power)))


def Laplace(gamma: SupportsFloat = 1.0) -> Kernel:
    """exp(−γ Σ|xₖ − yₖ|).

    Parameters
    ----------
    gamma : float, default=1
        γ > 0.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Laplace
    >>> Laplace(0.5)
    laplace(gamma=0.5)
    """
    return Kernel(call("laplace", gamma=real(gamma)))


def Matern(nu: SupportsFloat = 1.5, length: SupportsFloat = 1.0) -> Kernel:
    """Matérn of smoothness ν over ‖x − y‖/ℓ.

    With s = ‖x − y‖/ℓ: exp(−s) for ν = 0.5, (1 + √3 s) exp(−√3 s) for 1.5, (1 + √5 s + 5s²/3) exp(−√5 s) for 2.5.

    Parameters
    ----------
    nu : {0.5, 1.5, 2.5}, default=1.5
        ν.
    length : float, default=1
        ℓ > 0.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Matern
    >>> Matern(2.5, length=0.3)
    matern(nu=2.5, length=0.3)
    """
    return Kernel(call("matern", nu=real(nu), length=real(length)))


def RationalQuadratic(alpha: SupportsFloat = 1.0, length: SupportsFloat = 1.0) -> Kernel:
    """(1 + ‖x − y‖²/(2αℓ²))^(−α), a mixture of Gaussians of all widths.

    Parameters
    ----------
    alpha : float, default=1
        α > 0.
    length : float, default=1
        ℓ > 0.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import RationalQuadratic
    >>> RationalQuadratic(length=2)
    rational(alpha=1, length=2)
    """
    return Kernel(call("rational", alpha=real(alpha), length=real(length)))


def Cosine() -> Kernel:
    """xᵀy/(‖x‖‖y‖), 0 if one is zero.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Cosine
    >>> Cosine()([[1.0, 0.0]], [[3.0, 4.0]])
    array([[0.6]])
    """
    return Kernel("cosine")


def Intersection() -> Kernel:
    """Σ min(xₖ, yₖ), the intersection of histograms; positive semi-definite where no feature is negative.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Intersection
    >>> Intersection()([[0.5, 0.5]], [[0.2, 0.8]])
    array([[0.7]])
    """
    return Kernel("intersection")


def Gaussian(
    metric: Literal["l1", "chi2", "canberra", "angular", "hamming"], sigma: SupportsFloat = 1.0
) -> Kernel:
    """exp(−D(x, y)²/(2σ²)) over a distance D; over the Euclidean one it is `RBF`.

    Parameters
    ----------
    metric : {"l1", "chi2", "canberra", "angular", "hamming"}
        D: Σ|xₖ − yₖ|; √Σ(xₖ − yₖ)²/(xₖ + yₖ); Σ|xₖ − yₖ|/(|xₖ| + |yₖ|); the angle of x and y; the share of features that
        differ.
    sigma : float, default=1
        σ > 0.

    Returns
    -------
    Kernel
        The kernel.

    Notes
    -----
    Only ``"chi2"`` is positive semi-definite in general, and that where no feature is negative. For the others see
    `check`.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> Gaussian("chi2", 0.5).definite
    'psd on non-negative'
    """
    return Kernel(call("gaussian", metric=word(metric), sigma=real(sigma)))


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

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Cosine, Factor
    >>> (Factor("norm") * Cosine())([[1.0, 0.0]], [[3.0, 4.0]])
    array([[3.]])
    """
    place = None if index is None else whole(index)
    return Kernel(call("factor", function=word(function), index=place, gamma=_given(gamma)))


def Constant(value: SupportsFloat) -> Kernel:
    """The constant kernel c.

    Parameters
    ----------
    value : float
        c ≥ 0.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Constant, Linear
    >>> Linear() + Constant(2) == Linear() + 2
    True
    """
    return Kernel("1")._constant(float(value) + 0.0)


def Precomputed() -> Kernel:
    """The data are kernel values: k(x, y) is the value of x in the column that y numbers.

    Column 0 of a row is the number of its point, from 1, and column j its kernel value with point j.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import Precomputed
    >>> Precomputed()([[1.0, 5.0, 3.0], [2.0, 3.0, 7.0]])
    array([[5., 3.],
           [3., 7.]])
    """
    return Kernel("precomputed")


def PSpectrum(p: SupportsIndex = 3) -> Kernel:
    """Σ count(u in s) · count(u in t) over the words u of p characters: the p-spectrum kernel of two texts.

    Parameters
    ----------
    p : int, default=3
        The length of a word, from 1 to 32.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> from mercer.kernels import PSpectrum, normalized
    >>> PSpectrum(2)(["abab", "ba"])
    array([[5., 1.],
           [1., 1.]])
    >>> 0.5 * PSpectrum(2) + normalized(PSpectrum(3))
    0.5*spectrum(p=2) + normalized(spectrum(p=3))
    """
    return Kernel(call("spectrum", p=whole(p)))


def _given(value: SupportsFloat | None) -> str | None:
    return None if value is None else real(value)
