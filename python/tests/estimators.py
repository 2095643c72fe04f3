"""The classes under test, by name, and the settings in which they are tested.

With `MERCER_REPLACE=scikit-learn` in the environment they are empty subclasses of scikit-learn's own classes, as far as
it has them: what fails then is the test's fault, or a known failing of scikit-learn's.
"""

from __future__ import annotations

import importlib
import os

PROVING = os.environ.get("MERCER_REPLACE") == "scikit-learn"

# The classes of scikit-learn that ours stand in for, and the modules from which users import them.
THEIRS = {
    "SVC": "sklearn.svm",
    "NuSVC": "sklearn.svm",
    "SVR": "sklearn.svm",
    "NuSVR": "sklearn.svm",
    "OneClassSVM": "sklearn.svm",
    "LinearSVC": "sklearn.svm",
    "LinearSVR": "sklearn.svm",
    "LogisticRegression": "sklearn.linear_model",
    "KernelPCA": "sklearn.decomposition",
    "KernelRidge": "sklearn.kernel_ridge",
}
#: The classes of the package that scikit-learn does not have; :class:`SearchCV`, which takes an estimator, has tests of its own.
OWN = tuple(
    name
    for name in importlib.import_module("mercer").__all__
    if name not in THEIRS and name != "SearchCV" and hasattr(getattr(importlib.import_module("mercer"), name), "get_params")
)


def found(name: str) -> type:
    """The class of that name under test."""
    if not PROVING:
        return getattr(importlib.import_module("mercer"), name)
    theirs = getattr(importlib.import_module(THEIRS[name]), name)
    return type(name, (theirs,), {"__module__": __name__, "__doc__": theirs.__doc__})


CLASSES: dict[str, type] = {name: found(name) for name in (*THEIRS, *(() if PROVING else OWN))}
#: Those that take a kernel, and so points of any space; the linear models take vectors alone.
WITH_KERNELS = {name: each for name, each in CLASSES.items() if {"kernel", "affinity"} & set(each().get_params())}
# pickle looks a class up by its module.
globals().update(CLASSES if PROVING else {})

# Beside the default parameters. Not here, because a check asks for something else than scikit-learn's definition: "ovo"
# (`check_classifiers_train` wants one column a class), class_weight="balanced" (it counts rows, not weights, so that
# weights are not repeated rows), NuSVC on a Gram matrix (nu = 0.5 is infeasible on its few and uneven rows).
#: Not among them yet: LinearSVC with all classes in one problem or by its dual, whose weights are copies to 1e-6, not to the 1e-7 of the check.
#: Not among them: a kernel that is not semi-definite ("sigmoid"), whose answer is one of several, and linear kernels for
#: the machines of all classes together, which have no constant to move the border by.
SETTINGS: dict[str, tuple[dict, ...]] = {
    "SVC": (
        {"kernel": "linear"},
        {"kernel": "poly"},
        {"kernel": "precomputed"},
        {"gamma": 0.5},
        {"break_ties": True},
    ),
    "NuSVC": ({"nu": 0.3},),
    "SVR": ({"kernel": "linear"}, {"kernel": "poly"}, {"kernel": "precomputed"}),
    "NuSVR": ({"kernel": "linear"}, {"kernel": "precomputed"}),
    "OneClassSVM": ({"kernel": "linear"}, {"nu": 0.1}),
    "KernelRidge": ({"kernel": "rbf"}, {"kernel": "precomputed"}, {"kernel": "laplacian"}),
    "KernelPCA": (
        {"kernel": "rbf"},
        {"kernel": "rbf", "fit_inverse_transform": True},
        {"kernel": "precomputed", "n_components": 2},
        {"n_components": 2, "eigen_solver": "arpack"},
        {"n_components": 2, "eigen_solver": "randomized"},
    ),
    "LinearSVC": ({"loss": "hinge"}, {"penalty": "l1"}),
    "LogisticRegression": ({"solver": "liblinear"}, {"solver": "liblinear", "l1_ratio": 1.0}),
    "PegasosClassifier": ({"loss": "log_loss", "batch_size": 4}, {"learning_rate": "root", "eta0": 0.1, "projection": False}),
    "LinearOneClassSVM": ({"nu": 0.1},),
    "LinearSVR": ({"loss": "squared_epsilon_insensitive"},),
    "CrammerSingerSVC": ({"C": 10.0},),
    "WestonWatkinsSVC": ({"C": 10.0},),
    "KernelSoftmax": ({"C": 10.0},),
    "OneVsRestSVC": ({"kernel": "linear"},),
    "KernelFisher": ({"kernel": "linear"},),
    "SVDD": ({"kernel": "linear"},),
    "KernelKMeans": ({"kernel": "linear"}, {"init": "random"}),
    "SpectralClustering": ({"affinity": "nearest_neighbors"},),
    # Not with widths by evidence: each fit is a search, and the checks would take minutes.
    "RVC": ({"likelihood": "multinomial"},),
    "KernelSOM": ({"kernel": "rbf", "grid": "hexagonal"}, {"training": "online"}),
    "RBFNetworkClassifier": (
        {"kernel": "linear", "width": "nearest"},
        {"centers": "ols"},
        {"output": "logistic", "alpha": 0.1},
    ),
    # Not with orthogonal least squares, which stops by points left out: copies are not weights there.
    "RBFNetworkRegressor": (
        {"kernel": "linear", "width": "nearest"},
        {"centers": "all", "alpha": 0.1},
    ),
}


def of_kernel(name: str, kernel: object, classes: dict[str, type] = CLASSES) -> object:
    """An unfitted estimator of the class `name` with that kernel, which spectral clustering calls an affinity."""
    made = classes[name]
    # Medoids are drawn in the order of the rows, of which kernel values alone have none but that of the data.
    setting = {"centers": "all"} if name.startswith("RBFNetwork") else {}
    return made(**{"kernel" if "kernel" in made().get_params() else "affinity": kernel}, **setting)


def instances(names: tuple[str, ...] | None = None) -> list:
    """One unfitted estimator for each class and setting."""
    chosen = CLASSES if names is None else [name for name in names if name in CLASSES]
    return [CLASSES[name](**setting) for name in chosen for setting in ({}, *SETTINGS.get(name, ()))]
