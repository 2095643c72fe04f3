"""Writes the reference of the package from its docstrings, as Markdown, to standard output."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

MODULES = ("mercer", "mercer.errors", "mercer.kernels", "mercer.plot")
#: Sections of a docstring, in the order in which they are written.
SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Examples")


def parts(doc: str) -> tuple[str, dict[str, str]]:
    """The beginning of a docstring, and its sections by their titles."""
    lines, found, title, body = inspect.cleandoc(doc).splitlines(), {}, "", []
    for line in lines:
        if body and line and set(line) == {"-"} and len(line) == len(body[-1]):
            found[title] = "\n".join(body[:-1]).strip()
            title, body = body[-1], []
        else:
            body.append(line)
    found[title] = "\n".join(body).strip()
    return found.pop(""), found


def entries(text: str) -> Iterator[tuple[str, str]]:
    """The entries of a section: `name : kind`, and the meaning."""
    head, meaning = "", []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            if head:
                yield head, " ".join(meaning)
            head, meaning = line, []
        else:
            meaning.append(line.strip())
    if head:
        yield head, " ".join(meaning)


def plain(text: str) -> str:
    """reStructuredText's marks as Markdown's."""
    return re.sub(r":\w+:`", "`", text).replace("``", "`")


def section(title: str, text: str) -> Iterator[str]:
    """A section of a docstring."""
    yield f"**{title}**\n"
    if title == "Examples":
        yield f"```text\n{text}\n```\n"
        return
    for head, meaning in entries(text):
        name, _, kind = head.partition(" : ")
        yield f"- `{name}`" + (f" ({plain(kind)})" if kind else "") + (f": {plain(meaning.strip())}" if meaning.strip() else "")
    yield ""


def signature(thing: Any) -> str:
    """The signature, without annotations, which the sections have."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(…)"
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def written(name: str, thing: Any, level: int) -> Iterator[str]:
    """A class or a function."""
    head, found = parts(inspect.getdoc(thing) or "")
    yield f"{'#' * level} {name}\n"
    if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
        yield f"```text\n{name}{signature(thing)}\n```\n"
    yield plain(head) + "\n"
    for title in SECTIONS:
        if found.get(title):
            yield from section(title, found[title])


def methods(thing: type) -> Iterator[tuple[str, Any]]:
    """The methods that a class of ours defines."""
    seen = set()
    for base in inspect.getmro(thing):
        if base.__module__.split(".")[0] != "mercer":
            continue
        for name, value in vars(base).items():
            if not name.startswith("_") and inspect.isfunction(value) and name not in seen:
                seen.add(name)
                yield name, getattr(thing, name)


def main() -> None:
    """Writes all."""
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print("# Every class and function\n\nFrom the docstrings of the package, which are tested.\n")
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        print(f"## {module_name}\n\n{plain(parts(inspect.getdoc(module) or '')[0])}\n")
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            thing = getattr(module, name)
            ours = (getattr(thing, "__module__", None) or "").split(".")[0] == "mercer"
            if not ours or not (inspect.isclass(thing) or inspect.isroutine(thing)):
                continue
            print("\n".join(written(name, thing, 3)))
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for method, value in methods(thing):
                    print("\n".join(written(f"{name}.{method}", value, 4)))


if __name__ == "__main__":
    main()
