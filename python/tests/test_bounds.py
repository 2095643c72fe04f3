"""What theory says about a classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score

import mercer

RANDOM = np.random.default_rng(0)
CLASS = np.arange(60) % 2
X = RANDOM.normal(size=(60, 3)) + CLASS[:, None] * [0.9, -0.7, 0.0]
THREE = np.array(["low", "middle", "high"])[np.arange(60) % 3]


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(), mercer.SVC(C=20.0, gamma=0.5), mercer.SVC(kernel="linear", loss="squared_hinge"),
        mercer.SVC(fit_intercept=False), mercer.SVC(C=2.0, class_weight={0: 3.0}),
    ],
    ids=str,
)
def test_leave_one_out_is_that_of_a_loop_of_fits(model):
    """Of scikit-learn's loop, with the kernel's parameter as the fit to all rows has it."""
    model = model.set_params(exact=True, tol=1e-6)
    if model.gamma == "scale":
        model.set_params(gamma=1.0 / (3 * X.var()))
    found = model.fit(X, CLASS).bounds(X, CLASS)
    loop = 1.0 - cross_val_score(model, X, CLASS, cv=LeaveOneOut()).mean()
    assert found["leave-one-out"].value == pytest.approx(loop, abs=1e-12)
    above = [bound for bound in found.pairs[0].bounds if bound.says == "leave-one-out"]
    assert len(above) == 3
    assert all(bound.value >= loop for bound in above)


def test_bounds_come_by_use_with_formula_and_assumption():
    """Measured, estimates, above leave-one-out, above the error."""
    model = mercer.SVC().fit(X, CLASS)
    found = mercer.bounds(model, X, CLASS, X_test=X, y_test=CLASS)
    pair, = found.pairs
    order = ["measured", "estimate", "leave-one-out", "error", "rule"]
    places = [order.index(bound.says) for bound in found.bounds + pair.bounds]
    assert places == sorted(places)
    assert all(bound.formula and bound.assumption for bound in pair.bounds)
    assert all(bound.vacuous == (bound.value >= 1.0) for bound in pair.bounds if bound.says != "rule")
    low, high = found["test"].interval
    share = np.mean(model.predict(X) != CLASS)
    assert low < share < high and found["test"].value == pytest.approx(share)
    assert pair.support_vectors == pytest.approx(len(model.support_), abs=1)
    assert "leave-one-out" in str(found)
    with pytest.raises(KeyError):
        found["no such bound"]


def test_three_classes_have_pairs_and_a_vote():
    """The leave-one-out error is that of the vote; ties go by the sums of decisions, as `break_ties` has it."""
    model = mercer.SVC(gamma=0.3, exact=True, tol=1e-6, break_ties=True)
    found = model.fit(X, THREE).bounds(X, THREE)
    assert len(found.pairs) == 3
    loop = 1.0 - cross_val_score(model, X, THREE, cv=LeaveOneOut()).mean()
    assert found["leave-one-out"].value == pytest.approx(loop, abs=1e-12)
    assert found["support vectors"].value >= loop


def test_a_file_has_the_bounds_of_its_model(tmp_path):
    """And without the exact leave-one-out where that is not wanted."""
    model = mercer.SVC(C=3.0).fit(X, CLASS)
    mercer.save(model, tmp_path / "model.mercer")
    assert mercer.bounds(tmp_path / "model.mercer", X, CLASS) == model.bounds(X, CLASS)
    assert model.bounds(X, CLASS, leave_one_out=False)["leave-one-out"].value is None


def test_what_has_no_bounds_is_refused():
    """Other data, other weights, other kernels, other models."""
    model = mercer.SVC().fit(X, CLASS)
    with pytest.raises(mercer.errors.DataError, match="not the data that the model was fitted to"):
        model.bounds(X[::-1].copy(), CLASS)
    with pytest.raises(mercer.errors.ParameterError, match="delta"):
        model.bounds(X, CLASS, delta=0.0)
    weights = 1.0 + np.arange(60) % 3
    weighted = mercer.SVC().fit(X, CLASS, weights)
    with pytest.raises(mercer.errors.UnsupportedError, match="weights"):
        weighted.bounds(X, CLASS, weights)
    with pytest.raises(mercer.errors.UnsupportedError, match="positive semi-definite"):
        mercer.SVC(kernel="sigmoid", gamma=0.5, coef0=-1.0).fit(X, CLASS).bounds(X, CLASS)
    with pytest.raises(mercer.errors.UnsupportedError, match="svc and nu-svc"):
        mercer.bounds(mercer.OneVsRestSVC().fit(X, THREE), X, THREE)
