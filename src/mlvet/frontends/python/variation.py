"""Symbols that stand for more than one size: those of elements that are one for all, and of what loops change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlvet.domains.dims import Expr, symbols
from mlvet.domains.tensors import Unranked
from mlvet.frontends.python.machine import Machine
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Unknown

_DEPTH = 6


def varying(machine: Machine) -> frozenset[str]:
    """The names of symbols that two places of the program may mean differently; what a user sets is one number."""
    seen: set[int] = set()
    elements = (name for element in machine.repeated.values() for name in _names(element, 0, seen))
    carried = (name for value in machine.carried for name in _of_shape(value.declared.shape))
    return frozenset((*machine.widened, *elements, *carried)) - machine.settings.keys()


def listed(machine: Machine) -> frozenset[str]:
    """The names of symbols that stand for numbers of which a list or an iteration has several."""
    elements = (each for each in machine.repeated.values() if isinstance(each, Expr))
    bare = (each.name for element in elements for each in symbols(element) if str(element) == each.name)
    return frozenset((*machine.widened, *bare)) - machine.settings.keys()


def _names(value: Any, depth: int, seen: set[int]) -> Iterator[str]:
    """The symbols of a value and of its parts, each part looked at once."""
    if depth > _DEPTH or id(value) in seen:
        return
    seen.add(id(value))
    match value:
        case Expr():
            yield from (each.name for each in symbols(value))
        case TensorValue():
            if "@value" in value.cells:
                yield from _of_shape(value.graph_value.declared.shape)
        case Unknown():
            if isinstance(value.size, Expr):
                yield from _names(value.size, depth + 1, seen)
        case tuple():
            for each in value:
                yield from _names(each, depth + 1, seen)
        case ListValue():
            yield from _names(value.cells["items"], depth + 1, seen)
        case DictValue():
            for each in (*value.cells.values(), value.rest):
                yield from _names(each, depth + 1, seen)
        case Repeated():
            yield from _names(value.element, depth + 1, seen)
        case Choice():
            for _, each in value.alternatives:
                yield from _names(each, depth + 1, seen)


def _of_shape(shape: Any) -> Iterator[str]:
    dims = (shape.rank, shape.size, shape.first, shape.last) if isinstance(shape, Unranked) else shape
    for dim in dims:
        yield from _names(dim, _DEPTH, set())
