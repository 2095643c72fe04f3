"""Kernel values against numpy and scikit-learn, and what a matrix of them keeps."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics import pairwise

from mercer import kernels as mk


def chi2(x, y):
    """Σ (xₖ − yₖ)²/(xₖ + yₖ), terms of two zeros left out."""
    difference, total = x[:, None] - y[None], x[:, None] + y[None]
    return np.where(total == 0, 0, difference**2 / np.where(total == 0, 1, total)).sum(-1)


def angle(x, y):
    """The zero vector is at π/2 from every other and at 0 from itself."""
    both = np.logical_and.outer(~x.any(1), ~y.any(1))
    return np.where(both, 0, np.arccos(np.clip(pairwise.cosine_similarity(x, y), -1, 1)))


def gauss(distance, sigma):
    return np.exp(-(distance**2) / (2 * sigma**2))


def basis(x, function):
    """The images of one feature side by side."""
    return np.stack([function(x, j) for j in range(5)], axis=-1).reshape(len(x), -1)


def bump(t, j):
    return np.exp(-((t - j / 4) ** 2) / (2 * 0.3**2))


def sigmoid(t, j):
    return 1 / (1 + np.exp(-(t - j / 4) / 0.3))


L = np.array([[1.0, 0.0, 2.0], [0.5, 1.0, 0.0], [0.0, 0.3, 1.0], [0.1, 0.2, 0.3], [1.0, 1.0, 1.0], [0.0, 0.0, 2.0]])

CASES = [
    (mk.Linear(), pairwise.linear_kernel),
    (mk.RBF(), lambda x, y: pairwise.rbf_kernel(x, y, gamma=1)),
    (mk.RBF(0.3), lambda x, y: pairwise.rbf_kernel(x, y, gamma=0.3)),
    (mk.RBF(sigma=2), lambda x, y: gauss(cdist(x, y), 2)),
    (mk.Poly(), lambda x, y: pairwise.polynomial_kernel(x, y, degree=3, gamma=1, coef0=0)),
    (mk.Poly(2, 0.5, 1), lambda x, y: pairwise.polynomial_kernel(x, y, degree=2, gamma=0.5, coef0=1)),
    (mk.Tanh(0.1, -0.5), lambda x, y: pairwise.sigmoid_kernel(x, y, gamma=0.1, coef0=-0.5)),
    (mk.Laplace(0.2), lambda x, y: pairwise.laplacian_kernel(x, y, gamma=0.2)),
    (mk.Cosine(), pairwise.cosine_similarity),
    (mk.Gaussian("chi2", 2.0), lambda x, y: pairwise.chi2_kernel(x, y, gamma=1 / 8)),
    (mk.Gaussian("chi2", 0.7), lambda x, y: np.exp(-chi2(x, y) / (2 * 0.7**2))),
    (mk.Gaussian("l1", 3), lambda x, y: gauss(cdist(x, y, "cityblock"), 3)),
    (mk.Gaussian("canberra"), lambda x, y: gauss(cdist(x, y, "canberra"), 1)),
    (mk.Gaussian("angular", 0.5), lambda x, y: gauss(angle(x, y), 0.5)),
    (mk.Gaussian("hamming", 0.5), lambda x, y: gauss(cdist(x, y, "hamming"), 0.5)),
    (mk.Intersection(), lambda x, y: np.minimum(x[:, None], y[None]).sum(-1)),
    (mk.Plummer(0.5, 3), lambda x, y: (cdist(x, y) ** 2 + 0.25) ** -1.5),
    (mk.Matern(0.5, 2), gp.Matern(length_scale=2, nu=0.5)),
    (mk.Matern(1.5, 0.7), gp.Matern(length_scale=0.7, nu=1.5)),
    (mk.Matern(2.5), gp.Matern(length_scale=1, nu=2.5)),
    (mk.RationalQuadratic(0.7, 1.5), gp.RationalQuadratic(alpha=0.7, length_scale=1.5)),
    (mk.Factor("norm"), lambda x, y: np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))),
    (mk.Factor("coordinate"), lambda x, y: np.outer(x[:, 0], y[:, 0])),
    (mk.Factor("coordinate", index=3), lambda x, y: np.outer(x[:, 2], y[:, 2])),
    (mk.Factor("bump", gamma=0.1), lambda x, y: np.exp(-0.1 * np.add.outer((x**2).sum(1), (y**2).sum(1)))),
    (mk.Constant(2.5), lambda x, y: np.full((len(x), len(y)), 2.5)),
    (mk.RBF(1) @ mk.columns(1, 3), lambda x, y: pairwise.rbf_kernel(x[:, [0, 2]], y[:, [0, 2]], gamma=1)),
    (mk.Linear() @ mk.columns(range(2, 5)), lambda x, y: x[:, 1:4] @ y[:, 1:4].T),
    (mk.Linear() @ mk.monomials(3), lambda x, y: sum((x**j) @ (y**j).T for j in range(4))),
    (mk.Linear() @ mk.gaussians(0, 1, 5, 0.3), lambda x, y: basis(x, bump) @ basis(y, bump).T),
    (mk.Linear() @ mk.sigmoids(0, 1, 5, 0.3), lambda x, y: basis(x, sigmoid) @ basis(y, sigmoid).T),
    (mk.Linear() @ mk.matrix(L), lambda x, y: x @ L @ L.T @ y.T),
    (mk.exp(0.1 * mk.Linear()), lambda x, y: np.exp(0.1 * x @ y.T)),
    (mk.normalized(mk.Poly(2)), lambda x, y: pairwise.cosine_similarity(x, y) ** 2),
    (
        0.5 * mk.RBF(0.1) + mk.Poly(2) * mk.Cosine() + 1,
        lambda x, y: 0.5 * pairwise.rbf_kernel(x, y, gamma=0.1) + (x @ y.T) ** 2 * pairwise.cosine_similarity(x, y) + 1,
    ),
    ((mk.Linear() + 1) ** 3, lambda x, y: (x @ y.T + 1) ** 3),
]
EACH = pytest.mark.parametrize(("kernel", "oracle"), CASES, ids=lambda value: "" if callable(value) else str(value)[:50])


@pytest.fixture(scope="module")
def x():
    """Non-negative, half of them zero, one row of zeros; some equal numbers in every column."""
    random = np.random.default_rng(1)
    x = random.integers(0, 8, (70, 6)) / 4 * (random.random((70, 6)) < 0.5)
    x[3] = 0
    return x


@pytest.fixture(scope="module")
def y(x):
    return np.vstack([np.random.default_rng(2).random((15, 6)), x[:4]])


def close(found, expected, rtol=1e-12, atol=0.0):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


def tolerance(kernel):
    """arccos at 1 has an error of √ε, in the oracle too."""
    return 1e-7 if "angular" in str(kernel) else 1e-12


@EACH
def test_gram_is_that_of_the_oracle(kernel, oracle, x, y):
    close(kernel(x, y), oracle(x, y), tolerance(kernel))
    close(kernel(x), oracle(x, x), tolerance(kernel))


@EACH
def test_sparse_rows_have_the_values_of_dense_ones(kernel, oracle, x, y):
    close(kernel(sp.csr_matrix(x), sp.csr_array(y)), kernel(x, y), tolerance(kernel))
    close(kernel(sp.csc_matrix(x)), kernel(x), tolerance(kernel))
    close(kernel(sp.csr_matrix(x), y), kernel(x, y), tolerance(kernel))
    close(kernel.diag(sp.coo_matrix(x)), kernel.diag(x))


@EACH
def test_single_precision_is_right_to_a_millionth(kernel, oracle, x, y):
    found = kernel(x, y, dtype="float32")
    assert found.dtype == np.float32
    close(found, kernel(x, y), 4e-6)
    square = kernel(x, dtype="float32")
    assert (square == square.T).all()
    close(square, kernel(x), 4e-6)
    # Every number here is exact in single precision.
    close(kernel(x.astype(np.float32)), kernel(x))


@EACH
def test_square_is_symmetric_with_the_exact_diagonal(kernel, oracle, x):
    square = kernel(x)
    assert square.dtype == np.float64
    assert (square == square.T).all()
    assert (square.diagonal() == kernel.diag(x)).all()
    close(kernel(x, x.copy()), square, tolerance(kernel))
    assert (kernel(x, x) == square).all()


@EACH
def test_two_points_have_one_value(kernel, oracle, x, y):
    value = kernel(x[5], y[7])
    assert np.ndim(value) == 0
    assert value == pytest.approx(kernel(x, y)[5, 7], rel=1e-7)
    assert kernel(list(x[5])) == kernel.diag(x[5:6])[0]


@EACH
def test_no_rows_and_one_row(kernel, oracle, x):
    assert kernel(x[:0]).shape == (0, 0)
    assert kernel(x[:0], x).shape == (0, len(x))
    assert kernel(x, x[:0]).shape == (len(x), 0)
    assert kernel.diag(x[:0]).shape == (0,)
    assert kernel(x[:1]) == kernel.diag(x[:1])
    assert kernel(sp.csr_matrix(x[:0]), dtype="float32").shape == (0, 0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_gram_is_symmetric_to_the_bit(dtype):
    x = np.random.default_rng(3).normal(size=(2000, 20))
    kernel = mk.RBF(0.05) + 0.1 * mk.Poly(2)
    square = kernel(x, dtype=dtype)
    assert (square == square.T).all()
    close(square, kernel(x, x.copy(), dtype=dtype), 4e-6 if dtype == "float32" else 1e-12)


def test_rows_of_other_shapes_and_strides(x):
    kernel = mk.RBF(0.5)
    assert (kernel(np.asfortranarray(x)) == kernel(x)).all()
    assert (kernel(x[::2]) == kernel(x[::2].copy())).all()
    close(kernel(x[::2]), kernel(x)[::2, ::2])
    assert (kernel(x.tolist()) == kernel(x)).all()
    whole = (4 * x).astype(int)
    assert (kernel(whole) == kernel(4 * x)).all()


def test_data_frames_are_matrices(x, y):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    kernel = mk.RBF(0.5) + mk.Intersection()
    names = list("abcdef")
    for frame in (pandas.DataFrame, polars.DataFrame):
        assert (kernel(frame(dict(zip(names, x.T)))) == kernel(x)).all()
        assert (kernel(frame(dict(zip(names, x.T))), frame(dict(zip(names, y.T)))) == kernel(x, y)).all()


def test_precomputed_looks_values_up(x, y):
    square, cross = mk.RBF(0.5)(x), mk.RBF(0.5)(y, x)
    train = np.column_stack([np.arange(1, len(x) + 1), square])
    new = np.column_stack([np.zeros(len(y)), cross])
    assert (mk.Precomputed()(train) == square).all()
    assert (mk.Precomputed()(new, train) == cross).all()
