"""Whether a value counts as true: known, or a branch condition by name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Expr, bounds, equal
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import OpenSize, Scalar
from mlvet.frontends.python.values.objects import (
    BoundMethod,
    ClassValue,
    FunctionValue,
    ModuleValue,
    Object,
)
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import Literal
from mlvet.ir.program import Condition

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

NOT = "!"
"""Before the name of a condition: its negation."""


_FREE = frozenset((Reason.ENTRY_ARGUMENT, Reason.EXTERNAL_DATA))
"""Why a value is unknown that can be anything, not only what something unmodelled makes it."""


def truth(machine: Machine, value: Any) -> bool | Scalar:
    """Whether a value counts as true, or a truth value that is not known."""
    match value:
        case None:
            return False
        case bool() | int() | float() | complex() | str() | bytes() | tuple():
            return bool(value)
        case OpenSize():
            return False
        case Expr():
            return _size(value)
        case ListValue():
            items = value.items
            if isinstance(items, Repeated):
                return Scalar(bool, condition=f"len({_text(machine)})")
            return bool(items)
        case DictValue():
            return True if value.cells else Scalar(bool) if value.rest is not None else False
        case Scalar():
            return _scalar(machine, value)
        case FunctionValue() | BoundMethod() | ClassValue() | ModuleValue() | type() | DType():
            return True
        case TensorValue():
            known = tensor_of(value)
            if known.value is not None and known.value.size == 1 and not isinstance(known.value.reshape(-1)[0], Expr):
                return bool(known.value.reshape(-1)[0])
            return Scalar(bool)
        case Object():
            return _object(machine, value)
        case Unknown():
            if "?" not in value.parts:
                value.parts["?"] = Scalar(bool, condition=machine.fresh(f"{value.name or _text(machine)}"))
            found: Scalar = value.parts["?"]
            if value.reason not in _FREE:
                machine.opaque.add(found.condition.removeprefix(NOT))
            return found
        case range():
            return bool(value)
    return True if callable(value) or value is Ellipsis else Scalar(bool)


def literal(machine: Machine, condition: Scalar) -> Literal:
    """A truth value that is not known as a branch outcome, with its text and place remembered."""
    name = condition.condition
    if not name:
        name = machine.fresh(_text(machine) or condition.name or "condition")
        object.__setattr__(condition, "condition", name)
    holds = not name.startswith(NOT)
    name = name.removeprefix(NOT)
    if name not in machine.conditions:
        default = bool(condition.default) if condition.has_default else None
        default = default if default is None or holds else not default
        text = _text(machine)
        said = (text if holds else f"not {text}" if text.isidentifier() else f"not ({text})") if text else name
        doubtful = condition.mixed or name in machine.opaque
        machine.conditions[name] = Condition(name, said, machine.location, default, doubtful)
    return Literal(name, holds)


def negated(condition: bool | Scalar) -> bool | Scalar:
    if isinstance(condition, bool):
        return not condition
    name = condition.condition
    flipped = name.removeprefix(NOT) if name.startswith(NOT) else f"{NOT}{name}" if name else ""
    default = not condition.default if condition.has_default else None
    return Scalar(
        bool, condition.name, default, condition.has_default, None, flipped, condition.location, condition.mixed
    )


def _scalar(machine: Machine, value: Scalar) -> Scalar | bool:
    if value.kind is bool and (value.condition or not value.name):
        return value
    if value.choices is not None and all(value.choices):
        return True
    name = value.condition or value.name or machine.fresh(_text(machine) or "condition")
    return Scalar(bool, value.name, bool(value.default), value.has_default, None, name, value.location, value.mixed)


def _size(value: Expr) -> bool | Scalar:
    low, high = bounds(value)
    if low > 0 or high < 0:
        return True
    zero = equal(value, 0)
    return not zero if zero is not None else Scalar(bool, condition=f"{NOT}{value} == 0")


def _object(machine: Machine, value: Object) -> bool | Scalar:
    from mlvet.frontends.python.interpretation.attributes import lookup
    from mlvet.frontends.python.trail import MISSING

    for name in ("__bool__", "__len__"):
        method = lookup(machine, value, name)
        if method is not MISSING and value.kind is not None and isinstance(method, BoundMethod):
            found = machine.call(method)
            return truth(machine, found) if not isinstance(found, Object) else Scalar(bool)
    if hasattr(type(value), "holds"):
        found = value.holds()
        return found if isinstance(found, bool | Scalar) else True
    if hasattr(type(value), "length"):
        try:
            return truth(machine, value.length())
        except Undecided:
            return Scalar(bool)
    return True


def _text(machine: Machine) -> str:
    if machine.file is None or not isinstance(machine.at, ast.expr):
        return ""
    text: str = machine.file.text(machine.at)
    return text if len(text) <= 80 else f"{text[:77]}..."
