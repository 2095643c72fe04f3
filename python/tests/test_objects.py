"""Graphs and sets of rows as inputs: every estimator takes them with a kernel of their space."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

import mercer
from mercer import Graph, errors, kernels

from .estimators import CLASSES, WITH_KERNELS, of_kernel

NAMES = sorted(WITH_KERNELS)
COUNT, FRESH = 40, 60
SIDE = np.arange(COUNT) % 2


def some_graphs(count: int) -> list[Graph]:
    """Rings and paths of some lengths, their labels drawn from two alphabets that share a letter."""
    random = np.random.default_rng(3)
    found = []
    for i in range(count):
        n = int(random.integers(4, 9))
        edges = [(k, k + 1) for k in range(n - 1)] + [(n - 1, 0)] * (i % 2)
        found.append(Graph(edges, random.choice(list(["abc", "cde"][i % 2]), size=n)))
    return found


def some_sets(count: int) -> list[np.ndarray]:
    random = np.random.default_rng(4)
    return [random.normal(size=(int(random.integers(1, 6)), 3)) + 1.5 * (i % 2) for i in range(count)]


def wl(first: list[Graph], second: list[Graph], rounds: int = 2) -> np.ndarray:
    """Σ count · count over the labels of all rounds, each the text of a label and its neighbours' in order."""

    def labels(graph: Graph) -> Counter:
        names = list(graph.labels)
        beside = [[b if a == node else a for a, b in graph.edges if node in (a, b)] for node in range(graph.nodes)]
        found = Counter((0, name) for name in names)
        for k in range(rounds):
            names = [f"({names[node]}:{','.join(sorted(names[other] for other in near))})" for node, near in enumerate(beside)]
            found.update((k + 1, name) for name in names)
        return found

    one, other = [labels(graph) for graph in first], [labels(graph) for graph in second]
    return np.array([[float(sum(a[u] * b[u] for u in a)) for b in other] for a in one])


def mean(first: list[np.ndarray], second: list[np.ndarray]) -> np.ndarray:
    """The mean of exp(−γ‖x − y‖²) over all pairs."""
    value = lambda a, b: np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(2)).mean()  # noqa: E731
    return np.array([[value(a, b) for b in second] for a in first])


SPACES = {
    "graphs": (some_graphs(COUNT), some_graphs(FRESH)[COUNT:], "wl(h=2)", wl),
    "sets": (some_sets(COUNT), some_sets(FRESH)[COUNT:], "set(rbf(gamma=0.5))", mean),
}
EACH = pytest.mark.parametrize("space", SPACES)


def target(name: str, points: list):
    estimator = CLASSES[name]()
    if name == "KernelCCA":
        return points[::-1]
    if is_classifier(estimator):
        return np.where(SIDE, "one", "other")
    return np.linspace(0.0, 1.0, COUNT) if is_regressor(estimator) or name == "RelevantDimension" else None


def answers(model, x) -> dict[str, np.ndarray]:
    if isinstance(model, mercer.KernelSOM):
        # Distances need k(x, x), which a table of kernel values has of the training rows alone.
        return {"predict": model.predict(x)}
    found = {m: np.asarray(getattr(model, m)(x)) for m in ("predict", "decision_function", "transform") if hasattr(model, m)}
    return found or {"noise_": np.asarray(model.noise_), "denoised_": model.denoised_}


@EACH
@pytest.mark.parametrize("name", NAMES)
def test_objects_are_fitted_as_their_kernel_values(name, space):
    """The same estimator of values written out, one pair after the other, to 1e-6."""
    points, new, kernel, gram = SPACES[space]
    model = of_kernel(name, kernel).fit(points, target(name, points))
    if name == "KernelCCA":
        assert model.transform(new).shape == (20, 2)
        return
    values = of_kernel(name, "precomputed").fit(gram(points, points), target(name, points))
    rows = points if name in ("SVDD", "KernelKMeans") else new
    ours, theirs = answers(model, rows), answers(values, gram(rows, points))
    assert ours.keys() == theirs.keys()
    for method, found in ours.items():
        if found.dtype.kind == "f":
            scale = np.abs(theirs[method]).max()
            np.testing.assert_allclose(found, theirs[method], rtol=0, atol=1e-6 * scale, err_msg=method)
        else:
            assert np.array_equal(found, theirs[method]), method


