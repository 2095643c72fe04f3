"""Kernels as objects: text, algebra, parameters, errors, and manners towards scikit-learn."""

import copy
import doctest
import importlib
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import KernelCenterer
from sklearn.svm import SVC

import mercer
from mercer import kernels as mk
from mercer.kernels import RBF, Constant, Cosine, Kernel, Laplace, Linear, Poly, Tanh

X = np.random.default_rng(0).normal(size=(30, 4))


def number(random):
    """A number with a short, a long or an extreme text."""
    return [float(random.integers(1, 9)), random.random(), 10.0 ** random.integers(-300, 300)][random.integers(3)]


def leaf(random):
    makers = [
        mk.Linear,
        mk.Cosine,
        mk.Intersection,
        lambda: mk.RBF(number(random)),
        lambda: mk.Laplace(number(random)),
        lambda: mk.Poly(int(random.integers(1, 101)), number(random), random.normal()),
        lambda: mk.Tanh(number(random), random.normal()),
        lambda: mk.Plummer(number(random), number(random)),
        lambda: mk.Matern(random.choice([0.5, 1.5, 2.5]), number(random)),
        lambda: mk.RationalQuadratic(number(random), number(random)),
        lambda: mk.Gaussian(str(random.choice(["l1", "chi2", "canberra", "angular", "hamming"])), number(random)),
        lambda: mk.Factor("coordinate", index=int(random.integers(1, 50))),
        lambda: mk.Factor("bump", gamma=number(random)),
        lambda: mk.Factor("norm"),
        lambda: mk.Constant(number(random)),
    ]
    return makers[random.integers(len(makers))]()


def feature_map(random):
    low, width = random.normal(), random.random() + 0.1
    makers = [
        lambda: mk.columns(*random.integers(1, 20, random.integers(1, 6))),
        lambda: mk.monomials(int(random.integers(0, 101))),
        lambda: mk.gaussians(low, low + width, int(random.integers(1, 20)), width),
        lambda: mk.sigmoids(low, low + width, int(random.integers(1, 20)), width),
        lambda: mk.matrix(random.normal(size=random.integers(1, 4, 2))),
    ]
    return makers[random.integers(len(makers))]()


def expression(random, depth):
    if depth == 0:
        return leaf(random)
    one = expression(random, depth - 1)
    makers = [
        lambda: one + expression(random, depth - 1),
        lambda: one * expression(random, depth - 1),
        lambda: random.random() * one,
        lambda: one + random.random(),
        lambda: one ** int(random.integers(1, 101)),
        lambda: mk.exp(one),
        lambda: mk.normalized(one),
        lambda: mk.centered(one),
        lambda: one @ feature_map(random),
    ]
    try:
        return makers[random.integers(len(makers))]()
    except ValueError as error:
        # Merged constants may overflow; nothing else may fail.
        assert "constant = inf" in str(error)
        return one


