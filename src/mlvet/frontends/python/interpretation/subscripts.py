"""Subscripts: `x[i]` read, written and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.branches import distributed
from mlvet.frontends.python.interpretation.conditions import alternatives
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_CONTAINERS = (ListValue, DictValue, tuple, str, bytes, range)


def subscript(machine: Machine, value: Any, index: Any) -> Any:
    """`value[index]`."""
    from mlvet.frontends.python.interpretation.attributes import lookup

    if isinstance(value, Choice):
        return distributed(machine, value, lambda each: subscript(machine, each, index))
    if isinstance(index, Choice):
        return distributed(machine, index, lambda each: subscript(machine, value, each))
    if isinstance(index, Scalar) and isinstance(value, DictValue) and isinstance(alternatives(machine, index), Choice):
        return subscript(machine, value, alternatives(machine, index))
    if isinstance(value, Object):
        method = lookup(machine, value, "__getitem__")
        if method is not MISSING:
            return machine.call(method, index)
        return machine.unknown(Reason.UNKNOWN_DISPATCH, f"{value!r}[...]")
    if isinstance(value, _CONTAINERS) or (isinstance(value, Scalar) and value.kind is str):
        return _item(machine, value, index)
    if isinstance(value, Unknown):
        return _of_unknown(machine, value, index)
    if isinstance(value, ClassValue) and "@members" in value.cells:
        return subscript(machine, value.cells["__members__"], index)
    if isinstance(value, type | ClassValue):
        return value
    return machine.unknown(Reason.UNKNOWN_DISPATCH, f"{type(value).__name__}[...]")


def _item(machine: Machine, value: Any, index: Any) -> Any:
    from mlvet.frontends.python.interpretation.calls import REFUSALS
    from mlvet.frontends.python.libraries.builtins.operators import item

    if isinstance(value, Scalar):
        return Scalar(str)
    try:
        return item(value, index)
    except Raised as raised:
        return machine.raises(raised.error)
    except Undecided as undecided:
        machine.unknowns[undecided.unknown.reason] += 1
        return undecided.unknown
    except REFUSALS as error:
        machine.refusals.append(f"item: {error}")
        return machine.unknown(Reason.DYNAMIC_CONTAINER, f"{type(value).__name__}[{index!r}]")


def _of_unknown(machine: Machine, value: Unknown, index: Any) -> Any:
    key = index if isinstance(index, str | int) else "[]"
    if isinstance(index, TensorValue) or key == "[]":
        return machine.unknown(value.reason, f"{value.detail}[...]", value.name)
    if key not in value.parts:
        value.parts[key] = Unknown(
            value.reason, f"{value.detail}[{key!r}]", key if isinstance(key, str) else value.name
        )
    machine.unknowns[value.reason] += 1
    return value.parts[key]


def set_subscript(machine: Machine, value: Any, index: Any, new: Any) -> None:
    """`value[index] = new`."""
    from mlvet.frontends.python.interpretation.attributes import lookup
    from mlvet.frontends.python.interpretation.calls import REFUSALS
    from mlvet.frontends.python.libraries.builtins.operators import put_item

    match value:
        case Choice():
            for _, part in value.alternatives:
                set_subscript(machine, part, index, new)
        case Object():
            method = lookup(machine, value, "__setitem__")
            if method is not MISSING:
                machine.call(method, index, new)
        case ListValue() | DictValue() | tuple() | str():
            try:
                put_item(value, index, new)
            except Raised as raised:
                machine.raises(raised.error)
            except Undecided:
                machine.unknowns[Reason.DYNAMIC_CONTAINER] += 1
            except REFUSALS as error:
                machine.refusals.append(f"put_item: {error}")
        case Unknown() if isinstance(index, str | int):
            value.parts[index] = new


def delete_subscript(machine: Machine, value: Any, index: Any) -> None:
    """`del value[index]`."""
    from mlvet.frontends.python.interpretation.calls import REFUSALS
    from mlvet.frontends.python.libraries.builtins.operators import delete_item

    if isinstance(value, ListValue | DictValue):
        try:
            delete_item(value, index)
        except Undecided:
            machine.unknowns[Reason.DYNAMIC_CONTAINER] += 1
        except REFUSALS as error:
            machine.refusals.append(f"delete_item: {error}")
    elif isinstance(value, Object):
        from mlvet.frontends.python.interpretation.attributes import lookup

        method = lookup(machine, value, "__delitem__")
        if method is not MISSING:
            machine.call(method, index)