@EACH
@pytest.mark.parametrize("name", NAMES)
def test_models_of_objects_are_copied_and_written(name, space, tmp_path):
    """By clone, by pickle, and by a model file, which holds the points."""
    points, new, kernel, _ = SPACES[space]
    y = target(name, points)
    model = of_kernel(name, kernels.normalized(kernels.Kernel(kernel))).fit(points, y)
    expected = answers(model, new)
    copies = [clone(model).fit(points, y), pickle.loads(pickle.dumps(model))]
    if name != "RelevantDimension":
        mercer.save(model, tmp_path / "model")
        copies.append(mercer.load(tmp_path / "model"))
    for copy in copies:
        found = answers(copy, new)
        assert all(np.array_equal(found[method], expected[method]) for method in expected)


@EACH
def test_support_vectors_are_objects(space, tmp_path):
    points, _, kernel, _ = SPACES[space]
    model = mercer.SVC(kernel=kernel).fit(points, SIDE)
    mercer.save(model, tmp_path / "model")
    for found in (model.support_vectors_, mercer.load(tmp_path / "model").support_vectors_):
        assert len(found) == len(model.support_)
        assert all(np.array_equal(a, points[i]) if space == "sets" else a == points[i] for a, i in zip(found, model.support_, strict=True))
    assert model.shape_fit_ == (COUNT,) and not hasattr(model, "n_features_in_")


@EACH
def test_searches_scores_and_pipelines_go_over_objects(space):
    points, new, kernel, _ = SPACES[space]
    assert cross_val_score(mercer.SVC(kernel=kernel), points, SIDE, cv=4).mean() > 0.8
    grid = {"kernel": [kernel, f"normalized({kernel})"], "C": [0.1, 1.0]}
    search = GridSearchCV(mercer.SVC(), grid, cv=4).fit(points, SIDE)
    assert search.best_score_ > 0.8 and search.predict(new).shape == (20,)
    assert GridSearchCV(mercer.SVC(kernel=kernels.Kernel(kernel)), {"C": [1.0]}, cv=4).fit(points, SIDE).best_score_ > 0.8
    pipeline = make_pipeline(FunctionTransformer(), mercer.SVC(kernel=kernel)).fit(points, SIDE)
    assert pipeline.score(points, SIDE) > 0.8
    tags = get_tags(mercer.SVC(kernel=kernel)).input_tags
    assert tags.one_d_array and not tags.two_d_array and not tags.string and not tags.sparse


@EACH
@pytest.mark.parametrize("name", NAMES)
def test_objects_and_vectors_are_not_mixed(name, space):
    points, _, kernel, _ = SPACES[space]
    with pytest.raises(ValueError, match=f"X are {space}, and the kernel 'rbf' compares vectors"):
        of_kernel(name, "rbf").fit(points, target(name, points))
    for other in (np.ones((COUNT, 3)), ["text"] * COUNT, [], points[0]):
        with pytest.raises(ValueError, match=f"compares {space}"):
            of_kernel(name, kernel).fit(other, target(name, points))
    if target(name, points) is not None:
        with pytest.raises(ValueError, match="inconsistent"):
            of_kernel(name, kernel).fit(points, target(name, points)[:-1])