@pytest.mark.parametrize("seed", range(200))
def test_text_of_any_expression_reads_back(seed):
    random = np.random.default_rng(seed)
    kernel = expression(random, int(random.integers(0, 6)))
    again = mk.parse(repr(kernel))
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert repr(again) == str(again) == repr(kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert again.parameters == kernel.parameters
    assert kernel.with_parameters(kernel.parameters) == kernel


def test_operators_keep_one_form():
    assert repr(0.5 * RBF(0.1) + Poly(2)) == "0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=0)"
    assert 2 * Linear() == Linear() * 2 == Constant(2) * Linear() == np.float64(2) * Linear() == Linear() * np.int64(2)
    assert 1 + Linear() == Linear() + 1 == Linear() + np.float32(1)
    assert (RBF(1) + Linear()) + Cosine() == RBF(1) + (Linear() + Cosine())
    assert (RBF(1) * Linear()) * Cosine() == RBF(1) * (Linear() * Cosine())
    assert sum([RBF(1), Linear(), Cosine()]) == RBF(1) + Linear() + Cosine()
    assert (RBF(1) + 1) @ mk.columns(1) == RBF(1) @ mk.columns(1) + 1
    assert RBF(1) @ mk.columns(1) @ mk.monomials(2) == Kernel("rbf @ columns(1) @ monomials(2)")
    assert RBF(1).on(mk.columns(2)) == RBF(1) @ mk.columns(2)
    assert repr((Linear() + 1) ** 2) == "(linear + 1)^2"
    assert RBF(1) != Laplace(1)
    assert RBF(1) != "rbf(gamma=1)"
    assert Poly(coef0=-0.0) == Poly(coef0=0.0)
    assert len({RBF(1), RBF(1.0), Kernel("rbf")}) == 1


def test_algebra_holds_for_values():
    a, b, c = RBF(0.3), Poly(2, coef0=1), Laplace(0.1)
    for one, other in [
        ((a + b) * c, a * c + b * c),
        (a + b, b + a),
        (a * b, b * a),
        (b**3, b * b * b),
        (mk.exp(a + b * 0.1), mk.exp(a) * mk.exp(0.1 * b)),
        (mk.normalized(Linear()), Cosine()),
        (mk.normalized(4 * a), a),
        (mk.centered(mk.centered(b) + 1), mk.centered(b)),
        (2 * (a + 1), 2 * a + 2),
    ]:
        np.testing.assert_allclose(one(X), other(X), rtol=1e-12, atol=1e-12)


def test_centering_is_that_of_scikit_learn():
    new = np.random.default_rng(1).normal(size=(7, 4))
    for kernel in [RBF(0.3), Poly(2, coef0=1) + Linear(), mk.normalized(Linear() + 1)]:
        centerer = KernelCenterer().fit(kernel(X))
        k = mk.centered(kernel)
        np.testing.assert_allclose(k(X), centerer.transform(kernel(X)), atol=1e-10)
        np.testing.assert_allclose(k(new, X), centerer.transform(kernel(new, X)), atol=1e-10)
        np.testing.assert_allclose(k.diag(X), np.diag(k(X)), atol=1e-10)
        assert k.definite == "psd"


def test_estimators_centre_about_their_training_points():
    new = np.random.default_rng(1).normal(size=(7, 4))
    y = np.sin(3 * X[:, 0])
    kernel = RBF(0.3)
    centerer = KernelCenterer().fit(kernel(X))
    gram, rows = centerer.transform(kernel(X)), centerer.transform(kernel(new, X))
    expected = rows @ np.linalg.solve(gram + 0.1 * np.eye(len(X)), y)
    model = mercer.KernelRidge(kernel=mk.centered(kernel), alpha=0.1).fit(X, y)
    np.testing.assert_allclose(model.predict(new), expected, atol=1e-9)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(new), model.predict(new))
    # Fitted by scikit-learn, the kernel is centred about the points it was fitted to.
    theirs = SVC(kernel=mk.centered(kernel), C=3, tol=1e-8).fit(X, y > 0).decision_function(new)
    ours = mercer.SVC(kernel=mk.centered(kernel), C=3, tol=1e-8).fit(X, y > 0).decision_function(new)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    labels = ["a" if value else "b" for value in y > 0]
    texts = [f"{value:.3f}" for value in y]
    model = mercer.SVC(kernel="centered(spectrum(p=2))").fit(texts, labels)
    assert list(pickle.loads(pickle.dumps(model)).predict(texts)) == list(model.predict(texts))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Kernel("linear + rbg(gamma=1)"), 'column 10: unknown kernel \'rbg\'; did you mean rbf?'),
        (lambda: Kernel("rbf(gamma=-1)"), "column 11: gamma = -1: must be positive and finite"),
        (lambda: RBF(-1), 'kernel "rbf(gamma=-1.0)", column 11: gamma = -1: must be positive and finite'),
        (lambda: RBF(float("nan")), "'nan' is not finite"),
        (lambda: RBF(1, sigma=1), "rbf takes gamma or sigma, not both"),
        (lambda: Poly(0), "degree = 0: must lie in 1 to 100"),
        (lambda: Poly(-1), "'-1' is not a whole number in range"),
        (lambda: mk.Matern(0.7), "nu must be 0.5, 1.5 or 2.5"),
        (lambda: mk.Gaussian("l2"), "unknown metric 'l2'"),
        (lambda: mk.Gaussian("l1, sigma=2) + rbf(1"), "is not a name"),
        (lambda: mk.Factor("coordinate", gamma=1), "unknown parameter 'gamma' of factor"),
        (lambda: -1 * Linear(), "constant = -1: must be finite and not negative"),
        (lambda: Linear() + float("inf"), "constant = inf: must be finite and not negative"),
        (lambda: Linear() ** 0, "power = 0: must lie in 1 to 100"),
        (lambda: Linear() ** -3, "power = -3: must lie in 1 to 100"),
        (lambda: mk.columns(0), 'kernel "columns(0)", column 9: expected feature numbers from 1'),
        (lambda: mk.columns(), "at least one feature is needed"),
        (lambda: mk.matrix([1.0, 2.0]), "a matrix has two dimensions, not 1"),
        (lambda: mk.Precomputed() @ mk.columns(1), "a feature map of a precomputed kernel"),
        (lambda: RBF(1)(X, dtype="int32"), "dtype = 'int32'"),
        (lambda: RBF(1)(X, X[:, :2]), "4 features where 2 are expected"),
        (lambda: (RBF(1) @ mk.columns(9))(X), "4 features where 9 are expected"),
        (lambda: RBF(1)(np.where(X > 2, np.nan, X)), "NaN|not a finite number"),
        (lambda: RBF(1)(X, X[0]), "2D array"),
        (lambda: mk.exp(1000 * Linear())(X), "the kernel is not finite between points"),
        (lambda: RBF(1).with_parameters(sigma=1), "no parameter 'sigma'; rbf(gamma=1) has rbf.gamma"),
        (lambda: (RBF(1) + Laplace(1)).with_parameters(gamma=1), "'gamma' may be 0.rbf.gamma or 1.laplace.gamma"),
        (lambda: RBF(1).with_parameters(gamma=0), "gamma = 0: must be positive and finite"),
        (lambda: mk.check(RBF(1), X[:0]), "no rows|0 sample"),
        (lambda: mk.median_gamma([[1.0], [1.0]]), "all rows are the same"),
        (lambda: mk.spectrum(RBF(1), X).eigenfunctions(X[:, :2]), "2 features where 4 are expected"),
    ],
)
def test_errors_say_what_and_the_rule(build, message):
    with pytest.raises((ValueError, NotImplementedError)) as caught:
        build()
    assert any(part in str(caught.value) for part in message.split("|"))


