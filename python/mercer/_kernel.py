"""What the parameters kernel, gamma, degree and coef0 of scikit-learn mean."""

from __future__ import annotations

from typing import Any

from mercer import _mercer
from mercer.kernels import Kernel

#: Names that go with gamma, degree and coef0.
NAMES = ("linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "chi2", "cosine", "precomputed")


def native(kernel: Any) -> Any:
    """The native kernel of an object or of a text in the library's form; None for a name or a callable."""
    if isinstance(kernel, Kernel):
        return kernel._native
    if isinstance(kernel, str) and kernel not in NAMES:
        return _mercer.Kernel(kernel)
    return None


def kind(kernel: Any) -> str:
    """What X is to a kernel: "vectors", "texts", "graphs" or "sets", by its space; kernel "values"; the arguments of a "function"."""
    if isinstance(kernel, str) and kernel in NAMES:
        return "values" if kernel == "precomputed" else "vectors"
    if isinstance(kernel, Kernel):
        return kernel._native.space
    if isinstance(kernel, str):
        try:
            return _mercer.Kernel(kernel).space
        except ValueError:
            # Refused when it is fitted.
            return "vectors"
    return "function" if callable(kernel) else "vectors"


def resolved(
    kernel: Any, gamma: Any, degree: float, coef0: float, points: _mercer.Points, weights: Any
) -> tuple[_mercer.Kernel | None, Any]:
    """The native kernel that the parameters mean for these points, None where there is none; and the number gamma."""
    if not isinstance(kernel, str) or kernel not in NAMES:
        return native(kernel), gamma
    if kernel in ("linear", "cosine", "precomputed"):
        return _mercer.Kernel(kernel), gamma
    number = gamma_of(gamma, points, weights)
    return named(kernel, number, degree, coef0), number


def named(name: str, gamma: float, degree: float, coef0: float) -> _mercer.Kernel | None:
    """The kernel of a name of scikit-learn's; None where it is none of ours.

    A slope of 0 and a power of 0, which scikit-learn allows, make constants.
    """
    polynomial, slope, constant = name.startswith("poly"), float(gamma), float(coef0)
    if gamma == 0.0:
        if name == "sigmoid" or (polynomial and coef0 < 0.0):
            return None
        return _mercer.Kernel(repr(constant**degree) if polynomial else "1")
    if polynomial and (degree == 0 or not float(degree).is_integer()):
        return _mercer.Kernel("1") if degree == 0 else None
    text = {
        "rbf": f"rbf(gamma={slope!r})",
        "sigmoid": f"tanh(gamma={slope!r}, coef0={constant!r})",
        "laplacian": f"laplace(gamma={slope!r})",
        "chi2": f"gaussian(metric=chi2, sigma={(2.0 * slope) ** -0.5!r})",
    }.get(name, f"poly(degree={int(degree)}, gamma={slope!r}, coef0={constant!r})")
    return _mercer.Kernel(text)


def gamma_of(gamma: Any, points: _mercer.Points, weights: Any) -> float:
    """The number that gamma means: 1/(columns · variance) for "scale", 1/columns for "auto" and None.

    The variance is that of the weighted rows, so that a weight is the same as so many copies.
    """
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return 1.0 / points.columns
    if isinstance(gamma, str):
        variance = points.variance(weights)
        if not variance < float("inf"):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The variance of the input data overflows: it may"
                " contain large values and need to be preprocessed."
            )
        return 1.0 / (points.columns * variance) if variance != 0.0 else 1.0
    return float(gamma)
