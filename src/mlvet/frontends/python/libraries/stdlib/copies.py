"""copy: values made anew, with what they hold."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import writes
from mlvet.frontends.python.libraries.builtins.lists import DequeValue
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.classes import Enum
from mlvet.frontends.python.libraries.stdlib.classes import replace as replace_fields
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, Items, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object


@model("copy.copy")
def copy(x: Any) -> Any:
    if isinstance(x, Object) and writes(x, "__copy__"):
        return machine().send(x, "__copy__")
    match x:
        case ListValue():
            return _list(x, x.items)
        case DictValue():
            return _dictionary(x, x.cells, x.rest)
        case Object():
            return _object(x, x.cells)
    return x


@model("copy.deepcopy")
def deepcopy(x: Any, memo: Any = None) -> Any:
    del memo
    return _deep(x, {})


@model("copy.replace")
def replace(obj: Any, /, **changes: Any) -> Any:
    return replace_fields(obj, **changes)


def _deep(x: Any, seen: dict[int, Any]) -> Any:
    """A copy of a value and of all it holds; what it holds twice is one in the copy too."""
    if id(x) in seen:
        return seen[id(x)]
    match x:
        case tuple():
            parts = tuple(_deep(each, seen) for each in x)
            return type(x)._make(parts) if hasattr(type(x), "_make") else parts  # type: ignore[attr-defined]
        case ListValue():
            made = seen[id(x)] = _list(x, ())
            made.cells["items"] = _items(x.items, seen)
            return made
        case DictValue():
            copied = seen[id(x)] = _dictionary(x, {}, None)
            copied.cells.update({key: _deep(value, seen) for key, value in x.cells.items()})
            copied.rest_cell.update(rest=_deep(x.rest, seen), key=x.rest_key)
            return copied
        case Enum():
            return x
        case Object() if writes(x, "__deepcopy__"):
            return machine().send(x, "__deepcopy__", DictValue())
        case Object():
            clone = seen[id(x)] = _object(x, {})
            clone.cells.update({name: _deep(value, seen) for name, value in x.cells.items()})
            return clone
        case dict():
            return {key: _deep(value, seen) for key, value in x.items()}
        case Choice():
            return Choice(tuple((guard, _deep(value, seen)) for guard, value in x.alternatives))
    return x


def _items(items: Items, seen: dict[int, Any]) -> Items:
    if isinstance(items, Repeated):
        return Repeated(_deep(items.element, seen), items.length)
    return tuple(_deep(each, seen) for each in items)


def _list(x: ListValue, items: Items) -> Any:
    return DequeValue(items, x.maxlen) if isinstance(x, DequeValue) else type(x)(items)


def _dictionary(x: DictValue, cells: dict[Any, Any], rest: Any) -> DictValue:
    made = DictValue(cells, rest, x.made_by, x.rest_key)
    made.factory = x.factory
    return made


def _object(x: Object, cells: dict[str, Any]) -> Any:
    made = object.__new__(type(x))
    object.__setattr__(made, "cells", dict(cells))
    object.__setattr__(made, "kind", x.kind)
    return made
