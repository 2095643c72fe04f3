"""The named kernels on texts, graphs and sets of vectors. Formulas and the domains of numbers are those of the library's records."""

from __future__ import annotations

from typing import Literal, SupportsFloat, SupportsIndex

from mercer.kernels._kernel import Kernel
from mercer.kernels._leaves import recorded
from mercer.kernels._text import call, real, whole, word

Unit = Literal["char", "byte", "word"]


def _unit(unit: str) -> str | None:
    """The argument of a unit that is not the usual one."""
    return None if unit == "char" else word(unit)


@recorded("spectrum")
def PSpectrum(p: SupportsIndex = 3, *, unit: Unit = "char") -> Kernel:
    """The p-spectrum kernel of two texts.

    Parameters
    ----------
    unit : {"char", "byte", "word"}, default="char"
        What a text is a sequence of.

    >>> from mercer.kernels import PSpectrum, normalized
    >>> PSpectrum(2)(["abab", "ba"])
    array([[5., 1.],
           [1., 1.]])
    >>> 0.5 * PSpectrum(2) + normalized(PSpectrum(3))
    0.5*spectrum(p=2) + normalized(spectrum(p=3))
    """
    return Kernel(call("spectrum", p=whole(p), unit=_unit(unit)))


@recorded("range")
def BoundedRange(p: SupportsIndex = 3, *, unit: Unit = "char") -> Kernel:
    """The spectrum kernels of all lengths up to p together.

    Parameters
    ----------
    unit : {"char", "byte", "word"}, default="char"
        What a text is a sequence of.

    >>> BoundedRange(2)(["ab"], ["abab"])
    array([[6.]])
    """
    return Kernel(call("range", p=whole(p), unit=_unit(unit)))


@recorded("mismatch")
def Mismatch(
    p: SupportsIndex = 5, m: SupportsIndex = 1, alphabet: SupportsIndex = 20, *, unit: Unit = "char"
) -> Kernel:
    """Words that differ in some places match too.

    Parameters
    ----------
    unit : {"char", "byte", "word"}, default="char"
        What a text is a sequence of.

    >>> Mismatch(2, 1, alphabet=4)(["ACA"], ["AG"])
    array([[6.]])
    """
    return Kernel(call("mismatch", p=whole(p), m=whole(m), alphabet=whole(alphabet), unit=_unit(unit)))


@recorded("degree")
def WeightedDegree(d: SupportsIndex = 5, shift: SupportsIndex = 0, *, unit: Unit = "char") -> Kernel:
    """The weighted degree kernel: words at the same place, or nearly.

    Parameters
    ----------
    unit : {"char", "byte", "word"}, default="char"
        What a text is a sequence of.

    >>> from mercer.kernels import WeightedDegree
    >>> round(float(WeightedDegree(2)("ACGT", "ACTT")), 12)
    2.333333333333
    """
    return Kernel(call("degree", d=whole(d), shift=whole(shift), unit=_unit(unit)))


@recorded("subsequence")
def Subsequence(
    p: SupportsIndex = 4, decay: SupportsFloat = 0.5, *, lengths: Literal["exact", "all"] = "exact", unit: Unit = "char"
) -> Kernel:
    """Common subsequences, with gaps at a price.

    Parameters
    ----------
    decay : float, default=0.5
        λ in (0, 1], the price of each letter that a subsequence spans; ``lambda`` in a text.
    lengths : {"exact", "all"}, default="exact"
        Whether subsequences have p units, or 1 to p.
    unit : {"char", "byte", "word"}, default="char"
        What a text is a sequence of.

    >>> from mercer.kernels import Subsequence, normalized
    >>> round(float(normalized(Subsequence(2))("car", "cat")), 12)
    0.444444444444
    """
    chosen = None if lengths == "exact" else word(lengths)
    given = {"p": whole(p), "lambda": real(decay), "lengths": chosen, "unit": _unit(unit)}
    return Kernel(call("subsequence", **given))


@recorded("vertices")
def Vertices() -> Kernel:
    """The histograms of the labels of nodes.

    >>> from mercer import Graph
    >>> from mercer.kernels import Vertices
    >>> Vertices()(Graph([(0, 1)], ["C", "O"]), Graph([(0, 1)], ["C", "C"]))
    np.float64(2.0)
    """
    return Kernel("vertices")


@recorded("edges")
def Edges() -> Kernel:
    """The histograms of the labels of edges and their ends.

    >>> from mercer import Graph
    >>> from mercer.kernels import Edges
    >>> Edges()(Graph([(0, 1)], ["C", "O"]), Graph([(1, 0), (1, 2)], ["O", "C", "O"]))
    np.float64(2.0)
    """
    return Kernel("edges")


@recorded("wl")
def WeisfeilerLehman(h: SupportsIndex = 5, *, base: Literal["subtree", "edge", "path"] = "subtree") -> Kernel:
    """Neighbourhoods that two graphs share.

    Parameters
    ----------
    base : {"subtree", "edge", "path"}, default="subtree"
        What is counted in each round: labels, edges by the labels of their ends, or shortest paths.

    >>> from mercer import Graph
    >>> from mercer.kernels import WeisfeilerLehman
    >>> WeisfeilerLehman(1)(Graph([(0, 1), (1, 2), (0, 2)]), Graph([(0, 1), (1, 2)]))
    np.float64(12.0)
    """
    return Kernel(call("wl", h=whole(h), base=word(base)))


