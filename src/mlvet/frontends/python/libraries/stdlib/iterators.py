"""itertools."""

from __future__ import annotations

import itertools
from math import comb, perm
from typing import Any

from mlvet.domains.dims import Dim, minimum
from mlvet.domains.dims import product as product_of_sizes
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.arithmetic import binary
from mlvet.frontends.python.libraries.builtins.constructors import CONSTRUCTORS
from mlvet.frontends.python.libraries.builtins.elements import alike, integer, is_known
from mlvet.frontends.python.libraries.builtins.elements import count as count_of
from mlvet.frontends.python.libraries.builtins.sequences import kept, paired
from mlvet.frontends.python.libraries.builtins.subscripts import sliced
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import Items, IteratorValue, Repeated

LARGEST = 2048


def _bounded(length: int, items: Any, element: Any) -> IteratorValue:
    """All combinations, or one that stands for all if there are too many."""
    return IteratorValue(items if length <= LARGEST else Repeated(element, length))


def chained(*iterables: Any) -> Any:
    return _chained([machine().items(each) for each in iterables])


CONSTRUCTORS[itertools.chain] = chained
model("itertools.chain")(itertools.chain)


@model("builtins.chain.from_iterable", "itertools.chain.from_iterable")
def chained_from(iterable: Any, /) -> Any:
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        inner = machine().items(items.element)
        return IteratorValue(Repeated(alike(inner), count_of(inner) * items.length))
    return _chained([machine().items(each) for each in items])


def _chained(parts: list[Items]) -> IteratorValue:
    from mlvet.frontends.python.libraries.builtins.operators import extended

    items: Items = ()
    for part in parts:
        items = extended(items, part)
    return IteratorValue(items)


@model("itertools.count")
def count(start: Any = 0, step: Any = 1) -> Any:
    if is_known(start) and is_known(step) and not (isinstance(start, int) and isinstance(step, int)):
        from mlvet.frontends.python.values.numbers import Scalar

        return IteratorValue(Repeated(Scalar(float), integer("steps")))
    return IteratorValue(Repeated(binary("+", integer("i"), start), integer("steps")))


@model("itertools.cycle")
def cycle(iterable: Any, /) -> Any:
    items = machine().items(iterable)
    return IteratorValue(Repeated(alike(items), integer("steps")) if items else ())


@model("itertools.repeat")
def repeat(object: Any, times: Any = None) -> Any:
    if isinstance(times, int) and times <= LARGEST:
        return IteratorValue((object,) * times)
    return IteratorValue(Repeated(object, integer("times") if times is None else times))


@model("itertools.islice")
def islice(iterable: Any, *bounds: Any) -> Any:
    items = machine().items(iterable)
    part = slice(*bounds)
    if isinstance(items, Repeated) and part.start is None and part.step is None and isinstance(part.stop, int):
        return IteratorValue(Repeated(items.element, minimum(items.length, part.stop)))
    return IteratorValue(sliced(items, part))


@model("itertools.product")
def product(*iterables: Any, repeat: Any = 1) -> Any:
    pools = [machine().items(each) for each in iterables] * (repeat if isinstance(repeat, int) else 1)
    lengths: list[Dim] = [count_of(each) for each in pools]
    total = product_of_sizes(lengths)
    if isinstance(total, int) and total <= LARGEST and all(isinstance(each, tuple) for each in pools):
        return IteratorValue(itertools.product(*pools))  # type: ignore[arg-type]
    return IteratorValue(Repeated(tuple(alike(each) for each in pools), total))


def _arranged(name: str, number: Any, arrange: Any) -> None:
    def run(iterable: Any, r: Any = None) -> Any:
        items = machine().items(iterable)
        if isinstance(items, Repeated):
            size = r if isinstance(r, int) else 1
            return IteratorValue(Repeated((items.element,) * size, integer(name)))
        size = len(items) if r is None else r
        if not isinstance(size, int):
            return IteratorValue(Repeated((alike(items),), integer(name)))
        return _bounded(number(len(items), size), arrange(items, size), (alike(items),) * size if items else ())

    model(f"itertools.{name}")(run)


