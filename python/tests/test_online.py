"""Learning on: calls of `partial_fit` are one pass over all rows, and scikit-learn's manners hold."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.svm import OneClassSVM

import mercer

SETTINGS = ({}, {"batch_size": 7}, {"loss": "log_loss", "average": False}, {"learning_rate": "constant", "eta0": 0.1, "projection": False})


def rows(classes: int):
    x, y = make_classification(400, 6, n_informative=4, n_classes=classes, random_state=classes)
    return x, np.array(["ada", "bob", "cyd", "dan"])[y]


@pytest.mark.parametrize("classes", (2, 3, 4))
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_pieces_are_the_whole_to_the_bit(setting, classes):
    x, y = rows(classes)
    whole = mercer.PegasosClassifier(alpha=1e-2, **setting).partial_fit(x, y, classes=np.unique(y))
    pieces = mercer.PegasosClassifier(alpha=1e-2, **setting)
    for first, end in ((0, 1), (1, 50), (50, 51), (51, 333), (333, 400)):
        pieces.partial_fit(x[first:end], y[first:end], classes=np.unique(y))
        pieces = pickle.loads(pickle.dumps(pieces))
    assert np.array_equal(pieces.coef_, whole.coef_) and np.array_equal(pieces.intercept_, whole.intercept_)
    assert whole.coef_.shape == ((1 if classes == 2 else classes), 6)
    assert whole.score(x, y) > 0.5 + 0.2 * (classes == 2)


def test_the_steps_are_those_of_pegasos():
    """The update written out in NumPy, of two classes, w and the constant."""
    x, y = rows(2)
    alpha, w, mean = 0.05, np.zeros(7), np.zeros(7)
    with_one = np.column_stack([x, np.ones(400)])
    side = np.where(y == np.unique(y)[1], 1.0, -1.0)
    for t, (row, target) in enumerate(zip(with_one, side), 1):
        margin = target * (w @ row)
        w = (1 - 1 / t) * w + (target * row / (alpha * t) if margin < 1 else 0.0)
        w *= min(1.0, 1 / np.sqrt(alpha) / np.linalg.norm(w))
        mean += t * w
    mean /= 400 * 401 / 2
    for average, expected in ((False, w), (True, mean)):
        model = mercer.PegasosClassifier(alpha=alpha, average=average).partial_fit(x, y, classes=np.unique(y))
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), expected, rtol=1e-9)


def test_it_goes_on_after_a_fit_and_is_fitted_anew():
    x, y = rows(3)
    fitted = mercer.PegasosClassifier(alpha=1e-2, tol=0.5).fit(x, y)
    before = fitted.coef_.copy()
    accuracy = fitted.score(x, y)
    fitted.partial_fit(x[:5], y[:5])
    assert np.abs(fitted.coef_ - before).max() < 0.5 * np.abs(before).max() and not np.array_equal(fitted.coef_, before)
    assert fitted.score(x, y) > accuracy - 0.1
    assert np.array_equal(fitted.fit(x, y).coef_, before)


def test_sparse_rows_and_probabilities():
    x, y = rows(3)
    x[np.abs(x) < 0.7] = 0.0
    dense = mercer.PegasosClassifier(loss="log_loss").partial_fit(x, y, classes=np.unique(y))
    sparse = mercer.PegasosClassifier(loss="log_loss").partial_fit(sp.csr_array(x), y, classes=np.unique(y))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    assert np.allclose(dense.predict_proba(x).sum(axis=1), 1.0)
    assert not hasattr(mercer.PegasosClassifier(), "predict_proba")


def test_what_is_refused():
    x, y = rows(2)
    model = mercer.PegasosClassifier()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        clone(model).partial_fit(x, y)
    model.partial_fit(x, y, classes=np.unique(y))
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.partial_fit(x[:2], ["ada", "zoe"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(x[:, :3], y)
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit(x, y, classes=["ada", "zoe"])
    assert np.array_equal(model.coef_, before)
    with pytest.raises(ValueError, match="alpha"):
        mercer.PegasosClassifier(alpha=0.0).partial_fit(x, y, classes=np.unique(y))


def test_one_class_is_the_kernel_machine_with_the_inner_product():
    x = np.random.default_rng(3).normal(size=(300, 4)) + 2.0
    ours = mercer.LinearOneClassSVM(nu=0.203).fit(x)
    theirs = OneClassSVM(kernel="linear", nu=0.203, tol=1e-8).fit(x)
    # Theirs is scaled by nu n, which is no whole number, so that the offset is one point.
    np.testing.assert_allclose(ours.coef_[0] * 60.9, theirs.coef_[0], rtol=1e-4)
    np.testing.assert_allclose(ours.offset_ * 60.9, theirs.offset_, rtol=1e-4)
    # Rows on the border itself are on either side by rounding.
    assert (ours.decision_function(x) < -1e-6).mean() <= 0.203 and ours.certificate_.gap >= 0.0
