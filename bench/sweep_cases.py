"""The cases of the sweep: data sets with settings that people fit, good ones and others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

import data
from place import PREPARED

Part = tuple[sp.csr_matrix, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A fit."""

    data: str
    machine: str = "svc"
    kernel: str = "rbf"
    c: float = 1.0
    gamma: float = 1.0
    nu: float = 0.1
    epsilon: float = 0.1
    alpha: float = 1.0
    components: int = 10
    #: Whether it is part of the small sweep.
    quick: bool = False

    @property
    def setting(self) -> str:
        """For people."""
        own = {
            "svc": f"C={self.c:g}",
            "nu-svc": f"ν={self.nu:g}",
            "svr": f"C={self.c:g} ε={self.epsilon:g}",
            "one-class": f"ν={self.nu:g}",
            "ridge": f"λ={self.alpha:g}",
            "kpca": f"{self.components} components",
        }[self.machine]
        kernel = "linear" if self.kernel == "linear" else f"γ={self.gamma:.3g}"
        return f"{self.machine} {own} {kernel}"

    @property
    def name(self) -> str:
        """What `--only` looks at, and what tells results apart."""
        return f"{self.data}: {self.setting}"

    def fields(self) -> dict:
        """Its fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def read(name: str, folder: str = "classification", features: int | None = None) -> Part:
    """A LIBSVM file."""
    x, y = load_svmlight_file(str(data.source(f"{folder}/{name}.libsvm.gz")), n_features=features)
    return sp.csr_matrix(x), y


def standardised(part: Part) -> Part:
    """Columns of mean 0 and deviation 1."""
    x = part[0].toarray()
    scale = x.std(axis=0)
    return sp.csr_matrix((x - x.mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)), part[1]


def target_scaled(part: Part) -> Part:
    """Columns and target standardised."""
    x, y = standardised(part)
    return x, (y - y.mean()) / y.std()


def first(part: Part, rows: int) -> Part:
    """The first rows."""
    return part[0][:rows], part[1][:rows]


def drawn(part: Part, rows: int) -> Part:
    """Rows drawn with a fixed seed."""
    index = np.sort(np.random.default_rng(0).permutation(part[0].shape[0])[:rows])
    return part[0][index], part[1][index]


def clusters(classes: int, rows: int, columns: int) -> Part:
    """`rows` points around a centre of each class."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(classes, columns))
    x = np.repeat(centres, rows, axis=0) + 0.7 * random.normal(size=(classes * rows, columns))
    return sp.csr_matrix(x), np.repeat(np.arange(classes, dtype=float), rows)


def normalised(part: Part) -> Part:
    """Rows of length 1, entries log(1 + count): what one does with texts."""
    x = part[0].copy()
    x.data = np.log1p(x.data)
    length = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1.0 / np.maximum(length, 1e-12)) @ x), part[1]


SETS: dict[str, Callable[[], Part]] = {
    "iris": lambda: read("iris_scale"),
    "wine": lambda: read("wine_scale"),
    "sonar": lambda: read("sonar_scale"),
    "glass": lambda: read("glass_scale"),
    "heart": lambda: read("heart_scale"),
    "vowel": lambda: read("vowel.scale"),
    "australian": lambda: read("australian_scale"),
    "diabetes": lambda: read("diabetes_scale"),
    "digits": lambda: read("digits8x8"),
    "svmguide1": lambda: standardised(read("svmguide1")),
    "spambase": lambda: standardised(read("spambase")),
    "covtype": lambda: read("covtype10k"),
    "mushrooms": lambda: read("mushrooms"),
    "usps": lambda: read("usps"),
    "letter": lambda: data.letter()[0],
    "mnist5k": lambda: first(data.mnist10k()[0], 5000),
    "mnist10k": lambda: data.mnist10k()[0],
    "a9a": lambda: read("a9a", features=123),
    "w8a": lambda: data.w8a()[0],
    "ijcnn1": lambda: read("ijcnn1", features=22),
    "skin20k": lambda: drawn(data.skin()[0], 20_000),
    "reuters": lambda: read("reuters_moneyfx"),
    "news20": lambda: read("news20"),
    "news20n": lambda: normalised(read("news20")),
    "classes50x20": lambda: clusters(50, 20, 20),
    "classes200x5": lambda: clusters(200, 5, 20),
    "housing": lambda: target_scaled(read("housing_scale", "regression")),
    "abalone": lambda: target_scaled(read("abalone_scale", "regression")),
    "cpusmall": lambda: target_scaled(read("cpusmall_scale", "regression")),
    "kin8nm": lambda: target_scaled(read("kin8nm", "regression")),
    "cadata": lambda: data.cadata()[0],
    **{
        f"kin8nm-{n}": lambda n=n: first(target_scaled(read("kin8nm", "regression")), n)
        for n in (500, 1000, 1600, 3000)
    },
    **{f"digits-{n}": lambda n=n: first(standardised(read("digits8x8")), n) for n in (500, 1000)},
    "mnist3k": lambda: first(data.mnist10k()[0], 3000),
}


