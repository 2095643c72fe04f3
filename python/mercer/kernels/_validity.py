"""Whether a kernel is one on given data, and its spectrum there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer import _mercer
from mercer._docs import documented
from mercer.kernels._kernel import Definite, Kernel
from mercer.kernels._rows import rows

_DEFINITE = {
    "psd": "positive semi-definite",
    "psd on non-negative": "positive semi-definite on non-negative features",
    "unknown": "unknown",
}
_VERDICT = {
    "psd": "positive semi-definite on this data",
    "indefinite": "indefinite",
    "asymmetric": "not symmetric",
}


@dataclass(frozen=True, eq=False)
class Witness:
    """Coefficients that prove a Gram matrix K indefinite.

    Attributes
    ----------
    coefficients : ndarray of shape (n,)
        c, of unit norm, one for each row looked at.
    value : float
        cᵀKc < 0, summed anew from kernel values.

    Examples
    --------
    >>> from mercer.kernels import Tanh, check
    >>> check(Tanh(1, -1), [[0.5], [1.0], [3.0]]).witness.value < 0
    True
    """

    coefficients: NDArray[np.float64]
    value: float


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The empirical Mercer spectrum, which estimates k(x, y) = Σ μᵢ φᵢ(x) φᵢ(y).

    Attributes
    ----------
    eigenvalues : ndarray of shape (n,)
        μ: the eigenvalues of K/n, descending.

    Examples
    --------
    >>> from mercer.kernels import Linear, spectrum
    >>> spectrum(Linear(), [[1.0, 0.0], [0.0, 2.0]]).eigenvalues
    array([2. , 0.5])
    """

    eigenvalues: NDArray[np.float64]
    _found: _mercer.Validity = field(repr=False)

    @documented
    def eigenfunctions(self, X: Any) -> NDArray[np.float64]:
        """The functions φᵢ at points. They are orthonormal over the rows that the spectrum was computed on.

        Returns
        -------
        ndarray of shape (n, n_functions)
            Those of the first eigenvalues that are positive beyond rounding.

        >>> from mercer.kernels import Linear, spectrum
        >>> found = spectrum(Linear(), [[1.0, 0.0], [0.0, 2.0]])
        >>> abs(found.eigenfunctions([[0.0, 1.0]])).round(6) + 0
        array([[0.707107, 0.      ]])
        """
        functions: NDArray[np.float64] = self._found.eigenfunctions(rows(X))
        return functions.T


@dataclass(frozen=True, eq=False)
class Validity:
    """What `check` found. Failing is proof; passing says nothing of other data.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    definite : {"psd", "psd on non-negative", "unknown"}
        What it claims by construction.
    verdict : {"psd", "indefinite", "asymmetric"}
        What the data say.
    rows : ndarray of int
        The rows looked at.
    of : int
        How many rows there are.
    asymmetry : float
        The largest \\|Kᵢⱼ − Kⱼᵢ\\|.
    smallest, largest : float
        Eigenvalues of K.
    tolerance : float
        Eigenvalues down to minus this are zero to rounding.
    witness : Witness or None
        The proof, where the verdict is "indefinite".
    spectrum : Spectrum
        The Mercer spectrum.

    Examples
    --------
    >>> from mercer.kernels import RBF, check
    >>> bool(check(RBF(1), [[0.0], [1.0]]))
    True
    """

    kernel: Kernel
    definite: Definite
    verdict: Literal["psd", "indefinite", "asymmetric"]
    rows: NDArray[np.int64]
    of: int
    asymmetry: float
    smallest: float
    largest: float
    tolerance: float
    witness: Witness | None
    spectrum: Spectrum

    def __bool__(self) -> bool:
        """Whether the Gram matrix is symmetric and positive semi-definite."""
        return self.verdict == "psd"

    def __repr__(self) -> str:
        sample = f" of {self.of}" if len(self.rows) < self.of else ""
        lines = [
            ("by construction", _DEFINITE[self.definite]),
            (f"on {len(self.rows)}{sample} rows", _VERDICT[self.verdict]),
            ("smallest eigenvalue", f"{self.smallest:.6g}"),
        ]
        if self.verdict == "asymmetric":
            lines.append(("asymmetry", f"{self.asymmetry:.6g}"))
        if self.witness is not None:
            lines.append(("witness", f"cᵀKc = {self.witness.value:.6g}"))
        first = ", ".join(f"{value:.4g}" for value in self.spectrum.eigenvalues[:5])
        more = ", …" if len(self.spectrum.eigenvalues) > 5 else ""
        lines.append(("Mercer spectrum", first + more))
        return "\n".join([str(self.kernel), *(f"  {name:<21} {value}" for name, value in lines)])


@documented
def check(kernel: Kernel, X: Any, *, max_rows: int = 2000, n_functions: int = 10) -> Validity:
    """Checks a kernel on data: is it symmetric, is it positive semi-definite, what is its spectrum.

    Returns
    -------
    Validity
        What was found.

    >>> from mercer.kernels import Tanh, check
    >>> check(Tanh(1, -1), [[0.5], [1.0], [3.0]])
    tanh(gamma=1, coef0=-1)
      by construction       unknown
      on 3 rows             indefinite
      smallest eigenvalue   -1.25036
      witness               cᵀKc = -1.25036
      Mercer spectrum       0.5326, 0.005843, -0.4168
    """
    found = kernel._native.check(rows(X, kernel._native), max_rows, n_functions)
    facts = found.facts()
    eigenvalues, *proof = (facts.pop(name) for name in ("eigenvalues", "coefficients", "value"))
    witness = None if proof[1] is None else Witness(*proof)
    return Validity(kernel=kernel, witness=witness, spectrum=Spectrum(eigenvalues, found), **facts)


@documented
def spectrum(kernel: Kernel, X: Any, *, max_rows: int = 2000, n_functions: int = 10) -> Spectrum:
    """The empirical Mercer spectrum of a kernel on data; `check` has it too.

    Returns
    -------
    Spectrum
        The spectrum.

    >>> from mercer.kernels import Linear, spectrum
    >>> spectrum(Linear(), [[1.0], [2.0], [2.0]]).eigenvalues.round(6) + 0
    array([3., 0., 0.])
    """
    return check(kernel, X, max_rows=max_rows, n_functions=n_functions).spectrum


@documented
def median_gamma(X: Any) -> float:
    """γ = 1/median ‖x − y‖² over pairs of different rows: the usual first guess for `RBF`.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n, n_features)
        Points; of many, 500 spread evenly are looked at.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        If all rows are the same.

    >>> from mercer.kernels import RBF, median_gamma
    >>> RBF(median_gamma([[0.0], [1.0], [2.0]]))
    rbf(gamma=1)
    """
    gamma = _mercer.median_gamma(rows(X))
    if gamma is None:
        raise ValueError("all rows are the same: there is no distance to take the median of")
    return float(gamma)