@pytest.mark.parametrize(
    "build",
    [
        lambda: Linear() - Linear(),
        lambda: Linear() + "rbf",
        lambda: [1] * Linear(),
        lambda: Linear() ** 0.5,
        lambda: Linear() @ Linear(),
        lambda: np.arange(2) * Linear(),
        lambda: Poly(2.5),
        lambda: mk.Gaussian(1),
        lambda: mk.columns(1.5),
    ],
)
def test_what_is_no_kernel_is_a_type_error(build):
    with pytest.raises(TypeError):
        build()


def test_nesting_is_limited():
    kernel = Linear()
    with pytest.raises(ValueError, match="nest at most 64 deep"):
        for _ in range(64):
            kernel = mk.exp(kernel)


def test_parameters_go_by_path():
    kernel = 2 * RBF(0.5) + Tanh(1, -1) @ mk.gaussians(width=0.3)
    assert kernel.parameters == {
        "0.0.constant": 2.0,
        "0.1.rbf.gamma": 0.5,
        "1.tanh.gamma": 1.0,
        "1.tanh.coef0": -1.0,
        "1.tanh.0.gaussians.width": 0.3,
    }
    changed = kernel.with_parameters({"1.tanh.gamma": 3}, width=0.1, **{"rbf.gamma": 7})
    assert changed == 2 * RBF(7) + Tanh(3, -1) @ mk.gaussians(width=0.1)
    assert set(kernel.bounds) == set(kernel.parameters)
    assert all(kernel.bounds[path][0] <= value <= kernel.bounds[path][1] for path, value in kernel.parameters.items())


def test_copies_are_equal():
    kernel = 0.5 * RBF(0.1) + Poly(2) @ mk.columns(1)
    assert copy.copy(kernel) == copy.deepcopy(kernel) == pickle.loads(pickle.dumps(kernel)) == kernel
    assert joblib.hash(kernel) == joblib.hash(Kernel(repr(kernel)))
    assert joblib.hash(kernel) != joblib.hash(RBF(0.1))
    assert pickle.loads(pickle.dumps(mk.columns(1, 3))) == mk.columns(1, 3)
    assert clone(SVC(kernel=kernel)).kernel == kernel
    assert repr(SVC(kernel=RBF(2))) == "SVC(kernel=rbf(gamma=2))"


