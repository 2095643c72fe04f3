"""Tables whose columns are of several spaces: a kernel names the columns that it compares."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import Graph, kernels

KERNEL = 'normalized(spectrum(p=2)@name) + rbf(gamma=0.01)@[age, "daily dose"] + vertices@molecule'


def sample(count: int = 24) -> dict[str, list]:
    random = np.random.default_rng(2)
    side = np.arange(count) % 2
    return {
        "id": [f"p{i}" for i in range(count)],
        "name": [["hanna", "rob"][s] + "xyz"[: i % 3] for i, s in enumerate(side)],
        "age": (30.0 + 5.0 * side + random.normal(size=count)).tolist(),
        "daily dose": random.normal(size=count).tolist(),
        "molecule": [Graph([(0, 1)], ["C", "CO"[s]]) for s in side],
    }


TABLE = sample()
SIDE = np.arange(24) % 2


def test_values_are_those_of_the_columns():
    k = kernels.Kernel(KERNEL)
    numbers = np.column_stack([TABLE["age"], TABLE["daily dose"]])
    expected = kernels.normalized(kernels.PSpectrum(2))(TABLE["name"]) + kernels.RBF(0.01)(numbers)
    np.testing.assert_allclose(k(TABLE), expected + kernels.Vertices()(TABLE["molecule"]), rtol=1e-12)
    rows = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
    for form in (pd.DataFrame(TABLE), rows, pd.DataFrame(TABLE).iloc[:, ::-1]):
        assert np.array_equal(k(form), k(TABLE))
    assert np.array_equal(k.diag(TABLE), np.diag(k(TABLE)))
    assert k.definite == "psd" and kernels.parse(str(k)) == k
    flat = kernels.Kernel("spectrum(p=2)@name + linear@age")
    assert np.array_equal(flat(polars.DataFrame({"name": TABLE["name"], "age": TABLE["age"]})), flat(TABLE))


def test_a_model_of_a_table_is_searched_copied_and_written(tmp_path):
    frame = pd.DataFrame(TABLE)
    model = mercer.SVC(kernel=KERNEL).fit(frame, SIDE)
    assert model.score(frame, SIDE) == 1.0 and len(model.support_vectors_) == len(model.support_)
    assert model.support_vectors_[0]["name"] == TABLE["name"][model.support_[0]]
    mercer.save(model, tmp_path / "m")
    for copy in (clone(model).fit(TABLE, SIDE), pickle.loads(pickle.dumps(model)), mercer.load(tmp_path / "m")):
        assert np.array_equal(copy.decision_function(frame), model.decision_function(frame))
    search = GridSearchCV(mercer.SVC(), {"kernel": [KERNEL, "linear@age"], "C": [1.0, 10.0]}, cv=3).fit(frame, SIDE)
    assert search.best_score_ > 0.9
    assert mercer.KernelPCA(2, kernel=KERNEL).fit_transform(frame).shape == (24, 2)


def test_what_a_table_lacks_is_named():
    frame = pd.DataFrame(TABLE)
    model = mercer.SVC(kernel=KERNEL).fit(frame, SIDE)
    for x, rule in [
        (frame.drop(columns="age"), "names the column 'age', which X does not have"),
        (frame.assign(age=["old"] * 24), "column 'age' must have numbers"),
        (frame.assign(age=np.nan), "NaN or infinity.*column 'age'"),
        (frame.assign(name=1.0), "compares texts"),
        (np.ones((24, 5)), "X must be a data frame"),
        (frame.iloc[:0], "one or more texts"),
    ]:
        with pytest.raises(ValueError, match=rule):
            mercer.SVC(kernel=KERNEL).fit(x, SIDE[: len(x)])
        with pytest.raises(ValueError, match=rule):
            model.predict(x)
    with pytest.raises(NotImplementedError, match="numbers to one kernel and texts to another"):
        mercer.SVC(kernel="linear@age + spectrum@age").fit(frame, SIDE)
