"""The forms in which data come: none changes the answer, none is changed, and bad ones are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier

from .estimators import CLASSES, PROVING, WITH_KERNELS
from .samples import ROWS, answers, assert_same_bits, fitted, points, targets

NAMES = tuple(CLASSES)
COLUMNS = list("abcd")
VECTOR_MACHINES = [name for name in NAMES if name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")]


def strided(x: np.ndarray) -> np.ndarray:
    """Every other row and column of a larger array."""
    large = np.full((2 * x.shape[0], 2 * x.shape[1]), np.nan, dtype=x.dtype)
    large[::2, ::2] = x
    return large[::2, ::2]


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


DENSE = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "backwards": lambda x: x[::-1].copy()[::-1],
    "read-only": read_only,
    "pandas": lambda x: pd.DataFrame(x, columns=COLUMNS),
    "polars": lambda x: pl.DataFrame(x, schema=COLUMNS),
    "pyarrow": lambda x: pa.table(dict(zip(COLUMNS, x.T))),
}


def unsorted(x: sp.csr_array) -> sp.csr_array:
    """The entries of each row in reverse order."""
    spans = [slice(x.indptr[i], x.indptr[i + 1]) for i in range(x.shape[0])]
    order = np.concatenate([np.arange(span.stop - 1, span.start - 1, -1) for span in spans])
    made = sp.csr_array((x.data[order], x.indices[order], x.indptr), shape=x.shape)
    assert not made.has_sorted_indices
    return made


def duplicated(x: sp.csr_array) -> sp.csr_array:
    """Each entry as two halves in the same place."""
    made = sp.csr_array((np.repeat(x.data / 2, 2), np.repeat(x.indices, 2), 2 * x.indptr), shape=x.shape)
    assert not made.has_canonical_format
    return made


def explicit_zeros(x: sp.csr_array) -> sp.csr_array:
    """All entries stored."""
    rows, columns = x.shape
    indices = np.tile(np.arange(columns, dtype=x.indices.dtype), rows)
    starts = np.arange(0, rows * columns + 1, columns, dtype=x.indptr.dtype)
    return sp.csr_array((x.toarray().ravel(), indices, starts), shape=x.shape)


def wide_indices(x: sp.csr_array) -> sp.csr_array:
    """Indices of 64 bits."""
    x = x.copy()
    x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
    return x


SPARSE = {
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "csc_matrix": sp.csc_matrix,
    "coo_array": sp.coo_array,
    "coo_matrix": sp.coo_matrix,
    "64-bit": wide_indices,
    "unsorted": unsorted,
    "duplicates": duplicated,
    "explicit zeros": explicit_zeros,
}
#: Estimators that only describe the data they were fitted to.
DESCRIBES = ("RelevantDimension",)

TAKES_SPARSE = [name for name, each in CLASSES.items() if each().__sklearn_tags__().input_tags.sparse]


def assert_same_answers(name: str, x, other) -> None:
    """Two forms of the same rows are fitted to the same bits."""
    y = targets(name, points())
    assert_same_bits(answers(fitted(name, x, y), x), answers(fitted(name, other, y), other))


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("form", DENSE)
@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_a_dense_table_does_not_matter(name, form, dtype):
    """Whatever holds the numbers, answers are those of the plain array, to the bit."""
    x = points().astype(dtype)
    assert_same_answers(name, x, DENSE[form](x))


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_bytes_does_not_matter(name):
    """Numbers of a machine with the other order are the same numbers."""
    x = points()
    assert_same_answers(name, x, x.astype(x.dtype.newbyteorder()))


@pytest.mark.parametrize("name", NAMES)
def test_lists_are_tables(name):
    """A list of lists is the array of its numbers."""
    x = points()
    y = targets(name, x)
    lists, labels = x.tolist(), None if y is None else y.tolist()
    assert_same_bits(answers(fitted(name, x, y), x), answers(fitted(name, lists, labels), lists))


@pytest.mark.parametrize("name", NAMES)
def test_a_file_mapped_into_memory_is_a_table(name, tmp_path):
    """A read-only memory map gives what its numbers give."""
    x = points()
    np.save(tmp_path / "x.npy", x)
    assert_same_answers(name, x, np.load(tmp_path / "x.npy", mmap_mode="r"))


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("name", TAKES_SPARSE)
def test_the_form_of_a_sparse_table_does_not_matter(name, form, dtype):
    """Whatever the format and the order of entries, answers are those of the canonical CSR array, to the bit.

    Linear models add entries up in groups of four, in which zeros that are stored have places of their own: there to 1e-9.
    """
    x = sp.csr_array(points().astype(dtype))
    if name in WITH_KERNELS or form != "explicit zeros":
        return assert_same_answers(name, x, SPARSE[form](x))
    y = targets(name, points())
    plain, other = answers(fitted(name, x, y), x), answers(fitted(name, SPARSE[form](x), y), SPARSE[form](x))
    for method, values in plain.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(other[method], values, rtol=1e-9, atol=1e-9, err_msg=method)
        else:
            assert np.array_equal(other[method], values)
    return None


@pytest.mark.parametrize("name", TAKES_SPARSE)
def test_sparse_and_dense_tables_give_the_same_answers(name):
    """As far as a tolerance of 1e-3 in the fit and another order of additions let them: to 1e-5."""
    x = points()
    y = targets(name, x)
    setting = {"tol": 1e-8} if "tol" in CLASSES[name]().get_params() and name != "KernelPCA" else {}
    dense = answers(fitted(name, x, y, **setting), x)
    sparse = answers(fitted(name, sp.csr_array(x), y, **setting), sp.csr_array(x))
    for method, values in dense.items():
        if values.dtype.kind == "f":
            # Of a direction only the line is defined.
            size = np.abs if method == "transform" else np.asarray
            np.testing.assert_allclose(size(sparse[method]), size(values), rtol=1e-5, atol=1e-5, err_msg=method)
        else:
            # Rows on the border itself are on either side by rounding.
            border = np.abs(dense.get("decision_function", 1.0)) <= 1e-6
            settled = ~border if np.shape(border) == np.shape(values) else np.ones(np.shape(values), bool)
            assert np.array_equal(values[settled], sparse[method][settled])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", VECTOR_MACHINES)
def test_single_precision_stays_single(name, make):
    """Support vectors have the precision of the data."""
    x = points()
    for dtype in (np.float32, np.float64):
        model = fitted(name, make(x.astype(dtype)), targets(name, x))
        assert model.support_vectors_.dtype == dtype


@pytest.mark.parametrize("name", VECTOR_MACHINES)
def test_support_vectors_are_rows_of_the_data(name):
    """`support_vectors_` holds the rows named by `support_`, dense and sparse."""
    x = points()
    y = targets(name, x)
    assert np.array_equal((model := fitted(name, x, y)).support_vectors_, x[model.support_])
    assert np.array_equal((model := fitted(name, sp.csr_array(x), y)).support_vectors_.toarray(), x[model.support_])


@pytest.mark.parametrize("name", NAMES)
def test_dense_data_are_not_modified(name):
    """Points, targets and weights are as before after a fit and a prediction."""
    x = np.asfortranarray(points())
    y = targets(name, x)
    before = x.copy(), None if y is None else y.copy()
    answers(fitted(name, x, y), x)
    assert np.array_equal(x, before[0])
    assert y is None or np.array_equal(y, before[1])


@pytest.mark.parametrize("form", ["unsorted", "duplicates", "explicit zeros"])
@pytest.mark.parametrize("name", TAKES_SPARSE)
def test_sparse_data_are_not_modified(name, form):
    """Neither sorted, nor added up, nor pruned in place."""
    x = SPARSE[form](sp.csr_array(points()))
    before = x.data.copy(), x.indices.copy(), x.indptr.copy()
    answers(fitted(name, x, targets(name, points())), x)
    for now, then in zip((x.data, x.indices, x.indptr), before):
        assert now.dtype == then.dtype and np.array_equal(now, then)


BAD = {
    "nan": (np.nan, "NaN"),
    "infinity": (np.inf, "inf"),
}


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_is_not_finite_is_refused(name, bad, make):
    """By fit and by every method that takes rows."""
    if make is sp.csr_array and name not in TAKES_SPARSE:
        make = np.asarray
    value, word = BAD[bad]
    x = points()
    y = targets(name, x)
    model = fitted(name, make(x), y)
    x[3, 2] = value
    with pytest.raises(ValueError, match=word):
        fitted(name, make(x), y)
    if name not in DESCRIBES:
        with pytest.raises(ValueError, match=word):
            answers(model, make(x))


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_table_is_refused(name):
    """No rows, or no columns."""
    x = points()
    y = targets(name, x)
    with pytest.raises(ValueError, match="0 sample|minimum of 1|empty"):
        fitted(name, x[:0], None if y is None else y[:0])
    with pytest.raises(ValueError, match="0 feature"):
        fitted(name, x[:, :0], y)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_another_width_are_refused(name):
    """The message says how many columns there are and how many are expected."""
    if name in DESCRIBES:
        return
    x = points()
    model = fitted(name, x, targets(name, x))
    with pytest.raises(ValueError, match="3 features.*4 features"):
        answers(model, x[:, :3])


@pytest.mark.parametrize("name", [name for name in NAMES if targets(name, points()) is not None])
def test_as_many_targets_as_rows(name):
    """A target too few is refused."""
    x = points()
    with pytest.raises(ValueError, match=f"{ROWS}.*{ROWS - 1}|inconsistent"):
        fitted(name, x, targets(name, x)[:-1])


@pytest.mark.parametrize("name", [name for name in NAMES if is_classifier(CLASSES[name]())])
def test_one_class_is_refused(name):
    """A classifier wants two."""
    with pytest.raises(ValueError, match="class"):
        fitted(name, points(), np.zeros(ROWS))


def test_columns_in_another_order_are_refused():
    """Frames are told apart by the names of their columns."""
    frame = pd.DataFrame(points(), columns=COLUMNS)
    model = fitted("SVC", frame, targets("SVC", points()))
    assert list(model.feature_names_in_) == COLUMNS
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[COLUMNS[::-1]])


@pytest.mark.parametrize("labels", [[3, 7], ["no", "yes"], [False, True], [-1.0, 2.0]], ids=str)
def test_labels_come_back_as_they_went_in(labels):
    """Numbers, strings and truth values are labels; their type is kept."""
    x = points()
    y = np.array(labels)[(x[:, 0] > 0).astype(int)]
    model = fitted("SVC", x, y)
    found = model.predict(x)
    assert found.dtype == y.dtype and set(found) <= set(y) and np.array_equal(model.classes_, np.unique(y))


def test_a_large_table_of_zeros_is_kept_sparse_and_answers_as_a_sparse_one():
    """To the bit; what people read stays dense, and small tables are left as they are."""
    random = np.random.default_rng(5)
    x = random.standard_normal((600, 200)) * (random.uniform(size=(600, 200)) < 0.1)
    y = x[:, :20].sum(axis=1) > 0
    dense, sparse = CLASSES["SVC"]().fit(x, y), CLASSES["SVC"]().fit(sp.csr_array(x), y)
    assert np.array_equal(dense.decision_function(x), sparse.decision_function(sp.csr_array(x)))
    assert isinstance(dense.support_vectors_, np.ndarray) and np.array_equal(dense.support_vectors_, x[dense.support_])
    f = np.asfortranarray(x)
    assert np.array_equal(CLASSES["SVC"]().fit(f, y).decision_function(f), dense.decision_function(x))


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_a_large_sparse_matrix_without_zeros_is_kept_dense_and_answers_as_a_dense_one(kind):
    """To the bit; what people read stays sparse."""
    random = np.random.default_rng(6)
    x = random.standard_normal((3500, 20))
    y = x[:, :3].sum(axis=1) > 0
    sparse, dense = CLASSES["SVC"]().fit(kind(x), y), CLASSES["SVC"]().fit(x, y)
    assert np.array_equal(sparse.decision_function(kind(x)), dense.decision_function(x))
    assert isinstance(sparse.support_vectors_, sp.csr_matrix if kind is sp.csr_matrix else sp.csr_array)
    assert np.array_equal(sparse.support_vectors_.toarray(), x[sparse.support_])
    assert sp.issparse(sparse.dual_coef_)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("indices", [0, 5, 0, 1], "row 0: .* columns must ascend and be below 2"),
        ("indices", [0, 1, -1, 1], "an index is negative or too large"),
        ("indptr", [0, 2, 1, 4], "row 1: indptr must not fall"),
        ("indptr", [1, 2, 3, 4], "indptr must go from 0 to the number of entries"),
    ],
)
def test_a_sparse_matrix_whose_parts_do_not_fit_is_refused_by_its_place(part, value, message):
    from mercer import _mercer

    parts = {"indptr": [0, 2, 3, 4], "indices": [0, 1, 0, 1]} | {part: value}
    start, index = (np.array(parts[name], dtype=np.int32) for name in ("indptr", "indices"))
    with pytest.raises(ValueError, match=message):
        _mercer.Points.sparse(2, start, index, np.ones(4))


@pytest.mark.skipif(PROVING, reason="a limit of ours")
def test_more_columns_than_can_be_numbered_are_refused():
    """So that there is no model that could be fitted but not read back; as many as that are fitted and read."""
    entries = (np.ones(4), (np.arange(4), np.array([0, 1, 0, 1])))
    widest = sp.csr_array(entries, shape=(4, 2**32))
    model = CLASSES["SVC"](gamma=1.0).fit(widest, [0, 1, 0, 1])
    assert pickle.loads(pickle.dumps(model)).predict(widest).tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="4294967297 columns; there may be 4294967296"):
        CLASSES["SVC"](gamma=1.0).fit(sp.csr_array(entries, shape=(4, 2**32 + 1)), [0, 1, 0, 1])