_arranged("permutations", perm, itertools.permutations)
_arranged("combinations", comb, itertools.combinations)
_arranged(
    "combinations_with_replacement",
    lambda n, r: comb(n + r - 1, r) if n else 0,
    itertools.combinations_with_replacement,
)


@model("itertools.zip_longest")
def zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    pools = [machine().items(each) for each in iterables]
    if all(isinstance(each, tuple) for each in pools):
        return IteratorValue(itertools.zip_longest(*pools, fillvalue=fillvalue))  # type: ignore[arg-type]
    return IteratorValue(paired(pools))


@model("itertools.accumulate")
def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        return IteratorValue(Repeated(_step(func, items.element, items.element), items.length))
    found: list[Any] = [] if initial is None else [initial]
    for each in items:
        found.append(_step(func, found[-1], each) if found else each)
    return IteratorValue(found)


def _step(func: Any, total: Any, item: Any) -> Any:
    return binary("+", total, item) if func is None else machine().call(func, total, item)


@model("itertools.starmap")
def starmap(function: Any, iterable: Any, /) -> Any:
    rows = machine().items(iterable)
    if isinstance(rows, Repeated):
        row = machine().items(rows.element)
        args = row if isinstance(row, tuple) else (row.element,)
        return IteratorValue(Repeated(machine().call(function, *args), rows.length))
    found = []
    for each in rows:
        row = machine().items(each)
        found.append(machine().call(function, *(row if isinstance(row, tuple) else (row.element,))))
    return IteratorValue(found)


@model("itertools.filterfalse")
def filterfalse(predicate: Any, iterable: Any, /) -> Any:
    return IteratorValue(kept(predicate, machine().items(iterable), wanted=False))


@model("itertools.takewhile", "itertools.dropwhile")
def while_true(predicate: Any, iterable: Any, /) -> Any:
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        machine().call(predicate, items.element)
    return IteratorValue(Repeated(alike(items), integer("taken")))


@model("itertools.compress")
def compress(data: Any, selectors: Any) -> Any:
    items, chosen = machine().items(data), machine().items(selectors)
    if isinstance(items, tuple) and isinstance(chosen, tuple):
        truths = [machine().truth(each) for each in chosen]
        if all(isinstance(each, bool) for each in truths):
            return IteratorValue(itertools.compress(items, truths))
    return IteratorValue(Repeated(alike(items), integer("kept")))


@model("itertools.tee")
def tee(iterable: Any, n: Any = 2, /) -> Any:
    items = machine().items(iterable)
    return tuple(IteratorValue(items) for _ in range(n if isinstance(n, int) else 2))


@model("itertools.pairwise")
def pairwise(iterable: Any, /) -> Any:
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        return IteratorValue(Repeated((items.element, items.element), items.length - 1))
    return IteratorValue(itertools.pairwise(items))


@model("itertools.batched")
def batched(iterable: Any, n: Any) -> Any:
    items = machine().items(iterable)
    if isinstance(items, tuple) and isinstance(n, int):
        return IteratorValue(items[place : place + n] for place in range(0, len(items), n))
    batch = (alike(items),) * n if isinstance(n, int) else (alike(items),)
    return IteratorValue(Repeated(batch, binary("//", count_of(items), n)))


@model("itertools.groupby")
def groupby(iterable: Any, key: Any = None) -> Any:
    items = machine().items(iterable)
    keys = items if key is None else _keys(items, key)
    if isinstance(items, tuple) and isinstance(keys, tuple) and all(is_known(each) for each in keys):
        pairs = itertools.groupby(zip(keys, items, strict=True), key=lambda pair: pair[0])
        return IteratorValue((name, IteratorValue(each for _, each in group)) for name, group in pairs)
    return IteratorValue(
        Repeated((alike(keys), IteratorValue(Repeated(alike(items), integer("members")))), integer("groups"))
    )


def _keys(items: Items, key: Any) -> Items:
    if isinstance(items, Repeated):
        return Repeated(machine().call(key, items.element), items.length)
    return tuple(machine().call(key, each) for each in items)
