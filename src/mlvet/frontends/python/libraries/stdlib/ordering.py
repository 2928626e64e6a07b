"""heapq, bisect, array: sequences in order."""

from __future__ import annotations

import bisect
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import alike, count, integer, is_known
from mlvet.frontends.python.libraries.builtins.lists import append, pop
from mlvet.frontends.python.libraries.builtins.sequences import in_order
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.raising import Raised


@model("heapq.heapify")
def heapify(x: Any, /) -> None:
    x.items = in_order(x.items, None, False)


@model("heapq.heappush")
def heappush(heap: Any, item: Any, /) -> None:
    append(heap, item)
    heapify(heap)


@model("heapq.heappop")
def heappop(heap: Any, /) -> Any:
    if heap.items == ():
        raise Raised(IndexError("index out of range"))
    return pop(heap, 0)


@model("heapq.heappushpop")
def heappushpop(heap: Any, item: Any, /) -> Any:
    heappush(heap, item)
    return heappop(heap)


@model("heapq.heapreplace")
def heapreplace(heap: Any, item: Any, /) -> Any:
    found = heappop(heap)
    heappush(heap, item)
    return found


def _first(iterable: Any, n: Any, key: Any, reverse: bool) -> Any:
    items = in_order(machine().items(iterable), key, reverse)
    if isinstance(items, tuple) and isinstance(n, int):
        return ListValue(items[:n])
    return ListValue(Repeated(alike(items), n if isinstance(n, int) else integer("taken")))


@model("heapq.nlargest")
def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return _first(iterable, n, key, True)


@model("heapq.nsmallest")
def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return _first(iterable, n, key, False)


@model("heapq.merge")
def merge(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
    parts = [machine().items(each) for each in iterables]
    if all(isinstance(each, tuple) for each in parts):
        return IteratorValue(in_order(tuple(item for each in parts for item in each), key, reverse))  # type: ignore[union-attr]
    return IteratorValue(Repeated(alike(tuple(alike(each) for each in parts)), integer("items")))


def _place(name: str) -> None:
    def run(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
        items = machine().items(a)
        if isinstance(items, tuple) and key is None and all(is_known(each) for each in (*items, x, lo, hi)):
            return getattr(bisect, name)(items, x, lo, len(items) if hi is None else hi)
        length = count(items)
        return integer("place", 0, length if isinstance(length, int) else float("inf"))

    model(f"bisect.{name}")(run)


for _name in ("bisect", "bisect_left", "bisect_right"):
    _place(_name)


@model("bisect.insort", "bisect.insort_left", "bisect.insort_right")
def insort(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    del lo, hi
    append(a, x)
    a.items = in_order(a.items, key, False)


@model("array.array")
def array(typecode: Any, initializer: Any = (), /) -> Any:
    del typecode
    return ListValue(machine().items(initializer))
