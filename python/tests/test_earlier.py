"""What earlier versions of the package and of the program wrote is read, and answers as it did."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import mercer

HERE = Path(__file__).resolve().parent / "earlier"
ANSWERS = np.load(HERE / "answers.npz")
X = ANSWERS["X"]
NAMES = sorted(path.stem for path in HERE.glob("*.pickle"))


def rows(name: str) -> np.ndarray:
    return X @ X.T if name == "SVC_callable" else X[:, :2] if name == "KernelCCA" else X


def assert_answers(model, name: str) -> None:
    """Labels are the same, and numbers to 1e-12 of their size: another processor adds up in another order."""
    keys = [key for key in ANSWERS.files if key.startswith(f"{name}.")]
    assert keys
    for key in keys:
        found = getattr(model, key.partition(".")[2])
        found, expected = np.asarray(found(rows(name)) if callable(found) else found), ANSWERS[key]
        assert found.dtype == expected.dtype
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=key)
        else:
            assert np.array_equal(found, expected), key


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_of_an_earlier_version_answers_as_it_did(name, tmp_path):
    """It also has all parameters, and what is written of it is read back."""
    model = pickle.loads((HERE / f"{name}.pickle").read_bytes())
    assert type(model).__name__ == name.partition("_")[0]
    assert set(model.get_params()) == set(type(model)().get_params())
    assert_answers(model, name)
    assert_answers(pickle.loads(pickle.dumps(model)), name)
    if name != "RelevantDimension":
        mercer.save(model, tmp_path / "model")
        assert_answers(mercer.load(tmp_path / "model"), name)


def test_fishers_mu_may_still_be_called_alpha():
    """With a warning; a pickle from that time has the value."""
    assert pickle.loads((HERE / "KernelFisher.pickle").read_bytes()).alpha == 0.01
    y = X[:, 0] > 0
    with pytest.warns(FutureWarning, match="mu"):
        before = mercer.KernelFisher(alpha=0.5).fit(X, y)
    now = mercer.KernelFisher(mu=0.5).fit(X, y)
    assert np.array_equal(before.decision_function(X), now.decision_function(X))


@pytest.mark.parametrize("name", ["svc", "sigmoid", "isotonic"])
def test_a_file_of_an_earlier_program_is_read(name, folder):
    """Nothing is said of its labels: they are numbers where all are."""
    model = mercer.load(folder.parent / "crates" / "mercer" / "tests" / "models" / f"{name}.mercer")
    x = np.zeros((3, model.n_features_in_))
    if model._sparse:
        import scipy.sparse as sp

        x = sp.csr_matrix(x)
    assert model.predict(x).shape == (3,)
    assert name == "svc" or np.allclose(model.predict_proba(x).sum(axis=1), 1.0, atol=1e-12)
