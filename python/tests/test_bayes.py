"""Relevance vector machines against formulas in NumPy and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer import RVC, RVR, SVC, load, save


def sinc(n: int = 100, seed: int = 0):
    x = np.linspace(-10, 10, n)
    return x[:, None], np.sinc(x / np.pi) + 0.1 * np.random.default_rng(seed).standard_normal(n)


def test_the_evidence_is_that_of_a_gaussian_with_this_covariance():
    X, y = sinc(40)
    model = RVR(gamma=0.2, noise=0.01).fit(X, y)
    chosen = X[model.relevance_]
    phi = np.exp(-0.2 * (X - chosen.T) ** 2)
    weights = model.dual_coef_.ravel()
    # At the optimum the mean of the weights says what α is: Aμ = Φᵀ(t − Φμ)/noise.
    residual = (y - phi @ weights - model.intercept_[0]) / 0.01
    alpha = phi.T @ residual / weights
    columns = phi
    if model.intercept_[0] != 0.0:
        columns = np.column_stack([phi, np.ones(40)])
        alpha = np.append(alpha, residual.sum() / model.intercept_[0])
    assert (alpha > 0).all()
    covariance = 0.01 * np.eye(40) + columns / alpha @ columns.T
    sign, log = np.linalg.slogdet(covariance)
    expected = -0.5 * (40 * np.log(2 * np.pi) + log + y @ np.linalg.solve(covariance, y))
    assert sign == 1.0
    assert model.evidence_[0] == pytest.approx(expected, rel=1e-6)
    # The deviation of predictions is that of the weights' covariance.
    sigma = np.linalg.inv(np.diag(alpha) + columns.T @ columns / 0.01)
    mean, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose(deviation, np.sqrt(0.01 + np.einsum("ij,jk,ik->i", columns, sigma, columns)), rtol=1e-6)
    np.testing.assert_allclose(mean, phi @ weights + model.intercept_[0], rtol=1e-9, atol=1e-9)


def test_few_vectors_fit_as_well_as_a_gaussian_process():
    X, y = sinc()
    model = RVR(gamma=0.1).fit(X, y)
    process = GaussianProcessRegressor(RBF(np.sqrt(5)), alpha=0.01, optimizer=None).fit(X, y)
    truth = np.sinc(X.ravel() / np.pi)
    errors = [np.sqrt(np.mean((each.predict(X) - truth) ** 2)) for each in (model, process)]
    assert errors[0] < 1.3 * errors[1]
    assert len(model.relevance_) <= 12
    assert np.sqrt(model.noise_) == pytest.approx(0.1, abs=0.03)


def test_classes_and_probabilities_of_iris():
    X, y = load_iris(return_X_y=True)
    model = RVC(gamma=0.3).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    assert cross_val_score(RVC(gamma=0.3), X, y, cv=5).mean() > 0.93
    assert len(model.relevance_) < len(SVC(gamma=0.3).fit(X, y).support_) / 2


def test_the_decision_of_two_classes_is_the_logarithm_of_the_odds():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    model = RVC(gamma=0.3).fit(X, y)
    decision, probabilities = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_array_equal(decision > 0, probabilities[:, 1] > 0.5)
    # The uncertainty of the weights draws probabilities towards a half.
    assert (np.abs(probabilities[:, 1] - 0.5) <= np.abs(1 / (1 + np.exp(-decision)) - 0.5) + 1e-12).all()


def test_files_searches_and_texts(tmp_path):
    X, y = sinc(40)
    model = RVR(gamma=0.2).fit(X, y)
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    for one, other in zip(model.predict(X, return_std=True), back.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)
    search = GridSearchCV(RVR(), {"gamma": [0.01, 0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["gamma"] in (0.01, 0.1, 1.0)
    texts = ["abab", "abba", "baba", "cdcd", "dcdc", "ccdd"] * 3
    classifier = RVC(kernel="normalized(spectrum(p=2))").fit(texts, [0, 0, 0, 1, 1, 1] * 3)
    assert classifier.predict(["abababa", "cdcdcd"]).tolist() == [0, 1]
    assert classifier.relevance_vectors_[0] in texts


def test_candidates_are_drawn_by_the_seed():
    X, y = sinc(200)
    one, again = (RVR(gamma=0.1, candidates=30, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.relevance_, again.relevance_)
    assert len(one.relevance_) <= 30