def test_kernel_is_that_of_svc():
    x, y = make_classification(200, 6, random_state=0)
    for kernel, same in [
        (RBF(0.1), SVC(kernel="rbf", gamma=0.1)),
        (Poly(3, 0.5, 1), SVC(kernel="poly", degree=3, gamma=0.5, coef0=1)),
    ]:
        ours = SVC(kernel=kernel).fit(x, y)
        np.testing.assert_allclose(
            ours.decision_function(x), same.fit(x, y).decision_function(x), rtol=1e-6, atol=1e-6
        )
        assert (pickle.loads(pickle.dumps(ours)).predict(x) == ours.predict(x)).all()


def test_kernel_is_that_of_kernel_pca():
    # scikit-learn asks a kernel of KernelPCA for one pair of rows at a time.
    ours = KernelPCA(3, kernel=RBF(0.1)).fit(X)
    theirs = KernelPCA(3, kernel="rbf", gamma=0.1).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(
        abs(ours.transform(X[:5])), abs(theirs.transform(X[:5])), rtol=1e-7, atol=1e-9
    )


@pytest.mark.parametrize("jobs", [None, 2])
def test_search_goes_over_kernels(jobs):
    x, y = make_classification(100, 6, random_state=0)
    kernels = [RBF(0.1), Linear(), RBF(0.1) + 2 * Poly(2)]
    search = GridSearchCV(SVC(), {"kernel": kernels, "C": [1, 10]}, cv=3, n_jobs=jobs).fit(x, y)
    assert search.best_params_["kernel"] in kernels
    assert list(search.cv_results_["param_kernel"]) == kernels * 2


def test_check_finds_the_witness():
    found = mk.check(Tanh(1, -1), X)
    assert not found
    assert (found.verdict, found.definite) == ("indefinite", "unknown")
    gram = Tanh(1, -1)(X)
    values = np.linalg.eigvalsh(gram)
    np.testing.assert_allclose([found.smallest, found.largest], values[[0, -1]], rtol=1e-10)
    c = found.witness.coefficients
    assert c @ gram @ c == pytest.approx(found.witness.value, rel=1e-10)
    assert found.witness.value < 0
    np.testing.assert_allclose(found.spectrum.eigenvalues, values[::-1] / len(X), rtol=1e-9, atol=1e-12)
    assert "witness               cᵀKc = -" in repr(found)


def test_check_passes_a_kernel_and_takes_a_sample():
    found = mk.check(RBF(0.1), X, max_rows=10)
    assert found
    assert found.witness is None
    assert len(found.rows) == 10
    assert found.of == 30
    assert "on 10 of 30 rows      positive semi-definite on this data" in repr(found)


def test_eigenfunctions_are_orthonormal_and_rebuild_the_kernel():
    found = mk.spectrum(Linear(), X)
    functions = found.eigenfunctions(X)
    assert functions.shape == (30, 4)
    np.testing.assert_allclose(functions.T @ functions / len(X), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(functions * found.eigenvalues[:4] @ functions.T, Linear()(X), atol=1e-10)
    assert mk.spectrum(Linear(), X, n_functions=2).eigenfunctions(X[:3]).shape == (3, 2)
    assert mk.spectrum(Linear(), np.zeros((2, 1))).eigenfunctions([[1.0], [2.0], [3.0]]).shape == (3, 0)


def test_median_gamma_is_one_over_the_median_of_squares():
    squares = ((X[:, None] - X[None]) ** 2).sum(-1)[np.tril_indices(len(X), -1)]
    # Of an even number of pairs the library takes the upper one of the middle two.
    upper = np.sort(squares)[len(squares) // 2]
    assert mk.median_gamma(X) == pytest.approx(1 / upper, rel=1e-12)
    assert mk.median_gamma(sp.csr_matrix(X)) == pytest.approx(1 / upper, rel=1e-12)


@pytest.mark.parametrize("name", ["", "._kernel", "._leaves", "._maps", "._validity"])
def test_examples_of_the_documentation_run(name):
    failed, run = doctest.testmod(importlib.import_module(f"mercer.kernels{name}"))
    assert run > 0
    assert failed == 0
