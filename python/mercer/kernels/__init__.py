"""Kernels: functions k(x, y) that are inner products in some feature space.

A kernel is an expression. Named kernels are joined by ``+``, ``*`` and ``**``, by `exp`, `normalized` and `centered`, and see
points through feature maps by ``@``. Whatever is built that way is a kernel again, so that an expression knows without looking
at data whether it is positive semi-definite (`Kernel.definite`).

A kernel is data: it prints, reads back, compares, hashes and pickles. The text is the same as on the command line and in
model files. It is also a function: ``k(X, Y)`` is the Gram matrix, so that it can be the ``kernel`` of scikit-learn's own
estimators.

Examples
--------
>>> from mercer.kernels import RBF, Poly, columns, parse
>>> k = 0.5 * RBF(0.1) + Poly(2) @ columns(1, 3)
>>> k
0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=0) @ columns(1, 3)
>>> parse(str(k)) == k
True
>>> k([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
array([[100.5       ,   0.16643554],
       [  0.16643554,   0.5       ]])
"""

from mercer.kernels._kernel import Definite, Kernel, centered, exp, normalized, parse
from mercer.kernels._leaves import (
    RBF, Constant, Cosine, Factor, Gaussian, Intersection, Laplace, Linear, Matern, Plummer, Poly, Precomputed,
    RationalQuadratic, Tanh,
)
from mercer.kernels._maps import Map, columns, gaussians, matrix, monomials, sigmoids
from mercer.kernels._structured import (
    BestMatch, BoundedRange, Edges, Graphlet, Mismatch, Propagation, PSpectrum, PyramidMatch, RandomWalk, SetMean, ShortestPath,
    Subsequence, Vertices, WeightedDegree, WeisfeilerLehman,
)
from mercer.kernels._validity import Spectrum, Validity, Witness, check, median_gamma, spectrum

__all__ = [
    "RBF", "BestMatch", "BoundedRange", "Constant", "Cosine", "Definite", "Edges", "Factor", "Gaussian", "Graphlet",
    "Intersection", "Kernel", "Laplace", "Linear", "Map", "Matern", "Mismatch", "PSpectrum", "Plummer", "Poly",
    "Precomputed", "Propagation", "PyramidMatch", "RandomWalk", "RationalQuadratic", "SetMean", "ShortestPath", "Spectrum",
    "Subsequence", "Tanh", "Validity", "Vertices", "WeightedDegree", "WeisfeilerLehman", "Witness", "centered", "check",
    "columns", "exp", "gaussians", "matrix", "median_gamma", "monomials", "normalized", "parse", "sigmoids", "spectrum",
]
