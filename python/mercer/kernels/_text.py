"""Numbers and calls in the text of kernels and maps."""

from __future__ import annotations

from operator import index
from typing import SupportsFloat, SupportsIndex


def real(value: SupportsFloat) -> str:
    """The shortest text that reads back to the same bits; there is only one zero."""
    return repr(float(value) + 0.0)


def whole(value: SupportsIndex) -> str:
    """The text of a whole number."""
    return str(index(value))


def call(name: str, **arguments: str | None) -> str:
    """The text of a kernel or map with those of its arguments that are there."""
    given = ", ".join(f"{key}={value}" for key, value in arguments.items() if value is not None)
    return f"{name}({given})"


def word(value: str) -> str:
    """A name that is an argument: nothing but letters, digits and underscores, so that it cannot be more than one."""
    if not isinstance(value, str):
        raise TypeError(f"expected a name, not {type(value).__name__}")
    if not value.isidentifier():
        raise ValueError(f"{value!r} is not a name")
    return value
