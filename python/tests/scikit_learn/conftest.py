"""Fixtures of scikit-learn's tests, the replacements around each test, the table of expected failures."""

from __future__ import annotations

from pathlib import Path

import pytest

# The seeds of `global_random_seed`, as scikit-learn chooses them (SKLEARN_TESTS_GLOBAL_RANDOM_SEED).
from sklearn.conftest import pytest_generate_tests  # noqa: F401

from ..estimators import PROVING
from .expected import EXPECTED
from .replace import replaced

HERE = Path(__file__).resolve().parent


def pytest_configure(config: pytest.Config) -> None:
    """Marks that scikit-learn's files use."""
    config.addinivalue_line("markers", "thread_unsafe: a mark of scikit-learn's tests, without effect here")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the expected failures, strictly."""
    for item in items:
        if item.path.parent == HERE and not PROVING:
            reason = EXPECTED.get(f"{item.path.name}::{item.name}")
            if reason:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.fixture(autouse=True)
def in_place():
    """Our classes under scikit-learn's names while a test runs."""
    with replaced():
        yield