def load(name: str) -> Part:
    """A data set, from the folder of prepared ones where it is there."""
    path = PREPARED / "sweep" / f"{name}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        x, y = SETS[name]()
        x = sp.csr_matrix(x)
        x.sort_indices()
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, data=x.data, indices=x.indices, indptr=x.indptr, shape=x.shape, y=y)
        unfinished.rename(path)
    made = np.load(path)
    return sp.csr_matrix((made["data"], made["indices"], made["indptr"]), shape=made["shape"]), made["y"]


def svc(name: str, *settings: tuple[float, float], quick: int = 1, **more) -> list[Case]:
    """C-SVC with these C and γ, the first `quick` of them in the small sweep."""
    return [Case(name, c=c, gamma=g, quick=i < quick, **more) for i, (c, g) in enumerate(settings)]


def linear(name: str, *prices: float, quick: int = 1) -> list[Case]:
    """C-SVC with a linear kernel."""
    return [Case(name, kernel="linear", c=c, quick=i < quick) for i, c in enumerate(prices)]


CASES: tuple[Case, ...] = (
    # A few hundred points.
    *svc("iris", (1, 0.25), (1000, 0.01)),
    *svc("wine", (1, 0.08), (100, 1.0)),
    *svc("sonar", (10, 0.1), (0.01, 0.01), (1e4, 1.0)),
    *svc("glass", (10, 1.0), (2048, 0.25), (0.1, 10.0)),
    *svc("heart", (1, 0.08), (1000, 0.01), (10, 10.0)),
    *svc("vowel", (16, 1.0), (1000, 0.1), (0.1, 1.0)),
    *svc("australian", (1, 0.07), (1000, 0.5)),
    *svc("diabetes", (1, 0.12), (100, 5.0)),
    # A few thousand.
    *svc("digits", (10, 0.001), (1, 0.1), (1000, 1e-5), quick=2),
    *svc("svmguide1", (10, 0.5), (0.01, 10.0), (1e4, 0.01)),
    *svc("spambase", (1, 0.02), (100, 0.1)),
    *svc("covtype", (10, 1.0), (1, 20.0), (1000, 0.01)),
    *svc("mushrooms", (1, 0.01), (0.001, 0.1)),
    # Many classes.
    *svc("usps", (10, 1 / 128), (1, 0.1), (0.01, 0.01)),
    *svc("mnist5k", (10, 0.02), (1, 0.1)),
    *svc("mnist10k", (10, 0.02), quick=0),
    *svc("letter", (16, 4.0), (1, 0.5), quick=0),
    *svc("classes50x20", (1, 0.05), (100, 0.01)),
    *svc("classes200x5", (1, 0.05), (100, 0.01)),
    # Large ones.
    *svc("a9a", (1, 1 / 123), (0.01, 0.1), quick=0),
    *svc("w8a", (8, 0.05), (10, 0.5), quick=0),
    *svc("ijcnn1", (10, 1.0), (1, 10.0), quick=0),
    *svc("skin20k", (10, 10.0), (0.1, 1.0)),
    # Texts, and linear kernels.
    *linear("reuters", 1, 100),
    *svc("reuters", (10, 0.1), quick=0),
    *linear("news20", 1, quick=0),
    *linear("news20n", 1, quick=0),
    *svc("news20n", (10, 0.5), quick=0),
    *linear("heart", 1),
    *linear("digits", 0.01),
    # Regression.
    *(Case("housing", "svr", c=10, gamma=0.1, quick=True), Case("housing", "svr", c=1000, gamma=1.0)),
    *(Case("abalone", "svr", c=1, gamma=0.1, quick=True), Case("abalone", "svr", c=10, gamma=1.0, epsilon=0.5)),
    *(Case("cpusmall", "svr", c=10, gamma=0.1, quick=True), Case("kin8nm", "svr", c=10, gamma=0.1, quick=True)),
    Case("cadata", "svr", c=10, gamma=0.5),
    # ν, and one class.
    *(Case(name, "nu-svc", nu=nu, gamma=g, quick=True) for name, nu, g in (("heart", 0.5, 0.08), ("digits", 0.05, 0.001))),
    Case("svmguide1", "nu-svc", nu=0.1, gamma=0.5),
    *(Case(name, "one-class", nu=nu, gamma=g, quick=True) for name, nu, g in (("heart", 0.1, 0.08), ("digits", 0.5, 0.001))),
    *(Case("spambase", "one-class", nu=0.1, gamma=0.02), Case("mnist5k", "one-class", nu=0.1, gamma=0.02)),
    # Linear algebra.
    *(Case(f"kin8nm-{n}", "ridge", alpha=0.1, gamma=0.1, quick=n != 1600) for n in (500, 1000, 1600, 3000)),
    Case("housing", "ridge", alpha=1.0, gamma=0.1, quick=True),
    *(Case(f"kin8nm-{n}", "kpca", gamma=0.1, quick=n != 1600) for n in (500, 1000, 1600, 3000)),
    *(Case(f"digits-{n}", "kpca", gamma=0.01, quick=True) for n in (500, 1000)),
    Case("mnist3k", "kpca", gamma=0.02),
)
