"""Self-organising maps against a map written out with NumPy, and what is true of any map."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

import mercer
from mercer import KernelSOM

X = load_iris().data
SETTINGS = [{}, {"grid": "hexagonal"}, {"kernel": "rbf", "gamma": 0.5}, {"training": "online", "n_epochs": 8}]


def squares(rows, columns, grid):
    """Squared distances of all units on the grid."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    places = np.c_[column, row].astype(float)
    if grid == "hexagonal":
        places = np.c_[column + 0.5 * (row % 2), row * np.sqrt(0.75)]
    return ((places[:, None] - places) ** 2).sum(axis=-1)


def distances(x, prototypes):
    return np.linalg.norm(x[:, None] - prototypes, axis=-1)


@pytest.mark.parametrize("grid", ["rectangular", "hexagonal"])
def test_batch_training_goes_on_as_written_out_with_numpy(grid):
    """From the map of one epoch on: prototypes by the neighbourhood, rows to the nearest, the width constant."""
    setting = {"n_rows": 5, "n_columns": 6, "grid": grid, "sigma": 0.8, "sigma_end": 0.8}
    labels = KernelSOM(**setting, n_epochs=1).fit(X).labels_
    h = np.exp(-squares(5, 6, grid) / (2.0 * 0.8**2))
    for epochs in range(2, 8):
        shares = h[:, labels] / h[:, labels].sum(axis=1, keepdims=True)
        prototypes = shares @ X
        model = KernelSOM(**setting, n_epochs=epochs).fit(X)
        if model.n_iter_ < epochs:
            break
        np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], prototypes, atol=1e-9)
        found = distances(X, prototypes)
        labels = found.argmin(axis=1)
        np.testing.assert_array_equal(model.labels_, labels)
        np.testing.assert_allclose(model.transform(X), found, atol=1e-6)
        np.testing.assert_allclose(model.quantization_error_, found.min(axis=1).mean(), rtol=1e-6)
        best = np.argsort(found, axis=1, kind="stable")[:, :2]
        near = squares(5, 6, grid)[best[:, 0], best[:, 1]] < (3.0 if grid == "rectangular" else 2.0)
        np.testing.assert_allclose(model.topographic_error_, 1.0 - near.mean(), atol=1e-12)


@pytest.mark.parametrize("setting", SETTINGS)
def test_attributes_say_the_same_as_methods(setting):
    model = KernelSOM(6, 7, **setting)
    labels = model.fit_predict(X)
    assert labels.shape == (150,) and labels.max() < 42
    assert model.hits_.shape == model.u_matrix_.shape == (6, 7)
    found = model.transform(X)
    assert found.shape == (150, 42)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    np.testing.assert_array_equal(model.hits_.ravel(), np.bincount(labels, minlength=42))
    np.testing.assert_allclose(found[np.arange(150), labels], found.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(found[model.median_indices_, np.arange(42)], found.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(model.fit_transform(X), found, atol=1e-12)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 1.0, atol=1e-12)
    assert (model.dual_coef_ >= 0.0).all()
    assert list(model.get_feature_names_out()[:2]) == ["kernelsom0", "kernelsom1"]


# MiniSom 2.3.6 with its default width of 1, which ends at a third, 20 passes: the best of six ways to start (random, principal components) and to train
# (in order, random, batch), each the mean of two or three seeds (`bench/learners.py map`).
@pytest.mark.parametrize(
    ("x", "shape", "theirs"), [(X, (7, 7), 0.2057), (X, (10, 10), 0.1261), (load_digits().data, (10, 10), 18.08)]
)
def test_the_quantization_error_is_no_worse_than_that_of_minisom(x, shape, theirs):
    model = KernelSOM(*shape).fit(x)
    assert 0.5 * theirs < model.quantization_error_ <= theirs
    assert model.topographic_error_ < 0.3


@pytest.mark.parametrize("training", ["batch", "online"])
def test_the_draw_decides_and_nothing_else(training):
    def fitted(state):
        return KernelSOM(4, 4, init="random", training=training, n_epochs=5, random_state=state).fit(X)

    np.testing.assert_array_equal(fitted(3).dual_coef_, fitted(3).dual_coef_)
    assert not np.array_equal(fitted(3).dual_coef_, fitted(4).dual_coef_)


def test_texts_are_shown_by_medians():
    texts = [word * k for word in ("ab", "bc", "cd") for k in range(2, 12)]
    model = KernelSOM(2, 3, kernel="normalized(spectrum(p=2))").fit(texts)
    kinds = np.repeat([0, 1, 2], 10)
    for unit in range(6):
        assert len(set(kinds[model.labels_ == unit])) <= 1
    unit = model.predict(["abababab"])[0]
    assert texts[model.median_indices_[unit]].startswith("ab")
    assert model.transform(["cdcd", "bcbc"]).shape == (2, 6)


def test_kernel_values_and_functions():
    gram = X @ X.T
    model = KernelSOM(4, 4).fit(X)
    values = KernelSOM(4, 4, kernel="precomputed").fit(gram)
    np.testing.assert_array_equal(values.labels_, model.labels_)
    np.testing.assert_array_equal(values.predict(gram[:20]), model.labels_[:20])
    np.testing.assert_allclose(values.fit_transform(gram), model.transform(X), atol=1e-5)
    np.testing.assert_allclose(values.transform(gram[:20]), model.transform(X[:20]), atol=1e-5)
    with pytest.raises(ValueError, match=r"row 1: it must be that of a training point, .* k\(x, x\)"):
        values.transform(gram[20:40])
    function = KernelSOM(4, 4, kernel=lambda a, b: a @ b.T).fit(X)
    np.testing.assert_array_equal(function.labels_, model.labels_)
    np.testing.assert_allclose(function.transform(X[:9]), model.transform(X[:9]), atol=1e-5)


def test_a_file_brings_the_grid_back(tmp_path):
    model = KernelSOM(3, 5, grid="hexagonal").fit(X)
    mercer.save(model, tmp_path / "map.mercer")
    again = mercer.load(tmp_path / "map.mercer")
    assert (again.n_rows, again.n_columns, again.grid) == (3, 5, "hexagonal")
    np.testing.assert_array_equal(again.u_matrix_, model.u_matrix_)
    np.testing.assert_array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("parameters", [{"n_rows": 0}, {"grid": "round"}, {"learning_rate": 1.5}, {"sigma": 0.0}])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        KernelSOM(**parameters).fit(X)


@pytest.mark.parametrize("training", ["batch", "online"])
def test_weights_are_copies_in_any_order(training):
    random = np.random.default_rng(5)
    x, weights = random.standard_normal((40, 3)), random.integers(0, 4, 40)
    copies = random.permutation(np.repeat(np.arange(40), weights))
    setting = {"n_rows": 3, "n_columns": 4, "kernel": "rbf", "gamma": 0.3, "training": training}
    weighted, copied = KernelSOM(**setting).fit(x, sample_weight=weights), KernelSOM(**setting).fit(x[copies])
    np.testing.assert_allclose(weighted.transform(x), copied.transform(x), atol=1e-12)
    assert np.array_equal(weighted.hits_, copied.hits_) and weighted.hits_.sum() == weights.sum()
    assert np.array_equal(weighted.labels_, weighted.predict(x)), "rows of weight 0 have a unit too"
    assert np.array_equal(copied.labels_, weighted.labels_[copies])
