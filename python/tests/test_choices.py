"""What the library decides for every door: how pairs vote, what C prices, which penalty is best."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import _mercer

DIGITS, DIGIT = (part[:600] for part in load_digits(return_X_y=True))
RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(40, 3))
Y = np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1]


def sums_of(decisions: np.ndarray, classes: int) -> np.ndarray:
    """For each class the sum of the decisions for it against each other class."""
    sums = np.zeros((len(decisions), classes))
    for k, (a, b) in enumerate(combinations(range(classes), 2)):
        sums[:, a] += decisions[:, k]
        sums[:, b] -= decisions[:, k]
    return sums


def votes_of(decisions: np.ndarray, classes: int) -> np.ndarray:
    """The pairs that each class wins."""
    votes = np.zeros((len(decisions), classes))
    for k, (a, b) in enumerate(combinations(range(classes), 2)):
        votes[np.arange(len(decisions)), np.where(decisions[:, k] > 0, a, b)] += 1
    return votes


@pytest.mark.parametrize("estimator", [mercer.SVC, mercer.NuSVC])
def test_classes_by_sums_are_the_largest_sums_also_in_a_file(estimator, tmp_path):
    """Votes and sums differ on these rows; a file says which it is, and so predicts the same."""
    noisy = DIGITS + np.random.default_rng(0).normal(scale=12.0, size=DIGITS.shape)
    setting = {"gamma": 1e-4, "decision_function_shape": "ovo"}
    summed = estimator(multiclass="ovo-sum", **setting).fit(noisy[:300], DIGIT[:300])
    voted = estimator(**setting).fit(noisy[:300], DIGIT[:300])
    decisions = summed.decision_function(noisy)
    assert np.array_equal(decisions, voted.decision_function(noisy))
    assert np.array_equal(summed.predict(noisy), sums_of(decisions, 10).argmax(axis=1))
    # LIBSVM's rule: of classes with the same votes the first.
    assert np.array_equal(voted.predict(noisy), votes_of(decisions, 10).argmax(axis=1))
    assert (summed.predict(noisy) != voted.predict(noisy)).sum() > 20
    mercer.save(summed, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.multiclass == "ovo-sum"
    assert np.array_equal(loaded.predict(noisy), summed.predict(noisy))
    np.testing.assert_allclose(loaded.decision_function(noisy), sums_of(decisions, 10), rtol=0, atol=1e-12)


def test_ties_are_broken_by_sums():
    """`break_ties` takes of the classes with most votes the one of the largest sum; the scores say so."""
    noisy = DIGITS + np.random.default_rng(0).normal(scale=12.0, size=DIGITS.shape)
    model = mercer.SVC(gamma=1e-4, break_ties=True).fit(noisy[:300], DIGIT[:300])
    decisions = mercer.SVC(gamma=1e-4, decision_function_shape="ovo").fit(noisy[:300], DIGIT[:300]).decision_function(noisy)
    sums = sums_of(decisions, 10)
    scores = votes_of(decisions, 10) + sums / (3.0 * (np.abs(sums) + 1.0))
    np.testing.assert_allclose(model.decision_function(noisy), scores, rtol=0, atol=1e-12)
    assert np.array_equal(model.predict(noisy), scores.argmax(axis=1))


def test_the_price_of_the_mean_error_is_a_share_of_the_price():
    """C = 30 on 60 rows is 0.5 for each."""
    x, y = DIGITS[:60], DIGIT[:60] > 4
    mean = mercer.SVC(C=30.0, mean=True).fit(x, y).decision_function(x)
    assert np.array_equal(mean, mercer.SVC(C=0.5).fit(x, y).decision_function(x))
    assert not np.array_equal(mean, mercer.SVC(C=30.0).fit(x, y).decision_function(x))


def left_out(gram: np.ndarray, y: np.ndarray, alpha: float, offset: bool) -> np.ndarray:
    """y − f₋ᵢ(xᵢ), by fitting without each row in turn."""
    missed = []
    for i in range(len(y)):
        kept = np.delete(np.arange(len(y)), i)
        system = gram[np.ix_(kept, kept)] + alpha * np.eye(len(kept))
        if not offset:
            missed.append(y[i] - gram[i, kept] @ np.linalg.solve(system, y[kept]))
            continue
        bordered = np.block([[system, np.ones((len(kept), 1))], [np.ones((1, len(kept))), np.zeros((1, 1))]])
        found = np.linalg.solve(bordered, np.append(y[kept], 0.0))
        missed.append(y[i] - gram[i, kept] @ found[:-1] - found[-1])
    return np.array(missed)


@pytest.mark.parametrize("offset", [False, True])
def test_leaving_out_is_fitting_without_each_row(offset):
    """To 1e-9 of the targets: two linear systems in another order."""
    model = mercer.KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5, loo=True, fit_intercept=offset).fit(X, Y)
    missed = left_out(rbf_kernel(X, gamma=0.5), Y, 0.1, offset)
    np.testing.assert_allclose(model.loo_residuals_, missed, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.loo_error_, np.mean(missed**2), rtol=1e-9)
    plain = mercer.KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5, fit_intercept=offset).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=0, atol=1e-9)
    assert not hasattr(plain, "loo_residuals_") and not hasattr(plain, "path_")


def test_the_best_of_several_penalties_has_the_smallest_error_at_rows_left_out():
    """The whole path is told; the model is that of the best."""
    alphas = [1e-4, 1e-2, 0.1, 1.0, 10.0]
    model = mercer.KernelRidge(alphas=alphas, kernel="rbf", gamma=0.5).fit(X, Y)
    errors = [np.mean(left_out(rbf_kernel(X, gamma=0.5), Y, alpha, False) ** 2) for alpha in alphas]
    np.testing.assert_allclose(model.path_[:, 0], alphas, rtol=0)
    np.testing.assert_allclose(model.path_[:, 1], errors, rtol=1e-6)
    spectrum = np.linalg.eigvalsh(rbf_kernel(X, gamma=0.5))
    np.testing.assert_allclose(model.path_[:, 2], [(spectrum / (spectrum + a)).sum() for a in alphas], rtol=1e-6)
    assert model.alpha_ == alphas[int(np.argmin(errors))]
    one = mercer.KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=0.5).fit(X, Y)
    assert np.array_equal(one.predict(X), model.predict(X))
    auto = mercer.KernelRidge(alpha="auto", kernel="rbf", gamma=0.5).fit(X, Y)
    assert len(auto.path_) == 45 and auto.loo_error_ == auto.path_[:, 1].min() <= min(errors)


def test_rows_of_weight_0_are_not_left_out_of_anything():
    """They have no part in the fit, and no residual."""
    weights = np.ones(40)
    weights[[3, 7]] = 0.0
    model = mercer.KernelRidge(kernel="rbf", loo=True).fit(X, Y, sample_weight=weights)
    assert np.isnan(model.loo_residuals_[[3, 7]]).all() and np.isfinite(np.delete(model.loo_residuals_, [3, 7])).all()


def test_a_penalty_for_each_target_does_not_go_with_leaving_out():
    with pytest.raises(ValueError, match="one penalty"):
        mercer.KernelRidge(alpha=[0.1, 1.0], loo=True).fit(X, X[:, :2])


@pytest.mark.parametrize("choose", ["cv", "permutation"])
def test_the_best_of_several_penalties_of_two_views(choose):
    """The scores of all are told, and the model is that of the best."""
    second = np.column_stack([X[:, 0] ** 2, RANDOM.normal(size=40)])
    model = mercer.KernelCCA(1, alpha=[1e-6, 0.1], choose=choose, random_state=0).fit(X, second)
    assert model.alpha_scores_.shape == (2,) and model.alpha_ == [1e-6, 0.1][int(np.argmax(model.alpha_scores_))]
    one = mercer.KernelCCA(1, alpha=model.alpha_).fit(X, second)
    assert one.alpha_ == model.alpha_ and not hasattr(one, "alpha_scores_")
    assert np.array_equal(one.transform(X), model.transform(X))


def test_every_method_of_the_table_has_an_estimator():
    """But for several labels, which are a case of one class against the others; the table says what each method has."""
    cards = {card["name"]: card for card in _mercer.methods()}
    own = {each._method for each in map(vars(mercer).get, mercer.__all__) if hasattr(each, "_method")}
    assert own == set(cards) - {"multilabel"}
    ridge = {about["name"]: about for about in cards["ridge"]["parameters"]}
    assert ridge["lambda"]["default"] == 1.0 and ridge["offset"]["default"] is True
    assert cards["svc"]["target"] == "classes" and cards["svc"]["probabilities"] == ["sigmoid", "isotonic"]


def test_a_parameter_that_a_method_does_not_have_is_refused_by_name():
    kernel, points = _mercer.Kernel("linear"), _mercer.Points.dense(X)
    with pytest.raises(NotImplementedError, match="parameter 'nu' of method 'ridge'; it has lambda"):
        _mercer.fit(_mercer.Run(), "ridge", {"nu": 0.5}, kernel, points, Y[:, None])
    with pytest.raises(ValueError, match="solver = lu: must be auto, cholesky or cg"):
        _mercer.fit(_mercer.Run(), "ridge", {"solver": "lu"}, kernel, points, Y[:, None])
    with pytest.raises(NotImplementedError, match="method 'lasso'"):
        _mercer.fit(_mercer.Run(), "lasso", {}, kernel, points, Y[:, None])


def test_break_ties_does_not_go_with_pairs():
    with pytest.raises(NotFittedError):
        mercer.SVC(break_ties=True, decision_function_shape="ovo").predict(DIGITS)
