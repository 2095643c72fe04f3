"""Linear models beside scikit-learn's: the same weights."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model, svm
from sklearn.datasets import make_classification

import mercer

X, Y = make_classification(300, 20, n_informative=10, n_classes=3, random_state=0)
NUMBERS = X @ np.arange(20.0) + np.random.default_rng(0).normal(size=300)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("settings", [{}, {"C": 0.05}, {"fit_intercept": False}, {"intercept_scaling": 5.0}, {"class_weight": {0: 3.0}}])
def test_classes_have_the_weights_of_scikit_learn(loss, settings):
    theirs = svm.LinearSVC(loss=loss, tol=1e-9, max_iter=10**6, **settings).fit(X, Y)
    for dual in ("auto", True):
        ours = mercer.LinearSVC(loss=loss, tol=1e-10, max_iter=10**6, dual=dual, **settings).fit(X, Y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


@pytest.mark.parametrize("classes", [2, 3])
def test_all_classes_in_one_problem_are_told_apart_as_by_scikit_learn(classes):
    """LIBLINEAR does not converge here, so that decisions differ; objectives are compared with it in the library's tests."""
    y = np.minimum(Y, classes - 1)
    ours = mercer.LinearSVC(multi_class="crammer_singer").fit(X, y)
    theirs = svm.LinearSVC(multi_class="crammer_singer", max_iter=10**5).fit(X, y)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.95
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape


def test_a_penalty_of_absolute_values_leaves_few_weights():
    two = Y > 0
    ours = mercer.LinearSVC(penalty="l1", C=0.02, tol=1e-8).fit(X, two)
    theirs = svm.LinearSVC(penalty="l1", dual=False, C=0.02, tol=1e-9, max_iter=10**5).fit(X, two)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert 0 < np.count_nonzero(ours.coef_) < 20
    logistic = mercer.LogisticRegression(penalty="l1", C=0.05, tol=1e-8).fit(X, two)
    assert 0 < np.count_nonzero(logistic.coef_) < 20


def test_two_classes_have_one_function_that_is_positive_for_the_second():
    two = np.where(Y > 0, "yes", "no")
    ours, theirs = mercer.LinearSVC(tol=1e-10).fit(X, two), svm.LinearSVC(tol=1e-9, max_iter=10**6).fit(X, two)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert ours.coef_.shape == (1, 20)


def test_logistic_regression_has_the_probabilities_of_scikit_learn():
    two = Y > 0
    ours = mercer.LogisticRegression(tol=1e-10).fit(X, two)
    theirs = linear_model.LogisticRegression(tol=1e-9, max_iter=10**4).fit(X, two)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_more_than_two_classes_of_logistic_regression_are_scikit_learns():
    ours = mercer.LogisticRegression(tol=1e-12, C=2.0).fit(X, Y)
    theirs = linear_model.LogisticRegression(tol=1e-10, C=2.0, max_iter=10**4).fit(X, Y)
    # The constant that all offsets may share is fixed by neither.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    each = mercer.LogisticRegression(multi_class="ovr", tol=1e-10).fit(X, Y)
    assert np.abs(each.predict_proba(X) - ours.predict_proba(X)).max() > 1e-3
    np.testing.assert_allclose(each.predict_proba(X).sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("scheme", ["crammer_singer", "weston_watkins"])
def test_classes_in_one_problem_have_the_functions_of_the_kernel_method(scheme):
    kind = mercer.CrammerSingerSVC if scheme == "crammer_singer" else mercer.WestonWatkinsSVC
    ours = mercer.LinearSVC(multi_class=scheme, fit_intercept=False, tol=1e-9).fit(X, Y)
    theirs = kind(kernel="linear", tol=1e-7).fit(X, Y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_numbers_have_the_weights_of_scikit_learn(loss):
    ours = mercer.LinearSVR(loss=loss, epsilon=0.3, tol=1e-10).fit(X, NUMBERS)
    theirs = svm.LinearSVR(loss=loss, epsilon=0.3, tol=1e-9, max_iter=10**6, dual=True).fit(X, NUMBERS)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_[0], atol=1e-4)


@pytest.mark.parametrize("model", [mercer.LinearSVC(), mercer.LogisticRegression(), mercer.LinearSVR()], ids=lambda m: type(m).__name__)
def test_forms_of_data_files_and_threads_give_the_same_model(model, tmp_path):
    target = NUMBERS if isinstance(model, mercer.LinearSVR) else Y
    dense = model.fit(X, target)
    first, values = dense.coef_.copy(), dense.predict(X)
    np.testing.assert_allclose(model.fit(sp.csr_matrix(X), target).coef_, first, atol=1e-9)
    for threads in (1, 2, 3):
        assert np.array_equal(model.set_params(n_threads=threads).fit(X, target).coef_, first)
    mercer.save(model, tmp_path / "linear.mercer")
    again = mercer.load(tmp_path / "linear.mercer")
    assert type(again) is type(model)
    assert np.array_equal(again.predict(X), values)
    assert np.array_equal(again.coef_, first)
    if hasattr(again, "sparsify"):
        assert sp.issparse(again.sparsify().coef_)
        assert np.array_equal(again.densify().coef_, first)


def test_a_certificate_says_how_far_the_objective_is_from_the_best():
    model = mercer.LinearSVC(loss="hinge", tol=1e-3).fit(X, Y > 0)
    margins = 1.0 - np.where(Y > 0, 1.0, -1.0) * model.decision_function(X)
    objective = 0.5 * (np.sum(model.coef_**2) + model.intercept_[0] ** 2) + np.maximum(margins, 0.0).sum()
    found = model.certificate_
    assert objective == pytest.approx(found.gap - found.objective, rel=1e-9)
    assert 0.0 <= found.gap <= 1e-3 * objective
