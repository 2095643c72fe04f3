"""Docstrings: what many of them have to say is written once and filled in."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def sections(doc: str | None, setup: str) -> tuple[str, dict[str, str]]:
    """The beginning of a docstring, and its sections by their titles.

    Examples are what begins with the first prompt. Unless they import what they use of ours, the set-up stands before them.
    """
    text, prompt, examples = inspect.cleandoc(doc or "").partition("\n>>> ")
    parts = re.split(r"^(\w[\w ]*)\n-+\n", text + "\n", flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    if prompt:
        found["Examples"] = ("" if "from mercer" in examples else setup) + ">>> " + examples
    return parts[0].strip(), found


def entries(section: str) -> dict[str, str]:
    """The entries of a section by their names."""
    return {entry.split(" : ")[0].lstrip("*"): entry for entry in re.split(r"\n(?=\S)", section.strip()) if entry}


def entry(name: str, kind: str, meaning: str) -> str:
    """An entry for a parameter."""
    indent = 4 * " "
    return f"{name} : {kind}\n" + textwrap.fill(meaning, 116, initial_indent=indent, subsequent_indent=indent)


def known(**said: tuple[str, str]) -> dict[str, str]:
    """Entries for parameters of which kind and meaning are said."""
    return {name: entry(name, *each) for name, each in said.items()}


def joined(head: str, found: Mapping[str, str]) -> str:
    """A docstring of its beginning and its sections."""
    titled = (f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in found.items() if text.strip())
    return "\n\n".join((head, *titled)) + "\n"


def filled(function: F, shared: Mapping[str, str], returns: str = "", setup: str = "") -> F:
    """The function, its docstring with the entries that it leaves out of its parameters and of what it returns."""
    head, found = sections(function.__doc__, setup)
    given = {**shared, **entries(found.pop("Parameters", ""))}
    names = (name for name in inspect.signature(function).parameters if name in given)
    first = {"Parameters": "\n".join(given[name] for name in names), "Returns": found.pop("Returns", returns)}
    function.__doc__ = joined(head, first | found)
    return function


#: Parameters that functions on kernels and maps share.
KERNELS = known(
    kernel=("Kernel", "The kernel k."),
    map=("Map", "φ. ``k @ f @ g`` is k(f(g(x)), f(g(y)))."),
    X=("array-like, sparse matrix or data frame of shape (n, n_features), or list of str", "Points."),
    max_rows=("int, default=2000", "The most rows looked at; of more, this many spread evenly. Time grows with the cube."),
    n_functions=("int, default=10", "The most eigenfunctions kept."),
    low=("float, default=-1", "The first centre c."),
    high=("float, default=1", "The last centre c; the others lie evenly between them."),
    count=("int, default=11", "How many centres."),
    width=("float, default=0.2", "w > 0."),
)
_RETURNED = {"Kernel": "Kernel\n    The kernel.", "Map": "Map\n    The map."}


def documented(function: F) -> F:
    """A function on kernels or maps, its docstring with the entries that it leaves out."""
    returned = _RETURNED.get(function.__annotations__["return"], "")
    return filled(function, KERNELS, returned, f">>> from mercer.kernels import {function.__name__}\n")
