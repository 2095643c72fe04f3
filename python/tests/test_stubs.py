"""The types: those of the native module are generated and right, and the package keeps to them."""

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def stubs(folder: Path) -> ModuleType:
    """`tools/stubs.py`, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("stubs", folder / "tools" / "stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ran(*arguments: str, folder: Path) -> str:
    """What a module of Python's prints where it finds something to say; nothing where all is well."""
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("maturin") is None or shutil.which(os.environ.get("CARGO", "cargo")) is None,
    reason="needs maturin and cargo",
)


@needs_compiler
def test_stub_is_the_one_generated(stubs: ModuleType) -> None:
    # As syntax trees: how Python writes one down differs between its versions.
    kept, generated = (ast.dump(ast.parse(text), indent=1) for text in (stubs.STUB.read_text("utf-8"), stubs.stub()))
    assert kept == generated, "run `cargo xtask stubs`"


def test_stub_leaves_no_type_open(stubs: ModuleType) -> None:
    # A member that PyO3 cannot see, or an argument without a type: see CONTRIBUTING.md.
    opened = [line for line in stubs.STUB.read_text("utf-8").splitlines() if "Incomplete" in line]
    assert opened == []


def test_texts_become_annotations_with_their_imports(stubs: ModuleType) -> None:
    generated = '"""Doc."""\ndef f(x: "numpy.typing.NDArray[numpy.float64]", y: "str" = "a") -> "list[int]": ...\n'
    lines = stubs.finished(generated).splitlines()
    assert lines[2:4] == ["import numpy", "import numpy.typing"]
    assert "def f(x: numpy.typing.NDArray[numpy.float64], y: str='a') -> list[int]: ..." in lines


def test_stub_agrees_with_the_module(tmp_path: Path) -> None:
    assert ran("mypy.stubtest", "mercer._mercer", folder=tmp_path) == ""


def test_package_keeps_to_its_types(folder: Path, request: pytest.FixtureRequest) -> None:
    cache = str(request.config.cache.mkdir("mypy"))
    assert ran("mypy", "--cache-dir", cache, "mercer", folder=folder) == ""
