"""What a loop over a value sees, and how a value is taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Expr, symbol
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.arrays.shapes import Shape, UnrankedShape
from mlvet.frontends.python.interpretation.joining import joined_items, merged
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, Items, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_LONGEST = 4096


def items(machine: Machine, value: Any) -> Items:
    """All items of an iterable, or one that stands for an unknown number of them."""
    match value:
        case tuple() | Repeated():
            return value
        case ListValue():
            return value.items
        case str():
            return tuple(value) if len(value) <= _LONGEST else Repeated(Scalar(str), len(value))
        case bytes():
            return tuple(value) if len(value) <= _LONGEST else Repeated(symbol(machine.fresh("byte")), len(value))
        case list():
            return tuple(value)
        case range():
            return _range(machine, value)
        case DictValue():
            from mlvet.frontends.python.libraries.builtins.elements import any_key

            return tuple(value.cells) if value.rest is None else Repeated(any_key(value), _length(machine))
        case Choice():
            return _chosen(machine, value)
        case Unknown():
            return Repeated(_part(machine, value), _length(machine))
        case Scalar():
            return Repeated(Scalar(str) if value.kind is str else Unknown(Reason.DYNAMIC_TYPE), _length(machine))
        case Object():
            return _object(machine, value)
        case ClassValue() if "@members" in value.cells:
            members: Items = value.cells["@members"]
            return members
    return Repeated(machine.unknown(Reason.DYNAMIC_CONTAINER, f"items of {type(value).__name__}"), _length(machine))


def _range(machine: Machine, value: range) -> Items:
    if len(value) <= _LONGEST:
        return tuple(value)
    low, high = min(value[0], value[-1]), max(value[0], value[-1])
    return Repeated(symbol(machine.fresh("i"), low=low, high=high), len(value))


def _length(machine: Machine) -> Expr:
    return symbol(machine.fresh("count"))


def _part(machine: Machine, value: Unknown) -> Any:
    if "item" not in value.parts:
        value.parts["item"] = machine.unknown(value.reason, value.detail, f"{value.name}_item" if value.name else "")
    return value.parts["item"]


def _chosen(machine: Machine, value: Choice) -> Items:
    """The alternatives' items, which are known if all have as many."""
    parts = [items(machine, part) for _, part in value.alternatives]
    if all(
        isinstance(part, tuple) and len(part) == len(parts[0]) for part in parts if isinstance(parts[0], tuple)
    ) and (all(isinstance(part, tuple) for part in parts)):
        guards = [guard for guard, _ in value.alternatives]
        columns = zip(*(part for part in parts if isinstance(part, tuple)), strict=True)
        return tuple(merged(machine, list(zip(guards, column, strict=True))) for column in columns)
    found: Items = joined_items(machine, parts)
    return found


def _object(machine: Machine, value: Object) -> Items:
    from mlvet.frontends.python.interpretation.attributes import lookup

    if value.kind is not None:
        method = lookup(machine, value, "__iter__")
        if method is not MISSING:
            iterator = machine.call(method)
            if iterator is value or (isinstance(iterator, Object) and iterator.kind is not None):
                following = lookup(machine, iterator, "__next__")
                if following is not MISSING:
                    return Repeated(machine.call(following), _length(machine))
            elif iterator is not value:
                return items(machine, iterator)
        method = lookup(machine, value, "__getitem__")
        if method is not MISSING:
            return Repeated(machine.call(method, symbol(machine.fresh("index"))), _length(machine))
    native = getattr(type(value), "iterate", None)
    if native is not None:
        try:
            found = native(value)
        except Undecided as undecided:
            return Repeated(undecided.unknown, _length(machine))
        return found if isinstance(found, tuple | Repeated) else items(machine, found)
    return Repeated(machine.unknown(Reason.UNKNOWN_DISPATCH, f"items of {value!r}"), _length(machine))


def unpacked(
    machine: Machine, value: Any, count: int, star: int | None = None, names: Sequence[str] = (), *, sure: bool = True
) -> list[Any]:
    """A value taken apart into so many, of which one may take what is left; sizes are called by the names.

    Where it is `sure` what the value is, a shape or a row of tensors that has more or fewer is told.
    """
    if isinstance(value, Unknown):
        return [_element(machine, value, index) for index in range(count)]
    if isinstance(value, Choice):
        guards = [guard for guard, _ in value.alternatives]
        rows = [unpacked(machine, part, count, star, names, sure=False) for _, part in value.alternatives]
        return [merged(machine, list(zip(guards, column, strict=True))) for column in zip(*rows, strict=True)]
    if isinstance(value, UnrankedShape) and star is None:
        return list(value.unpack(count, *names))
    if isinstance(value, Object):
        unpack = getattr(value, "unpack", None)
        if unpack is not None and star is None:
            return list(unpack(count))
    found = items(machine, value)
    if isinstance(found, Repeated):
        if isinstance(value, ArrayValue) and star is None:
            return [value[index] for index in range(count)]
        made = [found.element for _ in range(count)]
        if star is not None:
            made[star] = ListValue(Repeated(found.element, _length(machine)))
        return made
    if star is None:
        if len(found) == count:
            return list(found)
        if sure and not machine.trying:
            _demand_count(value, found, count)
        detail = f"{len(found)} items are taken apart into {count}"
        return [machine.unknown(Reason.EXCEPTION, detail) for _ in range(count)]
    after = count - star - 1
    if len(found) < count - 1:
        return [machine.unknown(Reason.EXCEPTION, "too few items to take apart") for _ in range(count)]
    return [*found[:star], ListValue(found[star : len(found) - after]), *found[len(found) - after :]]


def _demand_count(value: Any, found: Sequence[Any], count: int) -> None:
    """A shape or a row of tensors must have as many items as there are names for them."""
    from mlvet.frontends.python.emission import demand

    if found and all(isinstance(each, TensorValue) for each in found):
        demand(False, f"{len(found)} tensors are taken apart into {count}", of=found)
    elif found and isinstance(value, Shape):
        sizes = ", ".join(map(str, found))
        demand(
            False, f"the shape [{sizes}] has {len(found)} sizes, but is taken apart into {count}", "rank-differs", []
        )


def _element(machine: Machine, value: Unknown, index: int) -> Any:
    if index not in value.parts:
        value.parts[index] = machine.unknown(value.reason, value.detail)
    return value.parts[index]


def consumed(machine: Machine, iterator: IteratorValue) -> Any:
    """The next item of an iterator, taken away from it; MISSING at its end."""
    left = iterator.items
    if isinstance(left, Repeated):
        return left.element
    if not left:
        return MISSING
    iterator.items = left[1:]
    del machine
    return left[0]
