"""Parameters of estimators: declared, constrained and documented where they belong, and inherited.

A class that is `declared` lists its parameters as annotated class attributes. Its ``__init__`` takes them and those of
its bases, its own first. The docstring says what they mean; entries for those of its bases are inherited.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

from sklearn.utils._param_validation import Hidden, Interval, Options, StrOptions

from mercer import _mercer
from mercer.kernels import Kernel

__all__ = ["declared", "field"]

T = TypeVar("T")

#: What the parameters may be, in scikit-learn's terms; `_constraints` of a class has those that differ.
CONSTRAINTS: dict[str, Any] = {
    "kernel": [str, Kernel, callable],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "verbose": ["verbose"],
    "n_threads": [Interval(Integral, 1, _mercer.MAX_THREADS, closed="both"), Options(Integral, {-1}), None],
    "kernel_params": [dict, None],
    "tol": [Interval(Real, 0.0, None, closed="neither")],
    "cache_size": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, -1, None, closed="left")],
    "time_limit": [Interval(Real, 0.0, None, closed="neither"), None],
    "exact": ["boolean", StrOptions({"auto"})],
    "shrinking": ["boolean"],
    "C": [Interval(Real, 0.0, None, closed="right")],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "epsilon": [Interval(Real, 0.0, None, closed="left")],
    "probability": ["boolean", StrOptions({"sigmoid", "isotonic"}), Hidden(StrOptions({"deprecated"}))],
    "class_weight": [StrOptions({"balanced"}), dict, None],
    "random_state": ["random_state"],
    "fit_intercept": ["boolean"],
}


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def declared(cls: type[T]) -> type[T]:
    """Make the annotated attributes of a class the parameters of an estimator."""
    made: Any = dataclass(kw_only=True, eq=False, repr=False)(cls)
    own = [name for name in vars(cls).get("__annotations__", {}) if name in {each.name for each in fields(made)}]
    signature = inspect.signature(made.__init__)
    given = signature.parameters.values()
    first = sorted((each for each in given if each.name in own), key=lambda each: own.index(each.name))
    rest = (each for each in given if each.name not in (*own, "self"))
    order = sorted((*first, *rest), key=lambda each: each.kind)
    made.__init__.__signature__ = signature.replace(parameters=[signature.parameters["self"], *order])
    names = [each.name for each in order]
    differing = {name: rule for base in reversed(made.__mro__) for name, rule in vars(base).get("_constraints", {}).items()}
    made._parameter_constraints = {name: differing.get(name, CONSTRAINTS.get(name)) for name in names}
    made.__doc__ = _documented(made, names)
    return made  # type: ignore[no-any-return]


def _documented(cls: Any, names: list[str]) -> str:
    """The docstring of a class with the entries that it inherits; the class remembers its entries."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", inspect.cleandoc(cls.__doc__), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    cls._entries = {}
    for title in ("Parameters", "Attributes"):
        own = {_name(entry): entry for entry in re.split(r"\n(?=\S)", sections.get(title, "").strip()) if entry}
        cls._entries[title] = own
        bases = [vars(base).get("_entries", {}).get(title, {}) for base in reversed(cls.__mro__)]
        known = {name: entry for entries in bases for name, entry in entries.items()}
        order = names if title == "Parameters" else [*own, *(name for name in known if name not in own)]
        sections[title] = "\n".join(known[name] for name in order if name in known) + "\n\n"
    titles = ["Parameters", "Attributes", *(title for title in parts[1::2] if title not in cls._entries)]
    return parts[0] + "".join(f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in titles)


def _name(entry: str) -> str:
    return entry.split(" : ")[0]
