"""Kernels on graphs and texts: mercer's values beside those of peers. Run by `cargo xtask structured values`.

Where a peer's definition is ours, its Gram is compared as it is. Where it is another one, the difference is known, and the peer's
values are compared with what ours become by it; `docs/graphs.md` says why:

- GraKeL's shortest paths count each pair of nodes in both directions: paths between different labels count twice, paths between equal
  labels four times. Both sides are compared with paths counted here, from SciPy's distances.
- GraKeL's labelled walks begin at all n·n' pairs of nodes, ours at those of one label: theirs is ours + n·n' − `vertices`. That is
  its `baseline`, on the smallest graphs; its `fast` does not agree with it beyond 1e-4.
- GraKeL's graphlets miss some connected sets (39 of the 43 with four nodes in the first graph of MUTAG), and of those it finds it counts
  one too many of each type that an earlier graph had too: no values to compare with. They are counted here.
- GraKeL's histogram of edges does not look at the labels of their ends; graphs without labels of nodes are compared.

graphkernels (C++) is compared where `MERCER_GRAPHKERNELS` names a Python that has it (bench/README.md). Its graphlets of five nodes
are other numbers than those of the definition.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import permutations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

import structured_peer
from structured_data import Graph, gram, graphs, texts, without_node_labels
from table import table

SETS = ("MUTAG", "PTC", "ENZYMES", "NCI1")
SMALLEST = 25
#: Counts are whole numbers and must be the same, but for the rounding of a square root.
EXACT = 1e-12
#: GraKeL's walks end at this residual.
ITERATED = 1e-6


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """The largest |a − b| over the larger of the two."""
    scale = np.maximum(np.abs(a), np.abs(b))
    return float((np.abs(a - b) / np.where(scale > 0.0, scale, 1.0)).max())


def cosine(k: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.diag(k))
    scale = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0.0)
    return k * scale * scale[:, None]


def products(counts: Iterable[Counter]) -> np.ndarray:
    """The inner products of counts."""
    columns: dict[object, int] = {}
    rows, places, values = [], [], []
    number = 0
    for number, counter in enumerate(counts, 1):
        for key, count in counter.items():
            rows.append(number - 1)
            places.append(columns.setdefault(key, len(columns)))
            values.append(float(count))
    x = csr_matrix((values, (rows, places)), shape=(number, len(columns)))
    return (x @ x.T).toarray()


def paths(graph: Graph, *, both: bool) -> Counter:
    """The shortest paths by labels and length, each in both directions or once."""
    edges, nodes, _ = graph
    names = sorted(nodes)
    number = {node: i for i, node in enumerate(names)}
    ends = np.array([(number[a], number[b]) for a, b in edges]).reshape(-1, 2)
    near = csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(names), len(names)))
    length, found = shortest_path(near, unweighted=True), Counter()
    for i, j in zip(*np.nonzero(np.isfinite(length))):
        if i != j and (both or i < j):
            label = nodes[names[i]], nodes[names[j]]
            found[label if both else tuple(sorted(label)), int(length[i, j])] += 1
    return found


@cache
def kind(k: int, edges: frozenset[tuple[int, int]]) -> tuple:
    """A graph of k nodes as the least of its forms under all orders of the nodes."""
    return min(
        tuple(sorted(tuple(sorted((order[a], order[b]))) for a, b in edges)) for order in permutations(range(k))
    )


def graphlets(graph: Graph, k: int) -> Counter:
    """The connected sets of k nodes, grown node by node, by the graphs that they induce."""
    edges, nodes, _ = graph
    near: dict[int, set[int]] = {node: set() for node in nodes}
    for a, b in edges:
        near[a].add(b)
    grown = {frozenset([node]) for node in nodes}
    for _ in range(k - 1):
        grown = {chosen | {new} for chosen in grown for node in chosen for new in near[node] - chosen}

    def induced(chosen: frozenset[int]) -> tuple:
        names = sorted(chosen)
        return kind(k, frozenset((i, j) for j in range(k) for i in range(j) if names[i] in near[names[j]]))

    return Counter(map(induced, grown))


def values(chosen: Sequence[str]) -> bool:
    """Prints the table; whether all values agree."""
    import grakel

    rows: list[list[str]] = []
    good = True

    def add(what: str, peer: str, theirs: Callable[[], np.ndarray], mine: Callable[[], np.ndarray], limit: float = EXACT) -> None:
        nonlocal good
        if chosen and not any(word in f"{what} {peer}" for word in chosen):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            off = difference(np.asarray(theirs()), mine())
        good &= off <= limit
        rows.append([what, peer, f"{off:.1e}", f"{limit:.0e}", "yes" if off <= limit else "NO"])
        print(*rows[-1], flush=True)

    for name in SETS:
        of, folder = graphs(name), f"graphs/{name}"
        add(f"wl(h=5), {name}", "GraKeL",
            lambda: grakel.WeisfeilerLehman(n_iter=5, base_graph_kernel=grakel.VertexHistogram).fit_transform(of),
            lambda: gram("wl(h=5)", folder))
        add(f"vertices, {name}", "GraKeL", lambda: grakel.VertexHistogram().fit_transform(of), lambda: gram("vertices", folder))
        add(f"path, {name}", "paths counted once", lambda: products(paths(graph, both=False) for graph in of),
            lambda: gram("path", folder))
        add(f"paths in both directions, {name}", "GraKeL", lambda: grakel.ShortestPath(with_labels=True).fit_transform(of),
            lambda: products(paths(graph, both=True) for graph in of))
        bare = without_node_labels(name, of)
        add(f"4*path, no labels, {name}", "GraKeL", lambda: grakel.ShortestPath(with_labels=False).fit_transform(of),
            lambda: gram("4*path", bare))
        add(f"4*edges, no labels of nodes, {name}", "GraKeL", lambda: grakel.EdgeHistogram().fit_transform(of),
            lambda: gram("4*edges", bare))
        if name in ("MUTAG", "PTC"):
            add(f"walk, {name}", "GraKeL", lambda: grakel.RandomWalk(lamda=0.01, method_type="fast").fit_transform(of),
                lambda: gram("walk(lambda=0.01)", folder), ITERATED)
            sizes = np.array([len(graph[1]) for graph in of], dtype=float)
            small = np.argsort(sizes, kind="stable")[:SMALLEST]
            few, part = [of[i] for i in small], np.ix_(small, small)
            add(f"walk(kind=exponential), {SMALLEST} of {name}", "GraKeL",
                lambda: grakel.RandomWalk(lamda=0.01, kernel_type="exponential", method_type="baseline").fit_transform(few),
                lambda: gram("walk(lambda=0.01, kind=exponential)", folder)[part])
            add(f"walk(labels=nodes) + n n' - vertices, {SMALLEST} of {name}", "GraKeL",
                lambda: grakel.RandomWalkLabeled(lamda=0.01, method_type="baseline").fit_transform(few),
                lambda: gram("walk(lambda=0.01, labels=nodes)", folder)[part] + np.outer(sizes, sizes)[part]
                - gram("vertices", folder)[part])
        for k in (3, 4, 5) if name in ("MUTAG", "PTC") else ():
            add(f"graphlet(k={k}), {name}", "graphlets counted", lambda: products(graphlets(graph, k) for graph in of),
                lambda: gram(f"graphlet(k={k})", folder))
        if structured_peer.PYTHON:
            # It fails at graphs that have no graphlet.
            small = [(f"graphlet{k}", f"graphlet(k={k})") for k in (3, 4)] if name == "MUTAG" else []
            for peer, kernel in [("wl", "wl(h=5)"), *small]:
                add(f"normalized({kernel}), {name}", "graphkernels", lambda: cosine(structured_peer.run(name, peer)[1]),
                    lambda: gram(f"normalized({kernel})", folder))
    for data, p in (("strings/sms_spam.tsv.gz", 4), ("strings/celegans_acceptor.tsv.gz", 5)):
        def words(points: list[str] = texts(data), p: int = p) -> np.ndarray:
            return products(Counter(text[i : i + p] for i in range(len(text) - p + 1)) for text in points)

        add(f"spectrum(p={p}), {data}", "words counted", words, lambda: gram(f"spectrum(p={p})", data))
    print(table(["kernel", "peer", "largest relative difference", "limit", "agrees"], rows))
    return good
