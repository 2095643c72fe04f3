"""The runner: every test of scikit-learn's files is run on our classes, and expectations name real tests."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from .expected import EXPECTED
from .replace import FILES, STAND_INS, load

HERE = Path(__file__).resolve().parent


@cache
def collected() -> frozenset[str]:
    """`file::test[parameters]` of every test that pytest finds in this folder."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--no-header", "--disable-warnings", str(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ids = [line for line in done.stdout.splitlines() if "::" in line]
    return frozenset(f"{Path(file).name}::{test}" for file, _, test in (line.partition("::") for line in ids))


@pytest.mark.parametrize("module", FILES)
def test_every_test_of_the_installed_file_is_run(module):
    """The functions named test_* in scikit-learn's file are those that pytest collects here."""
    source = Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")
    theirs = {node.name for node in ast.parse(source).body if getattr(node, "name", "").startswith("test_")}
    ours = {name.partition("::")[2].partition("[")[0] for name in collected() if name.startswith(f"{FILES[module]}::")}
    assert theirs and ours == theirs


@pytest.mark.parametrize("module", FILES)
def test_the_names_of_a_loaded_file_mean_our_classes(module):
    """Wherever a replaced class is a global of the file, it is ours."""
    ours = {name: stand for stands in STAND_INS.values() for name, stand in stands.items()}
    names = load(module)
    assert all(names[name] is stand for name, stand in ours.items() if name in names)


def test_an_expected_failure_names_a_test():
    """An entry of the table that names no test is an error, not a reason."""
    assert set(EXPECTED) <= collected()
