"""RBF networks against scikit-learn's ridge on features that are written out, and against refits without each row."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

import mercer
from mercer import RBFNetworkClassifier, RBFNetworkRegressor

from .estimators import PROVING

pytestmark = pytest.mark.skipif(PROVING, reason="scikit-learn has no such classes")

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(-2.0, 2.0, (150, 2))
NEW = RANDOM.uniform(-2.0, 2.0, (40, 2))
Y = np.sin(1.5 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RANDOM.standard_normal(150)
LABELS = np.array(["low", "middle", "high"])[np.digitize(Y, [-0.4, 0.5])]


def hidden(model, x):
    """The units of a model from their definition."""
    if len(model.widths_) == 0:
        return rbf_kernel(x, model.centers_, gamma=0.8)
    return np.exp(-euclidean_distances(x, model.centers_, squared=True) / (2.0 * model.widths_**2))


@pytest.mark.parametrize("centers", ["k-means", "k-medoids", "all", "ols"])
@pytest.mark.parametrize("width", ["kernel", "nearest", 0.9])
def test_output_weights_are_those_of_ridge_on_the_units(centers, width):
    """One number or several, weighted or not."""
    if (centers, width) == ("ols", "nearest"):
        pytest.skip("candidates have no neighbours")
    kernel = {"kernel": "rbf", "gamma": 0.8} if width == "kernel" else {"kernel": "linear"}
    model = RBFNetworkRegressor(n_units=20, centers=centers, width=width, alpha=0.01, **kernel)
    weights = RANDOM.integers(1, 4, 150)
    for targets in (Y, np.column_stack([Y, Y**2])):
        model.fit(X, targets, sample_weight=weights)
        ridge = Ridge(alpha=0.01).fit(hidden(model, X), targets, sample_weight=weights)
        assert model.predict(NEW).shape == ridge.predict(hidden(model, NEW)).shape
        np.testing.assert_allclose(model.predict(NEW), ridge.predict(hidden(model, NEW)), atol=1e-6)
        np.testing.assert_allclose(model.coef_, ridge.coef_, atol=1e-5 * np.abs(ridge.coef_).max())
        np.testing.assert_allclose(model.intercept_, ridge.intercept_, atol=1e-5)
        assert model.residual_ < 1e-9
    assert model.n_units_ == len(model.centers_)
    if centers == "k-means":
        assert len(model.center_indices_) == 0
    else:
        np.testing.assert_array_equal(model.centers_, X[model.center_indices_])


def test_alpha_is_the_best_by_refits_without_each_row():
    """The error at rows left out is exact."""
    alphas = [1e-3, 0.1, 10.0]
    model = RBFNetworkRegressor(n_units=15, gamma=0.8, alpha=alphas).fit(X, Y)
    units = hidden(model, X)
    errors = []
    for alpha in alphas:
        missed = [
            Y[i] - Ridge(alpha=alpha).fit(np.delete(units, i, 0), np.delete(Y, i)).predict(units[i : i + 1])[0]
            for i in range(len(Y))
        ]
        errors.append(np.mean(np.square(missed)))
    np.testing.assert_allclose(model.path_, np.column_stack([alphas, errors]), rtol=1e-6)
    assert model.alpha_ == alphas[int(np.argmin(errors))]
    assert model.loo_error_ == pytest.approx(min(errors), rel=1e-6)


@pytest.mark.parametrize("output", ["ridge", "logistic"])
def test_classes_of_one_function_each(output):
    """The largest decides; a logistic output has probabilities, one of least squares none."""
    model = RBFNetworkClassifier(n_units=30, gamma=0.8, output=output).fit(X, LABELS)
    scores = hidden(model, NEW) @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(NEW), scores, atol=1e-6 * np.abs(model.coef_).sum())
    np.testing.assert_array_equal(model.predict(NEW), model.classes_[scores.argmax(axis=1)])
    assert model.score(X, LABELS) > 0.8
    assert hasattr(model, "predict_proba") == (output == "logistic")
    if output == "logistic":
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        np.testing.assert_allclose(model.predict_proba(NEW), shares / shares.sum(axis=1, keepdims=True), atol=1e-6)


def test_logistic_weights_are_those_of_scikit_learn():
    """LogisticRegression's C is 1/alpha."""
    from sklearn.linear_model import LogisticRegression

    model = RBFNetworkClassifier(n_units=12, gamma=0.8, output="logistic", alpha=0.5).fit(X, LABELS)
    other = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(hidden(model, X), LABELS)
    np.testing.assert_allclose(model.predict_proba(NEW), other.predict_proba(hidden(model, NEW)), atol=1e-5)