def test_the_form_of_a_graph_does_not_matter():
    """Pairs with labels in a list or by node, matrices of numpy and scipy, and graphs of networkx are the same graphs."""
    graphs, k = SPACES["graphs"][0], kernels.Kernel("wl(h=2) + edges")
    expected = k(graphs)
    pairs = [(graph.edges, graph.labels) for graph in graphs]
    named = [([(f"n{a}", f"n{b}") for a, b in g.edges], {f"n{i}": label for i, label in enumerate(g.labels)}) for g in graphs]
    for form in (pairs, named, np.array([*graphs, None], dtype=object)[:-1]):
        assert np.array_equal(k(form), expected)
    bare = kernels.Kernel("wl(h=2)")
    matrices = []
    for graph in graphs:
        matrix = np.zeros((graph.nodes, graph.nodes))
        for a, b in graph.edges:
            matrix[a, b] = matrix[b, a] = 1.0
        matrices.append(matrix)
    expected = bare([Graph(graph.edges, nodes=graph.nodes) for graph in graphs])
    for form in (matrices, [sp.csr_matrix(matrix) for matrix in matrices], [sp.coo_array(matrix) for matrix in matrices]):
        assert np.array_equal(bare(form), expected)
        assert mercer.SVC(kernel=bare).fit(form, SIDE).predict(form).shape == (COUNT,)


def test_graphs_of_networkx():
    networkx = pytest.importorskip("networkx")
    one = networkx.Graph()
    one.add_node("x", label="C")
    one.add_node("y", label=8)
    one.add_edge("x", "y", label="double")
    assert Graph.of(one) == Graph([(0, 1)], ["C", "8"], edge_labels=["double"])
    assert kernels.Kernel("edges")([one], [Graph([(1, 0)], ["8", "C"], edge_labels=["double"])]) == 1.0
    with pytest.raises(ValueError, match="directed"):
        Graph.of(networkx.DiGraph([(0, 1)]))
    two = networkx.Graph([("x", "y", {"bond": 2})])
    networkx.set_node_attributes(two, {"x": "C", "y": "O"}, "atom")
    assert Graph.of(two, label="atom", edge_label="bond") == Graph([(0, 1)], ["C", "O"], edge_labels=["2"])
    one.add_node("z")
    with pytest.raises(ValueError, match="some nodes of a graph have a label and some have none"):
        Graph.of(one)


def test_a_matrix_may_have_labels_beside_it():
    matrix = np.array([[0, 1], [1, 0]])
    expected = Graph([(0, 1)], ["a", "b"])
    for form in ((matrix, ["a", "b"]), (sp.csr_array(matrix), ["a", "b"]), (matrix, {1: "b", 0: "a"})):
        assert Graph.of(form) == expected
    # Two edges of three nodes.
    assert Graph.of((np.array([[0, 1], [1, 2]]), "abc")) == Graph([(0, 1), (1, 2)], "abc")


def test_parts_that_make_no_graph_are_refused():
    nan = np.array([[0.0, np.nan], [np.nan, 0.0]])
    for make, rule in [
        (lambda: Graph([(0.7, 1.2)]), "names the node 0.7"),
        (lambda: Graph([(0, 1)], edge_labels=["s", "d"]), "2 labels for 1 edges"),
        (lambda: Graph([(0, 1)], "abc", nodes=2), "3 labels for 2 nodes"),
        (lambda: Graph([(0, 1)], attributes=np.ones((3, 1)), nodes=2), "3 rows of attributes for 2 nodes"),
        (lambda: Graph.of(nan), r"entry \(0, 1\) .* not finite"),
        (lambda: Graph.of(sp.csr_array(nan)), r"entry \(0, 1\) .* not finite"),
    ]:
        with pytest.raises(ValueError, match=rule):
            make()


def test_no_label_is_none():
    assert Graph([(0, 1)], [None, None]) == Graph([(0, 1)])
    assert Graph([(0, 1)], ["a", None]).labels == ["a", ""]
    assert kernels.Kernel("vertices")([Graph([], ["a", None])], [Graph([], nodes=2)]) == 2.0


