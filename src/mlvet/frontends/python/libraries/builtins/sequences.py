"""Builtin functions on sequences and iterators."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr, minimum
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.arithmetic import binary
from mlvet.frontends.python.libraries.builtins.elements import alike, count, integer, is_known, writes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, Items, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

_NOTHING = object()


@model("builtins.len")
def length(obj: Any, /) -> Any:
    match obj:
        case ListValue() if not isinstance(obj, IteratorValue):
            return count(obj.items)
        case DictValue():
            return _entries(obj)
        case str() | bytes() | tuple() | range():
            return len(obj)
        case Scalar() if obj.kind in (str, bytes):
            return integer(f"{obj.name}_length" if obj.name else "length")
        case Unknown():
            return integer(f"{obj.name}_length" if obj.name else "length")
        case Object():
            return _own_length(obj)
    raise Raised(TypeError(f"object of type '{type(obj).__name__}' has no len()"))


def _entries(obj: DictValue) -> Any:
    """How many entries a dictionary has; one that only some branches add is perhaps not there."""
    perhaps = machine().perhaps.get(id(obj.cells), (None, set()))[1]
    sure = sum(key not in perhaps for key in obj.cells)
    return len(obj.cells) if obj.rest is None and sure == len(obj.cells) else integer("entries", sure)


def _own_length(obj: Object) -> Any:
    written = writes(obj, "__len__")
    if not written and hasattr(type(obj), "length"):
        return obj.length()
    if not written and not hasattr(type(obj), "__len__"):
        raise Raised(TypeError(f"object of type '{obj!r}' has no len()"))
    found = machine().send(obj, "__len__")
    if isinstance(found, int | Expr):
        return found
    return integer("length")


@model("builtins.zip")
def zipped(*iterables: Any, strict: bool = False) -> Any:
    """Pairs; where one sequence is known item by item, the others are taken to be long enough for it."""
    del strict
    if any(isinstance(each, Repeated) for each in iterables):
        return IteratorValue(_columns(iterables))
    return IteratorValue(paired([machine().items(each) for each in iterables]))


zipped.takes_spread = True  # type: ignore[attr-defined]


def _columns(rows: tuple[Any, ...]) -> Items:
    """`zip(*rows)` of an unknown number of rows: one column for each item of a row."""
    if len(rows) > 1:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "an unknown number of arguments")
    items = machine().items(rows[0].element)
    if isinstance(items, Repeated):
        return Repeated(ListValue(Repeated(items.element, rows[0].length)), items.length)
    return tuple(ListValue(Repeated(each, rows[0].length)) for each in items)


def paired(sequences: list[Items]) -> Items:
    known = [each for each in sequences if isinstance(each, tuple)]
    if not sequences:
        return ()
    if known:
        shortest = min(len(each) for each in known)
        columns = [each[:shortest] if isinstance(each, tuple) else _each(each.element, shortest) for each in sequences]
        return tuple(zip(*columns, strict=True))
    lengths: list[Dim] = [count(each) for each in sequences]
    return Repeated(tuple(alike(each) for each in sequences), minimum(*lengths))


def _each(element: Any, times: int) -> tuple[Any, ...]:
    """As many items as one stands for; those of which nothing is known are things of their own."""
    if isinstance(element, Unknown):
        return tuple(Unknown(element.reason, element.detail, element.name, element.location) for _ in range(times))
    return (element,) * times


@model("builtins.enumerate")
def enumerated(iterable: Any, start: Any = 0) -> Any:
    items = machine().items(iterable)
    if isinstance(items, tuple):
        return IteratorValue((binary("+", start, place), each) for place, each in enumerate(items))
    place = binary("+", integer("i"), start)
    return IteratorValue(Repeated((place, items.element), items.length))


@model("builtins.map")
def mapped(function: Any, /, *iterables: Any) -> Any:
    rows = paired([machine().items(each) for each in iterables])
    if isinstance(rows, Repeated):
        return IteratorValue(Repeated(machine().call(function, *rows.element), rows.length))
    return IteratorValue(machine().call(function, *row) for row in rows)


@model("builtins.filter")
def filtered(function: Any, iterable: Any, /) -> Any:
    return IteratorValue(kept(function, machine().items(iterable)))


def kept(function: Any, items: Items, wanted: bool = True) -> Items:
    """The items that a predicate holds of; one that stands for all where that is open."""
    if isinstance(items, Repeated):
        truth = _verdict(function, items.element)
        if isinstance(truth, bool):
            return items if truth is wanted else ()
        return Repeated(items.element, integer("kept"))
    truths = [_verdict(function, each) for each in items]
    if any(isinstance(each, Scalar) for each in truths):
        remaining = [each for each, truth in zip(items, truths, strict=True) if truth is not (not wanted)]
        return Repeated(alike(remaining), integer("kept", 0, len(remaining)))
    return tuple(each for each, truth in zip(items, truths, strict=True) if truth is wanted)


def _verdict(function: Any, item: Any) -> bool | Scalar:
    return machine().truth(item if function is None else machine().call(function, item))


@model("builtins.reversed")
def backwards(sequence: Any, /) -> Any:
    if isinstance(sequence, Object) and writes(sequence, "__reversed__"):
        return machine().send(sequence, "__reversed__")
    items = machine().items(sequence)
    return IteratorValue(items if isinstance(items, Repeated) else items[::-1])


@model("builtins.sorted")
def ordered(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    return ListValue(in_order(machine().items(iterable), key, reverse))


def in_order(items: Items, key: Any, reverse: Any) -> Items:
    """The items sorted; where the order is open each may be any."""
    if isinstance(items, Repeated):
        if key is not None:
            machine().call(key, items.element)
        return items
    keys = items if key is None else tuple(machine().call(key, each) for each in items)
    if all(is_known(each) for each in keys) and isinstance(reverse, bool | int):
        try:
            order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
        except TypeError as error:
            raise Raised(error) from error
        return tuple(items[place] for place in order)
    return items if len(items) < 2 else (alike(items),) * len(items)


@model("builtins.iter")
def iterator(obj: Any, sentinel: Any = _NOTHING, /) -> Any:
    if sentinel is not _NOTHING:
        return IteratorValue(Repeated(machine().call(obj), integer("items")))
    if isinstance(obj, IteratorValue):
        return obj
    if isinstance(obj, Unknown):
        return machine().unknown(obj.reason, obj.detail, obj.name)
    if isinstance(obj, Object) and obj.kind is not None and writes(obj, "__next__"):
        return machine().send(obj, "__iter__") if writes(obj, "__iter__") else obj
    return IteratorValue(machine().items(obj))


@model("builtins.next")
def following(iterator: Any, default: Any = _NOTHING, /) -> Any:
    match iterator:
        case IteratorValue():
            return taken(iterator, default)
        case Unknown():
            return machine().unknown(iterator.reason, iterator.detail, iterator.name)
        case Object():
            return machine().send(iterator, "__next__")
    raise Raised(TypeError(f"'{type(iterator).__name__}' object is not an iterator"))


def taken(iterator: IteratorValue, default: Any = _NOTHING) -> Any:
    """The next item of an iterator, which is then gone from it."""
    items = iterator.items
    if isinstance(items, Repeated):
        return items.element
    if items:
        iterator.items = items[1:]
        return items[0]
    if default is _NOTHING:
        raise Raised(StopIteration())
    return default
