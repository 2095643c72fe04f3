"""scikit-learn's contract: every check that it offers to others, and those that it keeps for its own classes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

from .estimators import CLASSES, WITH_KERNELS, instances, of_kernel

# Of a class of its own scikit-learn also asks these (`sklearn/tests/test_common.py`).
INNER_CHECKS = ("check_dataframe_column_names_consistency", "check_param_validation")
TRANSFORMER_CHECKS = (
    "check_get_feature_names_out_error",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
)
DEFAULTS = [each() for each in CLASSES.values()]
#: The methods that take points.
METHODS = ("fit", "fit_predict", "fit_transform", "predict", "predict_proba", "predict_log_proba", "decision_function")
METHODS += ("transform", "score_samples")


def short(value) -> str:
    """An estimator by its class, a check by its name."""
    return value if isinstance(value, str) else type(value).__name__


@parametrize_with_checks(instances())
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    """A check of `sklearn.utils.estimator_checks` passes, legacy ones included, none expected to fail."""
    check(estimator)


@pytest.mark.parametrize("estimator", DEFAULTS, ids=short)
@pytest.mark.parametrize("check", INNER_CHECKS)
def test_it_would_be_one_of_scikit_learns_own(estimator, check):
    """Parameters are validated with scikit-learn's messages; column names are remembered and compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        getattr(estimator_checks, check)(type(estimator).__name__, clone(estimator))


@pytest.mark.parametrize("estimator", [e for e in DEFAULTS if hasattr(e, "transform")], ids=short)
@pytest.mark.parametrize("check", TRANSFORMER_CHECKS)
def test_a_transformer_names_and_frames_its_output(estimator, check):
    """Output columns have names; pandas and polars frames come out where they are asked for."""
    getattr(estimator_checks, check)(type(estimator).__name__, clone(estimator))


@pytest.mark.parametrize("setting", [{"kernel": "precomputed", "copy_X": False}])
def test_kernel_pca_that_may_overwrite_its_input_also_takes_a_read_only_one(setting):
    """`copy_X=False` does not make a read-only array an error."""
    estimator_checks.check_inplace_ensure_writeable("KernelPCA", CLASSES["KernelPCA"](**setting))


ARRAY_API = """
import sys, traceback
from sklearn.utils.estimator_checks import check_array_api_input
sys.path.append({parent!r})  # Behind the installed package, which the folder beside the tests must not hide.
from {package}.estimators import instances
failed = 0
for estimator in instances():
    # The check calls inverse_transform wherever there is one.
    if hasattr(estimator, "fit_inverse_transform"):
        if estimator.kernel == "precomputed":
            continue
        estimator.set_params(fit_inverse_transform=True)
    try:
        check_array_api_input(type(estimator).__name__, estimator, "numpy", expect_only_array_outputs=False)
    except Exception:
        failed += 1
        print(estimator, traceback.format_exc(limit=-3))
sys.exit(failed)
"""


def test_dispatch_by_the_array_api_changes_nothing():
    """With SCIPY_ARRAY_API set, for which a process of its own is needed, NumPy arrays give what they gave before."""
    here = os.path.dirname(os.path.abspath(__file__))
    parent, package = os.path.split(here)
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-P", "-c", ARRAY_API.format(parent=parent, package=package)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Sets(list):
    """Sets of one row each."""


def takes_rows(base):
    """The class, of vectors, each of which it takes as a set of one."""

    def over_sets(name):
        own = getattr(base, name)

        @functools.wraps(own)
        def method(self, X, *others, **named):
            if not isinstance(X, Sets):
                X = Sets(row[None] for row in validate_data(self, X, reset=name.startswith("fit"), dtype=np.float64))
            return own(self, X, *others, **named)

        return method

    def tags(self):
        found = base.__sklearn_tags__(self)
        found.input_tags.one_d_array, found.input_tags.two_d_array = False, True
        if found.transformer_tags is not None:
            found.transformer_tags.preserves_dtype = []
        return found

    parts = {name: over_sets(name) for name in METHODS if hasattr(base(), name)}
    return type(base.__name__, (base,), parts | {"__sklearn_tags__": tags, "__module__": __name__})


# Not KernelCCA, whose second view would be vectors.
OVER_SETS = {name: takes_rows(each) for name, each in WITH_KERNELS.items() if name != "KernelCCA"}
globals().update(OVER_SETS)  # Where pickle looks for them.


# Where the variables of one class against the others are all at their bounds, as with a wider kernel, weights are copies to the tolerance alone.
NARROWER = {"OneVsRestSVC": 0.1}


@parametrize_with_checks(
    [of_kernel(name, f"set(rbf(gamma={NARROWER.get(name, 0.01)}))", OVER_SETS) for name in OVER_SETS]
)
def test_it_is_an_estimator_of_scikit_learn_where_points_are_no_vectors(estimator, check):
    """All checks once more, by sets of one vector: the way of objects through an estimator has no gap."""
    check(estimator)