def test_graphs_that_are_none_are_refused_with_their_place():
    fine = Graph([(0, 1)], ["a", "b"])
    for flawed, rule in [
        (([(0, 0)], ["a"]), r"X\[1\].*edge 1.*no self-loops"),
        (([(0, 5)], ["a", "b"]), r"X\[1\].*edge 1.*node 5"),
        (([(0, 1)], {0: "a"}), r"X\[1\].*node 1, which has no label"),
        (np.triu(np.ones((2, 2)), 1), r"X\[1\].*symmetric; entry \(0, 1\)"),
        (np.ones((2, 3)), r"X\[1\].*square"),
        (3.0, r"X\[1\].*not float"),
    ]:
        with pytest.raises(ValueError, match=rule):
            mercer.SVC(kernel="wl").fit([fine, flawed], [0, 1])
    empty = Graph([], [])
    assert kernels.Kernel("normalized(wl)")([empty, fine]).tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_sets_that_are_none_are_refused_with_their_place():
    fine = np.ones((2, 3))
    for flawed, rule in [
        (np.array([[1.0, np.nan, 0.0]]), r"X\[1\].*NaN or infinity: row 0, column 1"),
        (np.ones(3), r"X\[1\].*shape \(3,\)"),
        (np.ones((2, 4)), "set 1: 3 features where other sets have 4"),
    ]:
        with pytest.raises(ValueError, match=rule):
            mercer.SVC(kernel="set").fit([fine, flawed], [0, 1])
    assert np.array_equal(kernels.Kernel("set(linear)")(np.ones((2, 4, 3))), np.full((2, 2), 3.0))
    assert kernels.Kernel("set(linear)")([np.empty((0, 3)), fine]).tolist() == [[0.0, 0.0], [0.0, 3.0]]


def test_a_label_that_training_did_not_have_counts_in_the_norm():
    k = kernels.Kernel("normalized(vertices)")
    train, new = Graph([(0, 1)], ["a", "b"]), Graph([(0, 1)], ["a", "z"])
    model = mercer.KernelRidge(alpha=1.0, kernel=k).fit([train], [1.0])
    assert model.predict([new])[0] == pytest.approx(0.5 * model.predict([train])[0], rel=1e-12)


def test_kernels_of_two_spaces_are_not_joined():
    graphs, sets = kernels.Kernel("wl"), kernels.Kernel("set")
    with pytest.raises(errors.UnsupportedError, match="graphs.*sets"):
        graphs + sets
    assert (graphs + 1).definite == "psd" and kernels.Kernel("bestmatch").definite == "unknown"
    assert kernels.check(graphs, SPACES["graphs"][0]).verdict == "psd"
    assert kernels.check(sets, SPACES["sets"][0]).verdict == "psd"


def test_what_a_pyramid_leaves_open_is_found_from_the_training_points(tmp_path):
    """The model has it: new points are compared in the same grids, whatever they are."""
    points, new, *_ = SPACES["sets"]
    open_kernel = kernels.normalized(kernels.PyramidMatch(shifts=2))
    settled = open_kernel.settled(points)
    rows = np.vstack(points)
    apart = np.abs(rows[:, None] - rows[None]).max(axis=2)
    side = float(2.0 ** np.floor(np.log2(apart[apart > 0].min())))
    levels = int(np.ceil(np.log2(apart.max() / side)))
    assert repr(settled) == f"normalized(pyramid(side={side!r}, levels={levels}, shifts=2, seed=0, weights=half))"
    assert settled.settled(new) == settled
    model, expected = (mercer.SVC(kernel=kernel).fit(points, SIDE) for kernel in (open_kernel, settled))
    mercer.save(model, tmp_path / "model")
    far = [1000.0 * one for one in new]
    for copy in (model, mercer.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(copy.decision_function(new), expected.decision_function(new))
        assert np.array_equal(copy.decision_function(far), expected.decision_function(far))
    # By themselves: the columns say.
    assert np.array_equal(open_kernel(points), settled(points))
    assert np.array_equal(open_kernel(new, points), settled(new, points))
    assert kernels.check(open_kernel, points).verdict == "psd"
    assert cross_val_score(mercer.SVC(kernel=open_kernel), points, SIDE, cv=4).mean() > 0.7
