"""Kernel PCA: where its own training data lie takes no second look at the kernel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from .estimators import CLASSES, PROVING
from .samples import points

KernelPCA = CLASSES["KernelPCA"]
WEIGHTED = pytest.mark.skipif(PROVING, reason="scikit-learn's takes no weights")


@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("parameters", [{}, {"kernel": "rbf", "gamma": 0.3}, {"kernel": "poly", "n_components": 3}])
def test_the_training_data_are_transformed_as_other_rows(parameters, form):
    """To the rounding of the eigenvectors, in the precision of the data."""
    x = form(points()[:60])
    model = KernelPCA(**parameters)
    found, other = model.fit_transform(x), KernelPCA(**parameters).fit(x).transform(x)
    assert found.dtype == other.dtype and found.shape == other.shape
    scale = np.abs(other).max()
    # Components of the smallest eigenvalues are known to the rounding of the largest.
    assert np.abs(found - other).max() <= (1e-4 if found.dtype == np.float32 else 1e-6) * scale


@pytest.mark.parametrize("inverse", [False, True])
def test_training_data_are_transformed_without_kernel_values(inverse):
    """Where a fit alone asks for as many."""
    calls = 0

    def dot(first, second):
        nonlocal calls
        calls += 1
        return float(np.dot(first, second))

    x = points()[:20]
    counts = []
    for work in ("fit", "fit_transform"):
        calls = 0
        model = KernelPCA(2, kernel=dot, fit_inverse_transform=inverse)
        getattr(model, work)(x)
        counts.append(calls)
    assert counts[0] == counts[1] > 0


@WEIGHTED
@pytest.mark.parametrize("precomputed", [False, True])
def test_rows_of_weight_0_are_transformed_too(precomputed):
    """They have no part in the components; a whole weight is so many copies of its row."""
    x = points()[:30]
    weights = np.arange(30) % 3
    rows = x @ x.T if precomputed else x
    parameters = {"n_components": 4, "kernel": "precomputed" if precomputed else "linear"}
    model = KernelPCA(**parameters)
    found = model.fit_transform(rows, sample_weight=weights)
    assert np.abs(found - model.transform(rows)).max() <= 1e-9 * np.abs(found).max()
    copies = np.repeat(np.arange(30), weights)
    repeated = KernelPCA(**parameters).fit_transform(rows[np.ix_(copies, copies)] if precomputed else x[copies])
    signs = np.sign((found[copies] * repeated).sum(axis=0))
    assert np.abs(found[copies] - signs * repeated).max() <= 1e-9 * np.abs(found).max()


def test_a_fit_without_variance_forgets_the_one_before():
    """All rows are the same: nothing is left to tell them apart."""
    model = KernelPCA(2).fit(points()[:20])
    same = np.ones((5, 2))
    assert not model.fit_transform(same).any()
    assert not model.transform(same).any()
