"""Model files: what is written is read as the same estimator, by Python and by the program."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm as theirs
from sklearn.datasets import load_iris

import mercer
from mercer import errors, kernels

X, Y = load_iris(return_X_y=True)
TWO = Y > 0
NAMES = np.array(["setosa", "virginica", "versicolor"])[Y]


def _fitted() -> dict[str, tuple[object, list[str]]]:
    return {
        "svc": (mercer.SVC(C=3.0).fit(X, NAMES), ["predict", "decision_function"]),
        "two": (mercer.SVC(kernel="linear").fit(X, TWO.astype(int)), ["predict", "decision_function"]),
        "probability": (mercer.SVC(probability=True).fit(X, Y), ["predict", "predict_proba"]),
        "sparse": (mercer.SVC().fit(sp.csr_array(X), Y), ["predict", "decision_function"]),
        "nu-svc": (mercer.NuSVC(nu=0.2).fit(X, Y), ["predict", "decision_function"]),
        "svr": (mercer.SVR().fit(X, X[:, 0]), ["predict"]),
        "nu-svr": (mercer.NuSVR().fit(X, X[:, 0]), ["predict"]),
        "one-class": (mercer.OneClassSVM(nu=0.1).fit(X), ["predict", "decision_function", "score_samples"]),
        "svdd": (mercer.SVDD(nu=0.1).fit(X), ["predict", "decision_function", "score_samples"]),
        "ovr": (mercer.OneVsRestSVC().fit(X, NAMES), ["predict", "decision_function"]),
        "labels": (mercer.OneVsRestSVC().fit(X, np.c_[TWO, ~TWO, X[:, 0] > 6]), ["predict", "decision_function"]),
        "crammer-singer": (mercer.CrammerSingerSVC().fit(X, Y), ["predict", "decision_function"]),
        "softmax": (mercer.KernelSoftmax().fit(X, Y), ["predict", "predict_proba"]),
        "ridge": (mercer.KernelRidge(kernel="rbf").fit(X, X[:, :2]), ["predict"]),
        "kpca": (mercer.KernelPCA(3, kernel="rbf").fit(X), ["transform"]),
        "som": (mercer.KernelSOM(3, 4, kernel="rbf", grid="hexagonal").fit(X), ["predict", "transform"]),
        "fisher": (mercer.KernelFisher().fit(X, NAMES), ["predict", "decision_function", "transform"]),
        "cca": (mercer.KernelCCA().fit(X[:, :2], X[:, 2:]), ["transform"]),
        "local": (mercer.LocalSVC(n_cells=2).fit(X, Y), ["predict"]),
        "precomputed": (mercer.SVC(kernel="precomputed").fit(X @ X.T, Y), ["predict", "decision_function"]),
    }


FITTED = _fitted()


@pytest.mark.parametrize("name", FITTED)
def test_a_file_gives_the_same_bits(name, tmp_path):
    """Every estimator predicts the same after it was written and read, and is of the same class."""
    model, methods = FITTED[name]
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    assert type(loaded) is type(model)
    x = X[:, :2] if name == "cca" else X @ X.T if name == "precomputed" else X
    for method in methods:
        before, after = getattr(model, method)(x), getattr(loaded, method)(x)
        assert np.array_equal(before, after), method


@pytest.mark.parametrize("name", ["svc", "two", "svr", "nu-svr", "one-class", "sparse", "nu-svc"])
def test_libsvm_text_is_written_and_read(name, tmp_path):
    """To the digits of the text."""
    model, methods = FITTED[name]
    if name == "svc":
        model = mercer.SVC(C=3.0).fit(X, Y)
    mercer.to_libsvm(model, tmp_path / "model")
    loaded = mercer.from_libsvm(tmp_path / "model")
    # The text does not say nu.
    assert type(loaded).__name__ == type(model).__name__.removeprefix("Nu")
    decision = "decision_function" if "decision_function" in methods else "predict"
    before, after = getattr(model, decision)(X), getattr(loaded, decision)(X)
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-5)
    # Rows on the border may fall to either side by the last digit of the text.
    clear = np.abs(before) > 1e-5 if before.ndim == 1 else np.ones(len(X), dtype=bool)
    assert np.allclose(loaded.predict(X)[clear], model.predict(X)[clear], rtol=1e-6)


def test_classes_in_another_order_are_sorted(tmp_path):
    """LIBSVM numbers classes as they come; `classes_` ascends and decisions follow it."""
    text = "\n".join(
        [
            "svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0", "label 1 -1", "nr_sv 1 1",
            "SV", "0.5 1:1", "-0.5 1:-1", "",
        ]
    )
    (tmp_path / "model").write_text(text)
    model = mercer.from_libsvm(tmp_path / "model")
    assert model.classes_.tolist() == [-1, 1]
    assert model.predict([[2.0], [-2.0]]).tolist() == [1, -1]
    assert model.decision_function([[2.0], [-2.0]]).tolist() == [2.0, -2.0]
    assert model.coef_.toarray().tolist() == [[1.0]]


def test_names_of_features_are_kept(tmp_path):
    """As a data frame had them."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    mercer.save(mercer.SVC().fit(frame, Y), tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == list("abcd")
    assert loaded.predict(frame).shape == (150,)


def test_a_kernel_that_is_a_function_cannot_be_written(tmp_path):
    """A file holds no code; a kernel expression it does hold."""
    model = mercer.SVC(kernel=lambda x, y: x @ y.T).fit(X, Y)
    with pytest.raises(errors.UnsupportedError, match="Python function"):
        mercer.save(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
    kernel = 0.5 * kernels.RBF(0.1) + kernels.Linear()
    mercer.save(mercer.SVC(kernel=kernel).fit(X, Y), tmp_path / "model")
    assert mercer.load(tmp_path / "model").kernel == kernel


def test_files_that_are_none_are_refused(tmp_path):
    """With an error that names the file; a missing one as Python has it."""
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "missing")
    (tmp_path / "bad").write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00{}")
    with pytest.raises(errors.ModelFileError, match="bad"):
        mercer.load(tmp_path / "bad")
    with pytest.raises(ValueError, match="bad"):
        mercer.from_libsvm(tmp_path / "bad")
    with pytest.raises(Exception, match="fit"):
        mercer.save(mercer.SVC(), tmp_path / "unfitted")


def test_libsvm_text_of_scikit_learns_solver_is_the_same_machine(tmp_path):
    """The decisions of a machine read from text are those of scikit-learn's fit of the same problem."""
    mercer.to_libsvm(mercer.SVC(gamma=0.25).fit(X, Y), tmp_path / "model")
    ours = mercer.from_libsvm(tmp_path / "model").decision_function(X)
    reference = theirs.SVC(gamma=0.25, tol=1e-8).fit(X, Y).decision_function(X)
    # Free variables are exact; those at a bound are optimal to the tolerance of 1e-3, which leaves the fourth digit.
    np.testing.assert_allclose(ours, reference, atol=1e-4)
