"""Tests of the Python package: `pytest python/tests`, with the package installed."""
