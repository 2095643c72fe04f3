"""Landmarks and frequencies against scikit-learn's, and fits in rounds against fits in memory."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import _data, _mercer, errors
from mercer import kernels as mk
from mercer.approximation import Nystroem

X = np.random.default_rng(0).normal(size=(120, 4))
Y = np.sin(X[:, 0]) + X[:, 1] ** 2
CHOICES = ["uniform", "kmeans", "leverage", "pivot"]


@parametrize_with_checks([Nystroem(n_components=5, random_state=0)])
def test_it_is_an_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("choose", CHOICES)
@pytest.mark.parametrize("sparse", [False, True])
def test_inner_products_are_those_of_scikit_learn_with_the_same_landmarks(choose, sparse):
    x = sp.csr_matrix(np.where(np.abs(X) > 0.7, X, 0.0)) if sparse else X
    ours = Nystroem(gamma=0.3, n_components=15, choose=choose, random_state=1).fit(x)
    z = ours.components_.toarray() if sp.issparse(ours.components_) else ours.components_
    theirs = Theirs(gamma=0.3, n_components=len(z), random_state=0).fit(z)
    dense = x.toarray() if sparse else x
    a, b = ours.transform(x), theirs.transform(dense)
    np.testing.assert_allclose(a @ a.T, b @ b.T, atol=1e-9)
    np.testing.assert_allclose(ours.residual(x), np.maximum(1.0 - (b**2).sum(axis=1), 0.0), atol=1e-9)


def test_a_pickle_keeps_the_landmarks():
    for x in (X, sp.csr_matrix(X), X.astype(np.float32)):
        model = Nystroem(n_components=9, random_state=2).fit(x)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.transform(x), model.transform(x))


def test_all_rows_as_landmarks_are_the_kernel_itself():
    a = Nystroem(gamma=0.5, n_components=500).fit_transform(X)
    np.testing.assert_allclose(a @ a.T, rbf_kernel(X, gamma=0.5), atol=1e-9)


def test_a_kernel_is_refused_that_is_none():
    with pytest.raises(errors.UnsupportedError, match="positive semi-definite"):
        Nystroem("tanh(gamma=1, coef0=0)").fit(X)
    with pytest.raises(errors.KernelError):
        mk.Linear() @ mk.nystrom(mk.RBF(1), 0)


def test_maps_are_texts_and_kernels():
    k = mk.Linear() @ mk.nystrom(mk.RBF(0.5), 120, "pivot", 3)
    assert repr(k) == "linear @ nystrom(rbf(gamma=0.5), landmarks=120, choose=pivot, seed=3)"
    np.testing.assert_allclose(k(X), rbf_kernel(X, gamma=0.5), atol=1e-9)
    waves = (mk.Linear() @ mk.fourier(mk.RBF(0.5), 20_000))(X)
    assert np.abs(waves - rbf_kernel(X, gamma=0.5)).max() < 0.03


def test_rounds_over_shards_are_kernel_ridge():
    kernel = _mercer.Kernel("linear @ nystrom(rbf(gamma=0.5), landmarks=200, choose=uniform, seed=0)")
    run = _mercer.Run(threads=1)
    features = _mercer.Features.fitted(run, kernel, _data.points(X))
    rounds = _mercer.Rounds(features, 4, "squared_error", constant=0.0, tolerance=1e-14)
    alpha = 0.1
    far = rounds.at(rounds.round, rounds.weights)
    told = [
        far.stats(run, _data.points(X[a:b]), Y[a:b], np.full(b - a, 0.5 / alpha)) for a, b in [(0, 30), (30, 31), (31, 120)]
    ]
    rounds.solve(run, told)
    assert rounds.certificate["stop"] == "converged" and rounds.round == 1
    exact = KernelRidge(kernel="rbf", gamma=0.5, alpha=alpha).fit(X, Y)
    np.testing.assert_allclose(rounds.values(run, _data.points(X)), exact.predict(X), atol=1e-7)
    with pytest.raises(errors.UnsupportedError, match="damaged"):
        rounds.at(0, rounds.weights).solve(run, [told[0][:-1] + b"x"])