@recorded("path")
def ShortestPath(lengths: Literal["delta", "brownian"] = "delta", c: SupportsIndex = 3) -> Kernel:
    """Shortest paths of the same length between nodes of the same labels.

    Parameters
    ----------
    lengths : {"delta", "brownian"}, default="delta"
        Whether lengths must be the same, or count max(0, c − \\|d − d'\\|).

    >>> from mercer import Graph
    >>> from mercer.kernels import ShortestPath
    >>> ShortestPath()(Graph([(0, 1), (1, 2)]), Graph([(0, 1), (1, 2), (2, 3)]))
    np.float64(8.0)
    """
    return Kernel(call("path", lengths=word(lengths), c=whole(c)))


@recorded("graphlet")
def Graphlet(k: SupportsIndex = 3, samples: SupportsIndex = 0, seed: SupportsIndex = 0) -> Kernel:
    """Small subgraphs that two graphs share.

    >>> from mercer import Graph
    >>> from mercer.kernels import Graphlet
    >>> Graphlet(3)(Graph([(0, 1), (1, 2), (0, 2)]), Graph([(0, 1), (1, 2), (0, 2), (2, 3)]))
    np.float64(1.0)
    """
    return Kernel(call("graphlet", k=whole(k), samples=whole(samples), seed=whole(seed)))


@recorded("walk")
def RandomWalk(
    decay: SupportsFloat = 0.01, *, kind: Literal["geometric", "exponential"] = "geometric",
    labels: Literal["no", "nodes", "edges", "both"] = "no",
) -> Kernel:
    """Walks that two graphs share.

    Parameters
    ----------
    decay : float, default=0.01
        λ > 0, the price of a step; ``lambda`` in a text.
    kind : {"geometric", "exponential"}, default="geometric"
        Whether walks of l steps count λˡ or λˡ/l!.
    labels : {"no", "nodes", "edges", "both"}, default="no"
        What must have the same labels along a walk.

    >>> from mercer.kernels import RandomWalk
    >>> RandomWalk(0.1, labels="nodes")
    walk(lambda=0.1, kind=geometric, labels=nodes)
    """
    return Kernel(call("walk", **{"lambda": real(decay), "kind": word(kind), "labels": word(labels)}))


@recorded("propagation")
def Propagation(h: SupportsIndex = 3, width: SupportsFloat = 1.0, seed: SupportsIndex = 0) -> Kernel:
    """Attributes of nodes, spread over their neighbours.

    >>> from mercer.kernels import Propagation
    >>> Propagation(2, width=0.5)
    propagation(h=2, width=0.5, seed=0)
    """
    return Kernel(call("propagation", h=whole(h), width=real(width), seed=whole(seed)))


@recorded("set")
def SetMean(kernel: Kernel) -> Kernel:
    """The mean of a kernel over all pairs of vectors of two sets.

    Parameters
    ----------
    kernel : Kernel
        A kernel on vectors.

    >>> from mercer.kernels import Linear, SetMean
    >>> SetMean(Linear())([[[1.0], [3.0]]], [[[2.0]]])
    array([[4.]])
    """
    return Kernel(f"set({kernel})")


@recorded("bestmatch")
def BestMatch(kernel: Kernel) -> Kernel:
    """Each vector with the one of the other set that is most like it.

    Parameters
    ----------
    kernel : Kernel
        A kernel on vectors.

    >>> from mercer.kernels import BestMatch, Linear
    >>> BestMatch(Linear())([[[1.0], [3.0]]], [[[2.0]]])
    array([[5.]])
    """
    return Kernel(f"bestmatch({kernel})")


@recorded("pyramid")
def PyramidMatch(
    side: SupportsFloat | None = None, levels: SupportsIndex | None = None, shifts: SupportsIndex = 1, seed: SupportsIndex = 0,
    *, weights: Literal["half", "dimension"] = "half",
) -> Kernel:
    """Vectors of two sets that meet in the cells of grids, each coarser than the one before.

    Parameters
    ----------
    side : float, optional
        s > 0, the side of the finest cells. By default it is found from the points that an estimator is fitted to: the largest power of
        two that does not exceed the smallest distance between two vectors, or, where `levels` is given, the smallest for
        which s·2ᴸ covers the data.
    levels : int, optional
        L from 1 to 60: there are grids of sides s·2ⁱ, i < L, and one cell that holds all. By default so many that s·2ᴸ covers the data.
    weights : {"half", "dimension"}, default="half"
        Whether a meeting in grid i weighs 2⁻ⁱ, or that over the number of features.

    >>> from mercer.kernels import PyramidMatch
    >>> round(float(PyramidMatch(side=1, levels=3)([[[0.5], [2.2], [7.5]]], [[[0.9], [3.1]]])[0, 0]), 12)
    1.5
    """
    found = {"side": None if side is None else real(side), "levels": None if levels is None else whole(levels)}
    return Kernel(call("pyramid", **found, shifts=whole(shifts), seed=whole(seed), weights=word(weights)))