@pytest.mark.parametrize("parameters", [{}, {"kernel": "linear", "width": "nearest"}, {"output": "logistic", "alpha": 0.1}])
def test_a_network_comes_back_from_a_file_and_from_a_pickle(parameters, tmp_path):
    """To the bit."""
    model = RBFNetworkClassifier(n_units=10, **parameters).fit(X, LABELS)
    mercer.save(model, tmp_path / "network.mercer")
    for other in (mercer.load(tmp_path / "network.mercer"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(NEW), model.decision_function(NEW))
        np.testing.assert_array_equal(other.centers_, model.centers_)
        np.testing.assert_array_equal(other.widths_, model.widths_)
        assert (other.alpha_, other.n_units_) == (model.alpha_, model.n_units_)


def test_other_rows_and_other_spaces():
    """Sparse rows have sparse centres; kernel values, functions and texts have medoids."""
    dense = RBFNetworkRegressor(n_units=10, gamma=0.5, alpha=0.1).fit(X, Y)
    sparse = RBFNetworkRegressor(n_units=10, gamma=0.5, alpha=0.1).fit(sp.csr_array(X), Y)
    assert sp.issparse(sparse.centers_)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(NEW)), dense.predict(NEW), atol=1e-8)
    # Medoids are drawn in an order of the rows, which kernel values do not have: theirs is that of the data.
    order = np.lexsort(X.T[::-1])
    rows, numbers = X[order], Y[order]
    medoids = RBFNetworkRegressor(n_units=10, gamma=0.5, alpha=0.1, centers="k-medoids").fit(rows, numbers)
    values = RBFNetworkRegressor(n_units=10, kernel="precomputed", alpha=0.1).fit(rbf_kernel(rows, gamma=0.5), numbers)
    np.testing.assert_array_equal(values.center_indices_, medoids.center_indices_)
    np.testing.assert_allclose(values.predict(rbf_kernel(NEW, rows, gamma=0.5)), medoids.predict(NEW), atol=1e-6)
    texts = [word * (1 + i % 4) for i, word in enumerate(["abab", "bcbc", "caca"] * 8)]
    model = RBFNetworkClassifier(n_units=6, kernel="normalized(spectrum(p=2))").fit(texts, ["a", "b", "c"] * 8)
    assert model.score(texts, ["a", "b", "c"] * 8) == 1.0


def test_the_seed_draws_the_centres():
    """And nothing else: the same one gives the same bits."""
    fits = [RBFNetworkRegressor(n_units=10, random_state=seed).fit(X, Y).predict(NEW) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.abs(fits[0] - fits[2]).max() > 0.0


@pytest.mark.parametrize("wrong", [{"alpha": -1.0}, {"width": 0.0}, {"n_units": 0}, {"centers": "som"}, {"alpha": []}])
def test_parameters_out_of_range_are_refused(wrong):
    """With the name of the parameter, or of what the library calls it."""
    with pytest.raises(ValueError):
        RBFNetworkRegressor(**wrong).fit(X, Y)


@pytest.mark.parametrize("centers", ["k-means", "k-medoids", "all", "ols"])
@pytest.mark.parametrize("output", ["ridge", "logistic"])
def test_weights_of_a_classifier_are_copies_in_any_order(centers, output):
    random = np.random.default_rng(6)
    x, weights = random.standard_normal((40, 3)), random.integers(0, 4, 40)
    y = np.array(["a", "b", "c"])[random.integers(0, 3, 40)]
    copies = random.permutation(np.repeat(np.arange(40), weights))
    setting = {"n_units": 8, "gamma": 0.3, "centers": centers, "output": output}
    weighted = RBFNetworkClassifier(**setting).fit(x, y, sample_weight=weights)
    copied = RBFNetworkClassifier(**setting).fit(x[copies], y[copies])
    np.testing.assert_allclose(weighted.decision_function(x), copied.decision_function(x), atol=1e-9)
    np.testing.assert_allclose(weighted.centers_, copied.centers_, atol=0)
