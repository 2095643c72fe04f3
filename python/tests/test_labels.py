"""Labels keep their type and their text, in predictions, pickles and files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mercer

X = np.linspace(-3.0, 3.0, 24)[:, None]
THIRDS = np.repeat([0, 1, 2], 8)
LABELS = {
    "texts that are one number": np.array(["01", "1", "001"]),
    "texts that are numbers": np.array(["3", "1", "2"]),
    "texts": np.array(["a", "b", "ä\n"]),
    "objects": np.array(["b", "a", "c"], dtype=object),
    "integers": np.array([3, -1, 2]),
    "small integers": np.array([3, 1, 2], dtype=np.uint8),
    "floats": np.array([1.0, 2.0, 3.0]),
    "large and negative floats": np.array([1e15, 0.0, -2.0]),
    "booleans": np.array([False, True, True]),
}
ESTIMATORS = [mercer.SVC, mercer.OneVsRestSVC, mercer.KernelFisher, mercer.LocalSVC]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", LABELS)
def test_labels_survive_a_file_and_a_pickle(name, estimator, tmp_path):
    """Classes and predictions are the same values, and of the same kind."""
    y = LABELS[name][THIRDS]
    model = estimator(gamma=1.0).fit(X, y)
    before = model.predict(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).dtype == before.dtype and np.array_equal(again.predict(X), before)
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert np.array_equal(loaded.classes_, model.classes_)
    assert np.array_equal(loaded.predict(X), before)
    kinds = {"O": "U", "u": "i"}
    assert loaded.classes_.dtype.kind == kinds.get(y.dtype.kind, y.dtype.kind)


def test_a_loaded_model_is_written_with_its_labels(tmp_path):
    """Also where it is written again, and where the file is that of a copy by pickle."""
    y = np.array(["01", "1"])[(X[:, 0] > 0).astype(int)]
    mercer.save(mercer.SVC().fit(X, y), tmp_path / "first")
    again = pickle.loads(pickle.dumps(mercer.load(tmp_path / "first")))
    mercer.save(again, tmp_path / "second")
    assert mercer.load(tmp_path / "second").classes_.tolist() == ["01", "1"]


def test_names_that_would_be_one_number_stay_texts():
    """Where a file says nothing of labels, as those of earlier versions."""
    from mercer._labels import classes_of

    assert classes_of(["1", "2"], None).tolist() == [1, 2]
    assert classes_of(["1.5", "2"], None).tolist() == [1.5, 2.0]
    assert classes_of(["01", "1"], None).tolist() == ["01", "1"]
    assert classes_of(["1", "2"], "text").tolist() == ["1", "2"]
    assert classes_of(["1", "2"], "float").dtype == np.float64
    assert classes_of(["False", "True"], "boolean").tolist() == [False, True]
