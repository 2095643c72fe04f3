"""Everything public is documented the way NumPy and scikit-learn do it, and each example is true."""

import dataclasses
import doctest
import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

MODULES = ["mercer", "mercer.errors", "mercer.kernels", "mercer.plot"]

# What numpydoc calls them; all else it can find (line breaks, capitals, see also, ...) is taste.
CHECKS = {
    "GL08": "there is a docstring",
    "SS01": "it begins with a summary",
    "SS06": "of one line",
    "PR01": "all parameters are there",
    "PR02": "and no others",
    "PR03": "in the order of the signature",
    "PR04": "each with its type",
    "PR07": "and what it means",
    "RT01": "what is returned",
    "RT03": "with what it means",
    "YD01": "what is yielded",
}
EXAMPLES = {"EX01": "there is an example"}

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def public(module_name: str) -> Iterator[str]:
    """Full names of the classes and functions that a module offers."""
    module = importlib.import_module(module_name)
    for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
        thing = getattr(module, name)
        ours = (getattr(thing, "__module__", None) or "").split(".")[0] == "mercer"
        if ours and (inspect.isclass(thing) or inspect.isroutine(thing)):
            yield f"{module_name}.{name}"


def members(name: str) -> Iterator[str]:
    """Full names of the public methods and properties that our classes define; what scikit-learn gives is its own."""
    for base in inspect.getmro(thing(name)):
        if base.__module__.split(".")[0] != "mercer":
            continue
        for member, value in vars(base).items():
            given = type(value).__name__ == "RequestMethod"
            described = inspect.isroutine(value) or isinstance(value, (classmethod, staticmethod, property))
            if not member.startswith("_") and (described or inspect.isgetsetdescriptor(value)) and not given:
                yield f"{name}.{member}"


def thing(name: str) -> object:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


OFFERED = [name for module in MODULES for name in public(module)]
CLASSES = [name for name in OFFERED if inspect.isclass(thing(name))]
ERRORS = [name for name in CLASSES if issubclass(thing(name), BaseException)]
MEMBERS = sorted({member for name in CLASSES if name not in ERRORS for member in members(name)})


def broken(name: str, checks: dict[str, str]) -> list[str]:
    # What a dataclass holds is its attributes, which it lists as such; an estimator has parameters.
    data = name in OFFERED and dataclasses.is_dataclass(thing(name)) and not hasattr(thing(name), "fit")
    holds = data and "Attributes" in (inspect.getdoc(thing(name)) or "")
    errors = validate(name)["errors"]
    return [f"{code}: {text}" for code, text in errors if code in checks and not (holds and code == "PR01")]


@pytest.mark.parametrize("name", MODULES)
def test_module_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(importlib.import_module(name))


@pytest.mark.parametrize("name", [name for name in OFFERED if name not in ERRORS])
def test_what_is_offered_is_documented_with_an_example(name: str) -> None:
    assert broken(name, CHECKS | EXAMPLES) == []


@pytest.mark.parametrize("name", ERRORS)
def test_error_says_when_it_is_raised(name: str) -> None:
    assert vars(thing(name)).get("__doc__")


@pytest.mark.parametrize("name", MEMBERS)
def test_member_is_documented(name: str) -> None:
    assert broken(name, CHECKS) == []


@pytest.mark.parametrize("name", [name for name in CLASSES if hasattr(thing(name), "fit")])
def test_estimator_lists_its_attributes(name: str) -> None:
    attributes = [entry.name for entry in NumpyDocString(inspect.getdoc(thing(name)) or "")["Attributes"]]
    assert attributes
    # scikit-learn's promise: what is learned ends in an underscore, and nothing else does.
    assert [attribute for attribute in attributes if not attribute.endswith("_")] == []


@pytest.mark.parametrize("name", MODULES + OFFERED)
def test_examples_are_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = importlib.import_module(name) if name in MODULES else thing(name)
    # Examples import what they use: a reader copies them as they are.
    found = doctest.DocTestFinder(recurse=name not in MODULES).find(here, name, globs={})
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    report: list[str] = []
    for test in found:
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_the_reference_has_every_section_of_every_docstring() -> None:
    script = Path(__file__).resolve().parents[1] / "reference.py"
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", env=os.environ, check=True)
    headings = [line.removeprefix("### ") for line in done.stdout.splitlines() if line.startswith("### ")]
    assert headings == [name.rpartition(".")[2] for name in OFFERED]
    assert "``" not in done.stdout.replace("```", "")
    parameters = sum("Parameters" in (inspect.getdoc(thing(name)) or "") for name in OFFERED)
    assert done.stdout.count("**Parameters**") >= parameters
