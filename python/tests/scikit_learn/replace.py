"""Which classes stand in for scikit-learn's, and how one of its test files is imported with them in place.

Nothing of scikit-learn is copied: `load` imports the installed file while the names below mean our classes. Tests
look some of the names up only when they run, so `conftest.py` puts the same replacements in place around each test.

With `MERCER_REPLACE=scikit-learn` (see `estimators.py`) every test must pass: a failure is not the runner's.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from ..estimators import CLASSES, THEIRS

# Their test file -> our file that shows its tests.
FILES = {
    "sklearn.svm.tests.test_svm": "test_svm.py",
    "sklearn.svm.tests.test_sparse": "test_sparse.py",
    "sklearn.decomposition.tests.test_kernel_pca": "test_kernel_pca.py",
    "sklearn.tests.test_kernel_ridge": "test_kernel_ridge.py",
}
# Module of scikit-learn from which users import -> what the names mean there meanwhile.
STAND_INS = {
    module: {name: CLASSES[name] for name, home in THEIRS.items() if home == module} for module in set(THEIRS.values())
}


@contextmanager
def replaced() -> Iterator[None]:
    """scikit-learn's public modules with our classes in them; theirs again afterwards."""
    patches = [patch.multiple(module, **stands) for module, stands in STAND_INS.items()]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in reversed(patches):
            each.stop()


def load(module: str) -> dict[str, object]:
    """The names of one of scikit-learn's test files, imported with our classes in place."""
    pytest.register_assert_rewrite(module)
    kept = {name: sys.modules.pop(name, None) for name in FILES}
    try:
        with replaced():
            loaded = importlib.import_module(module)
    finally:
        # Nobody else may meet the changed module.
        for name, before in kept.items():
            sys.modules.pop(name, None)
            if before is not None:
                sys.modules[name] = before
    return {name: value for name, value in vars(loaded).items() if not name.startswith("__")}
