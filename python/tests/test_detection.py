"""Spheres around kernel values and functions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from mercer import SVDD, KernelKMeans, RBFNetworkRegressor

RANDOM = np.random.default_rng(4)
X, NEW = RANDOM.standard_normal((60, 2)), 3.0 * RANDOM.standard_normal((25, 2))
GRAM = rbf_kernel(X, gamma=0.7)


def test_a_sphere_of_kernel_values_knows_the_training_rows_alone():
    """R² − ‖φ(x) − a‖² needs k(x, x), which a row of values with the training rows does not have."""
    vectors = SVDD(gamma=0.7, nu=0.2).fit(X)
    values = SVDD(kernel="precomputed", nu=0.2).fit(GRAM)
    # Two solutions to the tolerance of the solver; k(x, x) of another row would be wrong by about 1.
    np.testing.assert_allclose(values.decision_function(GRAM), vectors.decision_function(X), atol=5e-3)
    for rows in (rbf_kernel(NEW, X, gamma=0.7), GRAM[5:20], np.vstack([GRAM, GRAM])):
        with pytest.raises(ValueError, match=r"it must be that of a training point, .* k\(x, x\)"):
            values.predict(rows)


def test_a_function_says_what_new_rows_lack():
    vectors = SVDD(kernel="poly", gamma=0.5, degree=2, coef0=1.0, nu=0.2).fit(X)
    function = SVDD(kernel=lambda a, b: (0.5 * a @ b.T + 1.0) ** 2, nu=0.2).fit(X)
    for rows in (X, NEW):
        expected = vectors.decision_function(rows)
        np.testing.assert_allclose(function.decision_function(rows), expected, atol=5e-3 * np.abs(expected).max())


def test_distances_and_units_of_other_models_know_them_alone_too():
    means = KernelKMeans(3, kernel="precomputed", random_state=0).fit(GRAM)
    assert means.transform(GRAM).shape == (60, 3)
    units = RBFNetworkRegressor(n_units=5, kernel="precomputed", width=0.5, alpha=0.1).fit(GRAM, X[:, 0])
    assert units.predict(GRAM).shape == (60,)
    for model, method in ((means, "transform"), (units, "predict")):
        with pytest.raises(ValueError, match=r"k\(x, x\)"):
            getattr(model, method)(rbf_kernel(NEW, X, gamma=0.7))
    with pytest.raises(ValueError, match="normalized"):
        SVDD(kernel="normalized(precomputed)").fit(GRAM)
