"""Clusters against scikit-learn's: k-means from the same start to the label, spectral clustering by the adjusted Rand index."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import cluster, datasets
from sklearn.metrics import adjusted_rand_score, silhouette_score

from mercer import KernelKMeans, SpectralClustering, load, save

DIGITS = datasets.load_digits(return_X_y=True)


def blobs(n: int = 300, centers: int = 5) -> np.ndarray:
    """Overlapping heaps."""
    return datasets.make_blobs(n, centers=centers, cluster_std=2.5, random_state=3)[0]


@pytest.mark.parametrize(("X", "clusters"), [(blobs(), 5), (blobs(2500, 7), 7), (DIGITS[0], 10), (blobs() + 500.0, 4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_k_means_from_the_same_start_is_scikit_learns_to_the_label(X, clusters, weighted):
    """With the linear kernel and the same first centres."""
    start = X[:: len(X) // clusters][:clusters]
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if weighted else None
    theirs = cluster.KMeans(clusters, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(X, sample_weight=weights)
    ours = KernelKMeans(clusters, kernel="linear", init=start).fit(X, sample_weight=weights)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert ours.transform(X[:50]) == pytest.approx(theirs.transform(X[:50]), rel=1e-4, abs=1e-4)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-5)


def test_labels_rows_and_centres_are_the_same_start():
    """A start as indices of rows, as the rows, and as the clusters of rows."""
    X = blobs()
    rows = np.array([3, 50, 120, 200])
    labels = ((X[:, None] - X[rows]) ** 2).sum(axis=2).argmin(axis=1)
    found = [KernelKMeans(4, kernel="linear", init=init).fit(X).labels_ for init in (rows, X[rows], labels)]
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


def test_the_silhouette_is_scikit_learns():
    """With the linear kernel distances are Euclidean."""
    X = blobs(200)
    model = KernelKMeans(4, kernel="linear").fit(X)
    assert model.silhouette_ == pytest.approx(silhouette_score(X, model.labels_), abs=1e-6)


def test_inertia_of_drawn_starts_is_no_worse_than_scikit_learns():
    """Ten starts each."""
    X = DIGITS[0]
    theirs = cluster.KMeans(10, n_init=10, random_state=0).fit(X)
    assert KernelKMeans(10, kernel="linear").fit(X).inertia_ <= 1.002 * theirs.inertia_


def test_rows_of_weight_zero_are_given_a_cluster_too():
    """They are no part of the fit."""
    X = blobs()
    weights = np.arange(len(X)) % 3
    model = KernelKMeans(4, gamma=0.05).fit(X, sample_weight=weights)
    without = KernelKMeans(4, gamma=0.05).fit(X[weights > 0], sample_weight=weights[weights > 0])
    assert np.array_equal(model.labels_[weights > 0], without.labels_)
    assert np.array_equal(model.labels_, model.predict(X))


def test_the_order_of_rows_does_not_matter():
    """Starts are drawn in an order of their own."""
    X = blobs()
    order = np.random.default_rng(1).permutation(len(X))
    first, second = KernelKMeans(5).fit(X), KernelKMeans(5).fit(X[order])
    assert np.array_equal(first.labels_[order], second.labels_)


def test_batches_come_near():
    """A tenth above the exact inertia at most."""
    X = blobs(3000)
    exact, few = KernelKMeans(5, gamma=0.01).fit(X), KernelKMeans(5, gamma=0.01, batch_size=200).fit(X)
    assert few.inertia_ <= 1.1 * exact.inertia_
    assert few.labels_.shape == (3000,) and few.silhouette_ is None


def rings():
    """Two circles."""
    return datasets.make_circles(1000, factor=0.4, noise=0.04, random_state=0)


def moons():
    """Two half circles."""
    return datasets.make_moons(1000, noise=0.05, random_state=0)


@pytest.mark.parametrize(
    ("data", "clusters", "how"),
    [
        (rings(), 2, {"affinity": "nearest_neighbors"}),
        (moons(), 2, {"affinity": "nearest_neighbors"}),
        (rings(), 2, {"gamma": 30.0}),
        (moons(), 2, {"gamma": 30.0}),
        (DIGITS, 10, {"affinity": "nearest_neighbors"}),
        (DIGITS, 10, {"gamma": 1e-3}),
    ],
)
def test_spectral_clusters_are_scikit_learns(data, clusters, how):
    """The same agreement with the classes, and with each other."""
    X, y = data
    with warnings.catch_warnings():
        # That the graph has several components.
        warnings.simplefilter("ignore", UserWarning)
        theirs = cluster.SpectralClustering(clusters, random_state=0, **how).fit(X).labels_
    ours = SpectralClustering(clusters, random_state=0, **how).fit(X)
    assert adjusted_rand_score(y, ours.labels_) == pytest.approx(adjusted_rand_score(y, theirs), abs=0.01)
    assert adjusted_rand_score(theirs, ours.labels_) > 0.97


def test_new_rows_are_predicted_where_affinities_are_kernel_values():
    """Rows near training rows go where these are."""
    X, _ = moons()
    model = SpectralClustering(2, gamma=30.0).fit(X)
    assert adjusted_rand_score(model.predict(X + 0.005), model.labels_) > 0.99
    assert not hasattr(SpectralClustering(affinity="nearest_neighbors"), "predict")
    values = np.exp(-30.0 * ((X[:, None] - X) ** 2).sum(axis=2))
    given = SpectralClustering(2, affinity="precomputed").fit(values)
    assert adjusted_rand_score(given.labels_, model.labels_) == 1.0
    assert np.array_equal(given.affinity_matrix_, values)


def test_negative_affinities_are_refused_with_their_place():
    """A kernel that can be negative is no affinity."""
    with pytest.raises(ValueError, match="negative between points 1 and 3"):
        SpectralClustering(2, affinity="linear").fit([[1.0], [2.0], [-1.0], [4.0]])


def test_centres_are_refused_where_they_are_points_of_feature_space():
    """Only the linear kernel has them in the data."""
    with pytest.raises(ValueError, match="feature space"):
        KernelKMeans(2, init=[[0.0], [1.0]]).fit([[1.0], [2.0], [3.0]])


@pytest.mark.parametrize(
    "model", [KernelKMeans(3), SpectralClustering(3, gamma=0.1), SpectralClustering(3, affinity="nearest_neighbors")]
)
def test_a_model_file_holds_the_clusters(model, tmp_path):
    """Labels and predictions."""
    X = blobs(100, 3)
    model.fit(X)
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    assert np.array_equal(again.labels_, model.labels_) and again.inertia_ == model.inertia_
    if hasattr(model, "predict"):
        assert np.array_equal(again.predict(X), model.predict(X))


def test_texts_are_clustered():
    """By a kernel on texts."""
    X = ["abab", "bcbcbc", "ababab", "bcbc", "abababab", "cbcb"]
    kernel = "normalized(spectrum(p=2))"
    for model in (KernelKMeans(2, kernel=kernel), SpectralClustering(2, affinity=kernel)):
        assert adjusted_rand_score([0, 1, 0, 1, 0, 1], model.fit_predict(X)) == 1.0


def test_the_gap_curve_chooses_the_number_of_clusters():
    heaps = np.repeat([[0.0, 0.0], [9.0, 1.0], [1.0, 8.0]], 40, axis=0) + np.random.default_rng(0).standard_normal((120, 2))
    model = KernelKMeans("auto", kernel="linear", max_clusters=6, random_state=0).fit(heaps)
    assert len(set(model.labels_)) == 3
    tried, dispersion, reference, gap, spread = model.gap_.T
    assert tried.tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(gap, reference - dispersion)
    holds = gap[:-1] >= gap[1:] - spread[1:]
    assert tried[np.argmax(holds)] == 3
    # ln W along the two components, which are all there are of two columns.
    inertia = [KernelKMeans(k, kernel="linear", random_state=0).fit(heaps).inertia_ for k in (1, 3)]
    np.testing.assert_allclose(dispersion[[0, 2]], np.log(inertia), rtol=1e-6)
    assert not hasattr(model.set_params(n_clusters=3).fit(heaps), "gap_")
    with pytest.raises(ValueError, match="auto: must be a number where a start is given"):
        KernelKMeans("auto", init=[0, 1]).fit(heaps)


@pytest.mark.parametrize("seed", range(3))
def test_rings_are_told_apart_by_a_width_that_agrees_on_halves(seed):
    """The route of docs/clustering.md, which sees no labels."""
    X, rings = datasets.make_circles(500, factor=0.3, noise=0.03, random_state=seed)
    widths = np.geomspace(0.5, 32, 7)
    random = np.random.default_rng(seed)
    halves = [np.array_split(random.permutation(len(X)), 2) for _ in range(4)]

    def stability(gamma: float) -> float:
        found = [[KernelKMeans(2, gamma=gamma).fit(X[half]).predict(X) for half in pair] for pair in halves]
        return float(np.mean([adjusted_rand_score(*pair) for pair in found]))

    agreement = np.array([stability(gamma) for gamma in widths])
    best = np.flatnonzero(agreement > agreement.max() - 0.01)
    labels = KernelKMeans(2, gamma=widths[best[len(best) // 2]]).fit_predict(X)
    assert adjusted_rand_score(rings, labels) >= 0.95
    assert agreement[0] < 0.9 and agreement[-1] < 0.9
