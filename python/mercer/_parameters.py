"""Parameters of estimators: each is declared, constrained and documented in one place, and inherited.

A class that is `declared` lists its parameters as annotated class attributes. Its ``__init__`` takes them and those of
its bases, its own first. The sections of its docstring on parameters and attributes, and the docstrings of its methods, are
filled in from what is declared here, in its bases and in the native library's table of methods.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.utils._param_validation import Hidden, Interval, Options, StrOptions

from mercer import _mercer
from mercer._docs import entries, entry, filled, joined, known, sections
from mercer.kernels import Kernel

T = TypeVar("T")

#: What parameters of several classes may be, in scikit-learn's terms.
RULES: dict[str, Any] = {
    "kernel": [str, Kernel, callable],
    "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "C": [Interval(Real, 0.0, None, closed="right")],
    "nu": [Interval(Real, 0.0, 1.0, closed="right")],
    "random_state": ["random_state"],
}
#: Rules of values without bounds, of whole numbers and of positive numbers.
FLAG = ["boolean"]
COUNT = [Interval(Integral, 1, None, closed="left")]
POSITIVE = [Interval(Real, 0.0, None, closed="neither")]
NON_NEGATIVE = [Interval(Real, 0.0, None, closed="left")]

#: The words for what a rule admits, where it is no interval and no list of words.
_KINDS: dict[Any, str] = {
    "boolean": "bool", "verbose": "bool", "random_state": "int, RandomState instance or None", "array-like": "array-like",
    str: "str", dict: "dict", list: "list", Kernel: "Kernel", callable: "callable", Integral: "int",
}

#: Parameters of methods, and what these return, where their docstrings do not say it.
_METHODS = known(
    X=(
        "{array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train), or list of str",
        'Rows, or their kernel values with the training rows for ``kernel="precomputed"``, or texts, graphs or sets.',
    )
)
_FITS = known(
    X=(
        "{array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples), or list of str",
        'Training vectors, or their kernel values for ``kernel="precomputed"``, or texts, graphs or sets for a kernel on these. Single'
        " precision is kept.",
    ),
    y=(
        "array-like of shape (n_samples,) or (n_samples, n_targets)",
        "Class labels, numbers, or the second of two views; ignored by what is fitted to X alone.",
    ),
    sample_weight=(
        "array-like of shape (n_samples,), default=None",
        "A weight for each row, for support vector machines a factor on C. A whole number is the same as so many copies of"
        " the row; rows of weight 0 or less are left out.",
    ),
)
_PROBABILITIES = (
    "probabilities : ndarray of shape (n_samples, n_classes)\n    A column for each class, in the order of `classes_`."
)
_RETURNS = {
    "predict": "y_pred : ndarray of shape (n_samples,) or (n_samples, n_targets)\n    Predictions.",
    "predict_proba": _PROBABILITIES, "predict_log_proba": _PROBABILITIES,
    "transform": "X_new : ndarray of shape (n_samples, n_components)\n    Their place on the components.",
}


def parameter(
    *, default: Any, doc: str = "", rule: Any = None, setting: str = "", kind: str = "", kw_only: bool = True
) -> Any:
    """A parameter: its default, meaning, rule in scikit-learn's terms, and its name in the native table of methods.

    What has a name there is handed to the method as it is. Where nothing is said of its meaning, the table says it, or a base;
    where nothing is said of its rule, that of its name holds. `kind` is what the docstring says of its type.
    """
    said = {"doc": doc, "rule": rule, "setting": setting, "kind": kind}
    return field(default=default, kw_only=kw_only, metadata=said)


def fixed(value: Any) -> Any:
    """A parameter of a base that the class does not have: it has this value, and `__init__` does not take it."""
    return field(default=value, init=False, metadata={"doc": "", "rule": None, "setting": "", "kind": ""})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, fixed))
def declared(cls: type[T]) -> type[T]:
    """Make the annotated attributes of a class the parameters of an estimator."""
    made: Any = dataclass(kw_only=True, eq=False, repr=False)(cls)
    lineages = {each.name: _lineage(made, each.name) for each in fields(made)}
    own = [name for name in vars(cls).get("__annotations__", {}) if name in lineages]
    signature = inspect.signature(made.__init__)
    given = signature.parameters.values()
    first = sorted((each for each in given if each.name in own), key=lambda each: own.index(each.name))
    rest = (each for each in given if each.name not in (*own, "self"))
    order = sorted((*first, *rest), key=lambda each: each.kind)
    made.__init__.__signature__ = signature.replace(parameters=[signature.parameters["self"], *order])
    made._parameter_constraints = {each.name: _rule(lineages[each.name][0]) for each in order}
    settings = {name: lineage[0].metadata["setting"] for name, lineage in lineages.items()}
    made._set_as_it_is = {name: setting for name, setting in settings.items() if setting}
    made.__doc__ = _documented(made, [lineages[each.name] for each in order])
    for name, method in vars(cls).items():
        if not name.startswith("_") and (inspect.isfunction(method) or hasattr(method, "fn")):
            filled(getattr(method, "fn", method), _FITS if name.startswith("fit") else _METHODS, _RETURNS.get(name, ""))
    return made  # type: ignore[no-any-return]


def settings_of(estimator: Any) -> dict[str, Any]:
    """The parameters that the native library takes as they are, by its names."""
    values = {setting: getattr(estimator, name) for name, setting in estimator._set_as_it_is.items()}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}


def _lineage(cls: type, name: str) -> list[Any]:
    """The declarations of a parameter, from that of the class up to the first."""
    bases = (vars(base) for base in cls.__mro__ if name in vars(base).get("__annotations__", {}))
    return [base["__dataclass_fields__"][name] for base in bases]


def _rule(declaration: Any) -> Any:
    rule = declaration.metadata["rule"]
    return RULES[declaration.name] if rule is None else rule


def _documented(cls: Any, parameters: list[list[Any]]) -> str:
    """The docstring of a class with its parameters, and the attributes and examples that it inherits."""
    head, found = sections(cls.__doc__, f">>> from mercer import {cls.__name__}\n")
    cls._entries = entries(found.pop("Attributes", ""))
    # Examples of a base that are all about its name are those of the class.
    examples = getattr(cls, "_examples", "").replace(cls.__base__.__name__, cls.__name__)
    cls._examples = found.setdefault("Examples", examples)
    bases = [vars(base).get("_entries", {}) for base in reversed(cls.__mro__)]
    attributes = cls._entries | {name: text for entries in bases for name, text in entries.items()}
    table = {each["name"]: each for each in _TABLE.get(getattr(cls, "_method", ""), ())}
    listed = (_entry(each, table.get(each[0].metadata["setting"])) for each in parameters)
    return joined(head, {"Parameters": "\n".join(listed), "Attributes": "\n".join(attributes.values())} | found)


#: Parameters of each method of the native library.
_TABLE = {method["name"]: method["parameters"] for method in _mercer.methods()}


def _entry(lineage: list[Any], about: dict[str, Any] | None) -> str:
    """The entry of a parameter in a docstring; what the library's table says about it is taken where the class is silent."""
    declaration = lineage[0]
    said, default = declaration.metadata, declaration.default
    kind = said["kind"] or _kind(_rule(declaration))
    text = next((each.metadata["doc"] for each in lineage if each.metadata["doc"]), "")
    if not said["doc"] and about is not None:
        # Words that may be chosen stand before the default.
        rule = "" if kind.startswith(("bool", "{")) else f" {_sentence(about['domain'])}"
        meaning = about["meaning"].replace("where left open", "for None")
        text = (f"True for the {meaning}." if kind == "bool" else _sentence(meaning)) + rule
    shown = f'"{default}"' if isinstance(default, str) else repr(default)
    return entry(declaration.name, f"{kind}, default={shown}", text)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _kind(rule: list[Any]) -> str:
    """What a rule admits, in words; that it may be None is said where it is not the default alone."""
    words = [word for each in rule if (word := _word(each))]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _word(rule: Any) -> str:
    if isinstance(rule, StrOptions):
        quoted = [f'"{word}"' for word in sorted(rule.options)]
        return quoted[0] if len(quoted) == 1 else f"{{{', '.join(quoted)}}}"
    if isinstance(rule, Interval):
        return "int" if rule.type is Integral else "float"
    return "" if rule is None or isinstance(rule, (Hidden, Options)) else _KINDS[rule]
