"""Linear models beside scikit-learn's: the same weights."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.base
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


@pytest.mark.parametrize("dual", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_solver_liblinear_penalises_the_intercept_and_has_each_class_against_all_others(dual, classes):
    y = np.minimum(Y, classes - 1)
    ours = mercer.LogisticRegression(solver="liblinear", dual=dual, tol=1e-10, max_iter=10**5, intercept_scaling=2.0).fit(X, y)
    for own in range(classes if classes > 2 else 1):
        target = (y == own if classes > 2 else y).astype(int)
        theirs = linear_model.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10**5, intercept_scaling=2.0).fit(X, target)
        np.testing.assert_allclose(ours.coef_[own], theirs.coef_[0], atol=1e-4)
        np.testing.assert_allclose(ours.intercept_[own], theirs.intercept_[0], atol=1e-4)


def test_parameters_of_scikit_learns_logistic_regression_mean_the_same_or_are_refused():
    two = Y > 0
    by = lambda **settings: mercer.LogisticRegression(C=0.05, tol=1e-9, **settings).fit(X, two).coef_  # noqa: E731
    for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"):
        np.testing.assert_array_equal(by(solver=solver, n_jobs=2, warm_start=True), by())
    np.testing.assert_array_equal(by(l1_ratio=1.0), by(penalty="l1"))
    np.testing.assert_array_equal(by(l1_ratio=0.0, penalty="l1"), by())
    for refused in ({"l1_ratio": 0.5}, {"dual": True}, {"dual": True, "solver": "liblinear", "penalty": "l1"}):
        with pytest.raises(ValueError, match="l1_ratio=0.5|dual=False"):
            by(**refused)


def test_weights_are_sparse_or_dense_as_asked():
    model = mercer.LinearSVR().fit(X, NUMBERS)
    before = model.coef_.copy()
    assert sp.issparse(model.sparsify().coef_) and model.coef_.shape == (1, 20)
    np.testing.assert_array_equal(model.densify().coef_, before)
    assert mercer.LinearSVC().fit(X, Y).sparsify().densify().coef_.shape == (3, 20)


def test_an_origin_among_the_rows_is_told():
    rows = np.random.default_rng(0).normal(size=(300, 5))
    with pytest.warns(UserWarning, match="origin lies among the rows"):
        model = mercer.LinearOneClassSVM(nu=0.05).fit(rows)
    assert not model.coef_.any()


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


def test_a_path_has_the_weights_of_scikit_learn_and_takes_fewer_steps():
    two = Y > 0
    first = svm.l1_min_c(X, two, loss="squared_hinge")
    prices = first * np.array([0.999, 1.2, 3.0, 10.0, 30.0, 100.0])
    path = mercer.linear_path(mercer.LinearSVC(penalty="l1", tol=1e-8), X, two, Cs=prices)
    assert path.coefs.shape == (6, 1, 20) and path.intercepts.shape == (6, 1)
    np.testing.assert_array_equal(path.Cs, prices)
    cold = 0
    for k, C in enumerate(prices):
        theirs = svm.LinearSVC(penalty="l1", dual=False, C=C, tol=1e-10, max_iter=10**6).fit(X, two)
        np.testing.assert_allclose(path.coefs[k], theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(path.intercepts[k], theirs.intercept_, atol=1e-4)
        assert path.n_features_used[k] == np.count_nonzero(path.coefs[k])
        assert 0.0 <= path.gaps[k] <= 1e-8 * path.objectives[k]
        ours = mercer.LinearSVC(penalty="l1", C=C, tol=1e-8).fit(X, two)
        cold += ours.certificate_.iterations
    assert path.n_features_used[0] == 0 and path.n_iter.sum() < 0.95 * cold


def test_a_path_without_prices_begins_where_the_first_weight_does():
    path = mercer.linear_path(mercer.LinearSVC(penalty="l1", C=0.5), X, Y > 0)
    assert len(path.Cs) == 20 and path.Cs[-1] == 0.5
    np.testing.assert_allclose(path.Cs[0], svm.l1_min_c(X, Y > 0, loss="squared_hinge"))
    assert path.n_features_used[0] == 0 < path.n_features_used[-1]
    numbers = mercer.linear_path(mercer.LinearSVR(C=2.0), X, NUMBERS, Cs=[0.1, 2.0])
    np.testing.assert_allclose(numbers.coefs[-1], mercer.LinearSVR(C=2.0, tol=1e-8).fit(X, NUMBERS).coef_, atol=0.05)
    classes = mercer.linear_path(mercer.LogisticRegression(), X, Y, Cs=[0.1, 1.0])
    assert classes.coefs.shape == (2, 3, 20)


def test_what_has_no_path_is_refused():
    with pytest.raises(TypeError, match="linear_path wants"):
        mercer.linear_path(mercer.SVC(), X, Y)
    with pytest.raises(ValueError, match="at least one"):
        mercer.linear_path(mercer.LinearSVC(), X, Y, Cs=[])
    with pytest.raises(ValueError, match="must be positive"):
        mercer.linear_path(mercer.LinearSVC(), X, Y, Cs=[0.1, -1.0])
    with pytest.raises(ValueError, match="path of C"):
        mercer.linear_path(mercer.LinearSVC(multi_class="crammer_singer"), X, Y, Cs=[0.1])


@pytest.fixture
def rows(tmp_path):
    def write(labels, name="rows.npy"):
        if name.endswith(".npy"):
            np.save(tmp_path / name, np.column_stack([X, labels]))
        else:
            lines = [f"{label} " + " ".join(f"{k}:{v!r}" for k, v in enumerate(x, 1)) for label, x in zip(labels, X.tolist())]
            (tmp_path / name).write_text("\n".join(lines) + "\n")
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("model", "labels"),
    [
        (mercer.LinearSVC(tol=1e-9), Y), (mercer.LinearSVC(loss="hinge", tol=1e-7, class_weight={1: 2.0}), Y),
        (mercer.LogisticRegression(tol=1e-9), (Y > 0).astype(int)), (mercer.LogisticRegression(multi_class="ovr", tol=1e-9), Y),
        (mercer.LinearSVR(tol=1e-7), NUMBERS),
    ],
    ids=["classes", "hinge", "two", "ovr", "numbers"],
)
def test_rows_on_disk_give_the_weights_of_rows_in_memory(model, labels, rows):
    memory = sklearn.base.clone(model).fit(X, labels)
    disk = model.fit_file(rows(labels), label=21)
    np.testing.assert_allclose(disk.coef_, memory.coef_, atol=2e-3)
    np.testing.assert_allclose(disk.intercept_, memory.intercept_, atol=2e-3)
    assert disk.n_features_in_ == 20 and disk.certificate_.stop == "converged"
    if hasattr(disk, "classes_"):
        np.testing.assert_array_equal(disk.classes_, memory.classes_)
        assert disk.classes_.dtype == memory.classes_.dtype
        assert (disk.predict(X) == memory.predict(X)).mean() > 0.99
    again = pickle.loads(pickle.dumps(disk))
    np.testing.assert_array_equal(again.predict(X), disk.predict(X))


def test_files_have_labels_that_are_texts_and_blocks_that_are_used_again(rows, tmp_path):
    data, blocks = rows(np.array(["low", "high", "none"])[Y], "rows.libsvm"), tmp_path / "own.blocks"
    model = mercer.LinearSVC().fit_file(data, blocks=blocks, memory=300 << 20)
    assert model.classes_.tolist() == ["high", "low", "none"] and blocks.exists()
    made = blocks.stat().st_mtime_ns
    twice = mercer.LinearSVC().fit_file(data, blocks=blocks, sample_weight=np.full(300, 2.0))
    assert blocks.stat().st_mtime_ns == made and not np.array_equal(twice.coef_, model.coef_)


def test_what_needs_all_rows_in_memory_is_refused_on_files(rows):
    data = rows(Y)
    for model, message in [
        (mercer.LinearSVC(penalty="l1"), "penalty l1 on a stream"), (mercer.LinearSVC(dual=True), "solver dual on a stream"),
        (mercer.LogisticRegression(), "scheme softmax on a stream"),
        (mercer.LinearSVC(multi_class="crammer_singer"), "scheme crammer-singer on a stream"),
    ]:
        with pytest.raises(NotImplementedError, match=message):
            model.fit_file(data, label=21)
    with pytest.raises(MemoryError, match="allow more memory"):
        mercer.LinearSVC().fit_file(data, label=21, memory=1 << 20)
    with pytest.raises(ValueError, match="no labels"):
        mercer.LinearSVC().fit_file(data)
    with pytest.raises(FileNotFoundError):
        mercer.LinearSVC().fit_file("nowhere.libsvm")
