"""Kernels and maps are their texts: expressions, and the numbers and calls in them."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsFloat, SupportsIndex, TypeVar

T = TypeVar("T")


class Expression:
    """What its text says: it never changes, and is compared, hashed, copied and pickled by its text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (repr(self),)

    def __copy__(self: T) -> T:
        return self

    def __deepcopy__(self: T, memo: dict[int, Any]) -> T:
        return self


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
