"""The benchmark's data sets, each converted once into `target/bench-data` and then the same for every program.

A set `NAME` becomes `NAME.libsvm` (text, for mercer) and `NAME.npz` (the same numbers as CSR, for the peers), and
the same with `NAME.t` where there is a test part (its first 10,000 rows). Values are rounded to seven digits before either is written, so
that text and arrays hold exactly the same numbers.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from place import PREPARED, SHARED

# More would only show LIBSVM's patience: it predicts a few thousand rows in a second.
TEST_ROWS = 10_000

Part = tuple[sp.csr_matrix, np.ndarray]
Loaded = tuple[Part, Part | None]


class Missing(Exception):
    """A file that a data set is made from is not there."""


def source(name: str) -> Path:
    """A file of the full data sets."""
    path = SHARED / name
    if not path.exists():
        raise Missing(name)
    return path


def libsvm(name: str, features: int) -> Part:
    """A LIBSVM file of the classification folder."""
    x, y = load_svmlight_file(str(source(f"classification/{name}.libsvm.gz")), n_features=features)
    return sp.csr_matrix(x), y


def pair(name: str, features: int) -> Loaded:
    """A set that comes with a test part."""
    return libsvm(name, features), libsvm(f"{name}.t", features)


def cadata() -> Loaded:
    """Houses: columns and target standardised by the first 16,512 rows, which are for training."""
    x, y = load_svmlight_file(str(source("regression/cadata.libsvm.gz")))
    x, rows = x.toarray(), 16_512
    x = (x - x[:rows].mean(axis=0)) / x[:rows].std(axis=0)
    y = (y - y[:rows].mean()) / y[:rows].std()
    return (sp.csr_matrix(x[:rows]), y[:rows]), (sp.csr_matrix(x[rows:]), y[rows:])


def w8a() -> Loaded:
    """Without its test file: the last rows of the training file take its place."""
    x, y = libsvm("w8a", 300)
    return (x[:45_000], y[:45_000]), (x[45_000:], y[45_000:])


def letter() -> Loaded:
    """The training and the validation part together, as in Hsu and Lin (2002)."""
    (x, y), (v, w) = libsvm("letter.scale.tr", 16), libsvm("letter.scale.val", 16)
    return (sp.vstack([x, v], format="csr"), np.concatenate([y, w])), libsvm("letter.scale.t", 16)


def mnist10k() -> Loaded:
    """The first 10,000 digits, pixels in [0, 1]."""
    (x, y), (t, z) = libsvm("mnist_first10k", 784), libsvm("mnist.t", 784)
    return (x / 255, y), (t / 255, z)


def mnist60k() -> Loaded:
    """All digits, pixels in [0, 1], from the original IDX files."""
    with gzip.open(source("classification/mnist.train-images-idx3-ubyte.gz")) as images:
        pixels = np.frombuffer(images.read()[16:], dtype=np.uint8).reshape(-1, 784)
    with gzip.open(source("classification/mnist.train-labels-idx1-ubyte.gz")) as labels:
        y = np.frombuffer(labels.read()[8:], dtype=np.uint8).astype(float)
    t, z = libsvm("mnist.t", 784)
    return (sp.csr_matrix(pixels / 255), y), (t / 255, z)


def skin() -> Loaded:
    """All rows for training, colours in [0, 1]; no test part."""
    x, y = libsvm("skin_nonskin", 3)
    return (x / 255, y), None


def cov50k() -> Loaded:
    """The covtype-shaped synthetic set, made by its own script."""
    prefix = PREPARED / "syn_cov"
    subprocess.run([sys.executable, source("syn_cov.py"), prefix], check=True)
    parts = []
    for suffix in ("tr", "te"):
        made = np.load(f"{prefix}.{suffix}.npz")
        x = sp.csr_matrix((made["data"], made["indices"], made["indptr"]), shape=made["shape"])
        parts.append((x, made["y"]))
        Path(f"{prefix}.{suffix}.npz").unlink()
        Path(f"{prefix}.{suffix}").unlink()
    return parts[0], parts[1]


SETS: dict[str, Callable[[], Loaded]] = {
    "a9a": lambda: pair("a9a", 123),
    "cadata": cadata,
    "cov50k": cov50k,
    "heart": lambda: (libsvm("heart_scale", 13), None),
    "ijcnn1": lambda: pair("ijcnn1", 22),
    "letter": letter,
    "mnist10k": mnist10k,
    "mnist60k": mnist60k,
    "skin": skin,
    "w8a": w8a,
}


def rounded(x: sp.csr_matrix) -> tuple[sp.csr_matrix, np.ndarray]:
    """x with its values rounded to seven digits, and the text of each value."""
    x = x.copy()
    x.sort_indices()
    x.eliminate_zeros()
    values, which = np.unique(x.data, return_inverse=True)
    texts = np.array([f"{value:.7g}" for value in values], dtype=object)
    x.data = texts.astype(float)[which]
    return x, texts[which]


def write(name: str, part: Part) -> None:
    """Writes both forms; the text under a temporary name first, so that a half-written file is never used."""
    x, texts = rounded(part[0])
    y = np.array([float(f"{label:.7g}") for label in part[1]])
    np.savez(PREPARED / f"{name}.npz", data=x.data, indices=x.indices, indptr=x.indptr, shape=x.shape, y=y)
    unfinished = PREPARED / f"{name}.unfinished"
    with open(unfinished, "w", encoding="ascii") as file:
        indices = (x.indices + 1).astype(str)
        for i, label in enumerate(y):
            span = slice(x.indptr[i], x.indptr[i + 1])
            entries = (f" {j}:{v}" for j, v in zip(indices[span], texts[span]))
            file.write(f"{label:.7g}{''.join(entries)}\n")
    unfinished.rename(PREPARED / f"{name}.libsvm")


def prepare(name: str) -> tuple[Path, Path | None]:
    """Makes a set where it is not there yet; the text files of its training and test part.

    Raises `Missing` where a source file is not to be had.
    """
    PREPARED.mkdir(parents=True, exist_ok=True)
    train, test = PREPARED / f"{name}.libsvm", PREPARED / f"{name}.t.libsvm"
    if not train.exists():
        print(f"    preparing {name} in target/bench-data", flush=True)
        first, second = SETS[name]()
        # The training part is written last: its presence says that the set is complete.
        if second is not None:
            write(f"{name}.t", (second[0][:TEST_ROWS], second[1][:TEST_ROWS]))
        write(name, first)
    return train, test if test.exists() else None


def load(text: Path) -> Part:
    """The arrays that belong to a prepared text file."""
    made = np.load(text.with_suffix(".npz"))
    return sp.csr_matrix((made["data"], made["indices"], made["indptr"]), shape=made["shape"]), made["y"]


def repeated(text: Path, times: int) -> Path:
    """A text file that holds another one several times over."""
    long = text.with_name(f"{text.stem}_x{times}.libsvm")
    if not long.exists():
        long.write_bytes(text.read_bytes() * times)
    return long
