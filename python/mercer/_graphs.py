"""Graphs as Python has them, and as the native library takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp


class Graph:
    """An undirected graph without self-loops, with labels of nodes and edges and attributes of nodes where it has them.

    Estimators with a kernel on graphs take lists of these, and of whatever `Graph.of` understands.

    Parameters
    ----------
    edges : sequence of pairs of int
        The nodes that each edge joins; nodes count from 0. A pair given again, in either direction, is the same edge.
    labels : sequence of str, optional
        A label for each node. What is not a text is turned into one.
    nodes : int, optional
        How many nodes; as many as there are labels or rows of attributes, else up to the last node of an edge.
    edge_labels : sequence of str, optional
        A label for each of `edges`.
    attributes : array-like of shape (nodes, n_attributes), optional
        Numbers for each node.

    Examples
    --------
    >>> from mercer import Graph
    >>> Graph([(0, 1), (0, 2)], ["O", "H", "H"])
    Graph(nodes=3, edges=2)
    """

    __slots__ = ("attributes", "edge_labels", "edges", "labels", "nodes")

    def __init__(
        self, edges: Any, labels: Any = None, *, nodes: int | None = None, edge_labels: Any = None, attributes: Any = None
    ) -> None:
        self.edges = [(int(a), int(b)) for a, b in edges]
        self.labels = None if labels is None else [str(label) for label in labels]
        self.edge_labels = None if edge_labels is None else [str(label) for label in edge_labels]
        self.attributes = None if attributes is None else np.ascontiguousarray(attributes, dtype=np.float64)
        if self.attributes is not None and self.attributes.ndim != 2:
            raise ValueError(f"attributes must be a matrix, a row for each node; got shape {self.attributes.shape}")
        if any(node < 0 for edge in self.edges for node in edge):
            raise ValueError("nodes count from 0: an edge names a negative one")
        if nodes is None and self.labels is not None:
            nodes = len(self.labels)
        if nodes is None and self.attributes is not None:
            nodes = len(self.attributes)
        self.nodes = max((max(edge) + 1 for edge in self.edges), default=0) if nodes is None else int(nodes)

    @classmethod
    def of(cls, graph: Any) -> Graph:
        """The graph that an object means.

        Parameters
        ----------
        graph : Graph, networkx.Graph, tuple, scipy sparse matrix or ndarray
            A graph; one of networkx, its nodes and edges with the attribute ``label`` where they have labels; a pair
            ``(edges, labels)``, the labels a sequence, a dictionary by node or None; a symmetric matrix whose entries other
            than zero are edges.

        Returns
        -------
        graph : Graph
            The graph.

        Examples
        --------
        >>> from mercer import Graph
        >>> Graph.of(([(0, 1)], ["a", "b"]))
        Graph(nodes=2, edges=1)
        """
        if isinstance(graph, cls):
            return graph
        if hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed"):
            return _of_networkx(graph)
        if sp.issparse(graph) or isinstance(graph, np.ndarray):
            return _of_matrix(graph)
        if isinstance(graph, tuple) and len(graph) == 2:
            return _of_pair(*graph)
        raise TypeError(
            f"a graph is a mercer.Graph, a graph of networkx, a pair (edges, labels) or a symmetric matrix, not {type(graph).__name__}"
        )

    def __repr__(self) -> str:
        return f"Graph(nodes={self.nodes}, edges={len(self.edges)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and _comparable(self) == _comparable(other)

    def __hash__(self) -> int:
        return hash((self.nodes, len(self.edges)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.edges, self.labels, self.nodes, self.edge_labels, self.attributes)

    def _native(self) -> tuple[Any, ...]:
        """As the native library takes it."""
        return self.nodes, self.edges, self.labels, self.edge_labels, self.attributes

    @classmethod
    def _taken(cls, parts: tuple[Any, ...]) -> Graph:
        """As the native library gives it."""
        nodes, edges, labels, edge_labels, attributes = parts
        return cls(edges, labels, nodes=nodes, edge_labels=edge_labels, attributes=attributes)


def _restored(edges: Any, labels: Any, nodes: int, edge_labels: Any, attributes: Any) -> Graph:
    return Graph(edges, labels, nodes=nodes, edge_labels=edge_labels, attributes=attributes)


def _comparable(graph: Graph) -> tuple[Any, ...]:
    """What two graphs that are the same have in common, whichever way their edges are listed."""
    labels = graph.edge_labels or [""] * len(graph.edges)
    edges = {(min(edge), max(edge)): label for edge, label in zip(graph.edges, labels, strict=True)}
    attributes = None if graph.attributes is None else graph.attributes.tolist()
    return graph.nodes, sorted(edges.items()), graph.labels, attributes


def _of_networkx(graph: Any) -> Graph:
    if graph.is_directed():
        raise ValueError("a directed graph of networkx: kernels are on undirected graphs; see its to_undirected()")
    place = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(place[a], place[b]) for a, b in graph.edges()]

    def labels(data: Any, what: str) -> Any:
        found = [attributes.get("label") for *_, attributes in data]
        if all(label is None for label in found):
            return None
        if any(label is None for label in found):
            raise ValueError(f"some {what} of a graph have a label and some have none")
        return found

    return Graph(
        edges, labels(graph.nodes(data=True), "nodes"), nodes=len(place), edge_labels=labels(graph.edges(data=True), "edges")
    )


def _of_matrix(matrix: Any) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a graph as a matrix must be square; got shape {matrix.shape}")
    entries = sp.coo_array(matrix)
    entries.eliminate_zeros()
    edges = set(zip(entries.coords[0].tolist(), entries.coords[1].tolist(), strict=True))
    for a, b in sorted(edges):
        if (b, a) not in edges:
            raise ValueError(f"a graph as a matrix must be symmetric; entry ({a}, {b}) has no partner ({b}, {a})")
    return Graph(sorted((a, b) for a, b in edges if a <= b), nodes=matrix.shape[0])


def _of_pair(edges: Any, labels: Any) -> Graph:
    if isinstance(labels, Mapping):
        place = {node: i for i, node in enumerate(labels)}
        missing = next((node for edge in edges for node in edge if node not in place), None)
        if missing is not None:
            raise ValueError(f"an edge names the node {missing!r}, which has no label")
        return Graph([(place[a], place[b]) for a, b in edges], list(labels.values()))
    return Graph(edges, labels)
