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
        A label for each node. What is not a text is turned into one; None, as an empty text, is no label, which matches no
        label.
    nodes : int, optional
        How many nodes; as many as there are labels or rows of attributes, else up to the last node of an edge.
    edge_labels : sequence of str, optional
        A label for each of `edges`, as those of nodes.
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
        self.edges = [(_node(a), _node(b)) for a, b in edges]
        own, of_edges = _texts(labels), _texts(edge_labels)
        self.labels, self.edge_labels = _unless_empty(own), _unless_empty(of_edges)
        self.attributes = None if attributes is None else np.ascontiguousarray(attributes, dtype=np.float64)
        if self.attributes is not None and self.attributes.ndim != 2:
            raise ValueError(f"attributes must be a matrix, a row for each node; got shape {self.attributes.shape}")
        if any(node < 0 for edge in self.edges for node in edge):
            raise ValueError("nodes count from 0: an edge names a negative one")
        if nodes is None and own is not None:
            nodes = len(own)
        if nodes is None and self.attributes is not None:
            nodes = len(self.attributes)
        self.nodes = max((max(edge) + 1 for edge in self.edges), default=0) if nodes is None else int(nodes)
        if own is not None and len(own) != self.nodes:
            raise ValueError(f"{len(own)} labels for {self.nodes} nodes")
        if of_edges is not None and len(of_edges) != len(self.edges):
            raise ValueError(f"{len(of_edges)} labels for {len(self.edges)} edges")
        if self.attributes is not None and len(self.attributes) != self.nodes:
            raise ValueError(f"{len(self.attributes)} rows of attributes for {self.nodes} nodes")

    @classmethod
    def of(cls, graph: Any, *, label: str = "label", edge_label: str = "label") -> Graph:
        """The graph that an object means.

        Parameters
        ----------
        graph : Graph, networkx.Graph, tuple, scipy sparse matrix or ndarray
            A graph; one of networkx; a symmetric matrix whose entries other than zero are edges; a pair of edges, or such a
            matrix, and labels: a sequence, a dictionary by node or None. In a pair an ndarray is a matrix where it is square and
            has as many rows as there are labels, else it has an edge in each row.
        label : str, default="label"
            The attribute of the nodes of a graph of networkx that is their label. Estimators read this one; where the labels have
            another name, give them ``[Graph.of(graph, label="atom") for graph in graphs]``.
        edge_label : str, default="label"
            The attribute of its edges that is theirs.

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
            return _of_networkx(graph, label, edge_label)
        if sp.issparse(graph) or isinstance(graph, np.ndarray):
            return _of_matrix(graph, None)
        if isinstance(graph, tuple) and len(graph) == 2:
            return _of_pair(*graph)
        raise TypeError(
            f"a graph is a mercer.Graph, a graph of networkx, a pair (edges, labels) or (matrix, labels), or a symmetric matrix, not {type(graph).__name__}"
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


def _node(value: Any) -> int:
    """A node as a whole number."""
    number = int(value)
    if number != value:
        raise ValueError(f"an edge names the node {value!r}; nodes are whole numbers from 0")
    return number


def _texts(labels: Any) -> list[str] | None:
    return None if labels is None else ["" if label is None else str(label) for label in labels]


def _unless_empty(labels: list[str] | None) -> list[str] | None:
    """None where no label says anything."""
    return labels if labels is not None and any(labels) else None


def _restored(edges: Any, labels: Any, nodes: int, edge_labels: Any, attributes: Any) -> Graph:
    return Graph(edges, labels, nodes=nodes, edge_labels=edge_labels, attributes=attributes)


def _comparable(graph: Graph) -> tuple[Any, ...]:
    """What two graphs that are the same have in common, whichever way their edges are listed."""
    labels = graph.edge_labels or [""] * len(graph.edges)
    edges = {(min(edge), max(edge)): label for edge, label in zip(graph.edges, labels, strict=True)}
    attributes = None if graph.attributes is None else graph.attributes.tolist()
    return graph.nodes, sorted(edges.items()), graph.labels, attributes


def _of_networkx(graph: Any, label: str, edge_label: str) -> Graph:
    if graph.is_directed():
        raise ValueError("a directed graph of networkx: kernels are on undirected graphs; see its to_undirected()")
    place = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(place[a], place[b]) for a, b in graph.edges()]

    def labels(data: Any, name: str, what: str) -> Any:
        found = [attributes.get(name) for *_, attributes in data]
        if all(value is None for value in found):
            return None
        if any(value is None for value in found):
            raise ValueError(f"some {what} of a graph have a {name} and some have none")
        return found

    own = labels(graph.nodes(data=True), label, "nodes")
    return Graph(edges, own, nodes=len(place), edge_labels=labels(graph.edges(data=True), edge_label, "edges"))


def _of_matrix(matrix: Any, labels: Any) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a graph as a matrix must be square; got shape {matrix.shape}")
    entries = sp.coo_array(matrix)
    entries.eliminate_zeros()
    if entries.data.dtype.kind in "fc" and not np.isfinite(entries.data).all():
        at = int(np.flatnonzero(~np.isfinite(entries.data))[0])
        raise ValueError(f"entry ({entries.coords[0][at]}, {entries.coords[1][at]}) of a graph as a matrix is not finite")
    edges = set(zip(entries.coords[0].tolist(), entries.coords[1].tolist(), strict=True))
    for a, b in sorted(edges):
        if (b, a) not in edges:
            raise ValueError(f"a graph as a matrix must be symmetric; entry ({a}, {b}) has no partner ({b}, {a})")
    nodes = matrix.shape[0]
    if isinstance(labels, Mapping):
        labels = [labels.get(node) for node in range(nodes)]
    return Graph(sorted((a, b) for a, b in edges if a <= b), labels, nodes=nodes)


def _of_pair(edges: Any, labels: Any) -> Graph:
    if sp.issparse(edges) or (isinstance(edges, np.ndarray) and edges.ndim == 2 and edges.shape[0] == edges.shape[1]):
        if sp.issparse(edges) or labels is None or len(labels) == len(edges):
            return _of_matrix(edges, labels)
    if isinstance(labels, Mapping):
        place = {node: i for i, node in enumerate(labels)}
        missing = next((node for edge in edges for node in edge if node not in place), None)
        if missing is not None:
            raise ValueError(f"an edge names the node {missing!r}, which has no label")
        return Graph([(place[a], place[b]) for a, b in edges], list(labels.values()))
    return Graph(edges, labels)
