"""What models say of themselves is true, and what was altered is found out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm as theirs

import mercer

RANDOM = np.random.default_rng(0)
CLASS = np.arange(90) % 3
X = RANDOM.normal(size=(90, 3)) + CLASS[:, None] * [0.9, -0.7, 0.0]
NUMBER = np.sin(X[:, 0]) + 0.3 * X[:, 1]
NAMES = np.array(["low", "middle", "high"])[CLASS]

MODELS = {
    "svc": (mercer.SVC(C=3.0), NAMES), "two": (mercer.SVC(kernel="linear"), CLASS > 0),
    "balanced": (mercer.SVC(class_weight="balanced"), CLASS), "nu-svc": (mercer.NuSVC(nu=0.4), CLASS),
    "rough": (mercer.SVC(exact=False), CLASS), "svr": (mercer.SVR(), NUMBER), "nu-svr": (mercer.NuSVR(), NUMBER),
    "one-class": (mercer.OneClassSVM(nu=0.2), None), "svdd": (mercer.SVDD(nu=0.3), None),
    "ovr": (mercer.OneVsRestSVC(), NAMES), "labels": (mercer.OneVsRestSVC(), np.c_[CLASS > 0, NUMBER > 0]),
    "crammer-singer": (mercer.CrammerSingerSVC(), CLASS), "softmax": (mercer.KernelSoftmax(), CLASS),
    "linear-svc": (mercer.LinearSVC(), CLASS), "logistic": (mercer.LogisticRegression(), CLASS > 0),
    "linear-svr": (mercer.LinearSVR(), NUMBER), "ridge": (mercer.KernelRidge(kernel="rbf"), np.c_[NUMBER, X[:, 2]]),
    "fisher": (mercer.KernelFisher(), NAMES), "cca": (mercer.KernelCCA(), np.c_[NUMBER, X[:, 2]]),
    "kpca": (mercer.KernelPCA(3, kernel="rbf"), None), "rvr": (mercer.RVR(), NUMBER), "rvc": (mercer.RVC(), CLASS),
    "network": (mercer.RBFNetworkRegressor(n_units=9), NUMBER), "k-means": (mercer.KernelKMeans(3), None),
    "spectral": (mercer.SpectralClustering(3), None), "perceptron": (mercer.KernelPerceptron(), CLASS),
    "som": (mercer.KernelSOM(3, 4, kernel="rbf"), None), "sparse": (mercer.SVC(), CLASS),
    "precomputed": (mercer.SVC(kernel="precomputed"), CLASS),
}


def _data(name):
    return {"sparse": sp.csr_array(X), "precomputed": X @ X.T}.get(name, X)


@pytest.mark.parametrize("name", MODELS)
def test_what_a_model_says_is_true(name, tmp_path):
    """Of the fitted estimator, and of its file."""
    model, y = MODELS[name]
    x = _data(name)
    model.fit(x, y)
    found = mercer.verify(model, x, y)
    assert found and found.checks and not found.flaws, [check for check in found.checks if not check["holds"]]
    if name == "balanced":
        return  # A file does not have the rule, and the weights that it came to would be given.
    mercer.save(model, tmp_path / "model.mercer")
    assert mercer.verify(tmp_path / "model.mercer", x, y)


@pytest.mark.parametrize("name", ["svc", "svr", "one-class", "ridge", "kpca", "k-means", "linear-svc", "rvr"])
def test_other_data_are_told(name):
    """Rows in which one number is another."""
    model, y = MODELS[name]
    model.fit(X, y)
    other = X.copy()
    row = 0 if name == "linear-svc" else model._model.support()[0]
    other[row] += 0.5
    assert not mercer.verify(model, other, y)
    assert model.n_features_in_ == 3


def test_weights_are_those_of_the_fit():
    """A fit with weights is not that without."""
    weights = np.arange(90) % 4 / 2.0
    model = mercer.SVC().fit(X, CLASS, weights)
    assert mercer.verify(model, X, CLASS, weights)
    found = mercer.verify(model, X, CLASS)
    assert not found and any("weight" in check["what"] for check in found.checks if not check["holds"])


def test_single_precision_of_many_rows_is_within_what_is_allowed():
    """More than 2,000 rows are not finished exactly: values were in single precision."""
    x = RANDOM.normal(size=(2200, 4))
    y = (x[:, 0] * x[:, 1] > 0).astype(int)
    model = mercer.SVC(C=2.0).fit(x, y)
    assert not model.certificate_.exact
    found = mercer.verify(model, x, y)
    assert found, [check for check in found.checks if not check["holds"]]
    altered = model._model.with_coefficients(model._model.coefficients(), model._model.offsets() + 0.05)
    model._model = altered
    assert not mercer.verify(model, x, y)


def test_another_library_is_audited(tmp_path):
    """A model that LIBSVM trained, by its file: through scikit-learn's numbers and our text."""
    given = theirs.SVC(C=2.0, gamma=0.3).fit(X, CLASS)
    lines = ["svm_type c_svc", "kernel_type rbf", "gamma 0.3", "nr_class 3", f"total_sv {len(given.support_)}"]
    lines.append("rho " + " ".join(repr(-float(b)) for b in given.intercept_))
    lines.append("label 0 1 2")
    lines.append("nr_sv " + " ".join(map(str, given.n_support_)))
    lines.append("SV")
    for k, row in enumerate(given.support_vectors_):
        features = " ".join(f"{j + 1}:{value:.8g}" for j, value in enumerate(row))
        lines.append(" ".join(repr(float(c)) for c in given.dual_coef_[:, k]) + " " + features)
    (tmp_path / "model").write_text("\n".join(lines) + "\n")
    model = mercer.from_libsvm(tmp_path / "model")
    found = mercer.verify(model, X, CLASS, C=2.0)
    assert found, (found.flaws, [check for check in found.checks if not check["holds"]])
    assert not mercer.verify(model, X, CLASS, C=1.0)
