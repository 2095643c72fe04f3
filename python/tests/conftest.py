"""What all tests share: no windows, and where the sources are."""

import os
from pathlib import Path

import pytest

# Before anything imports matplotlib, and for what the tests start.
os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder `python/` of the sources."""
    return Path(__file__).resolve().parents[1]
