"""Methods of sets."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.constructors import distinct
from mlvet.frontends.python.libraries.builtins.elements import alike, integer
from mlvet.frontends.python.libraries.builtins.operators import contains, extended
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import Items, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised


@model("builtins.set.add")
def add(self: Any, elem: Any, /) -> None:
    self.items = distinct(extended(self.items, (elem,)))


@model("builtins.set.update")
def update(self: Any, *others: Any) -> None:
    self.items = union(self, *others).items


@model("builtins.set.discard")
def discard(self: Any, elem: Any, /) -> None:
    self.items = _without(self.items, (elem,))


@model("builtins.set.remove")
def remove(self: Any, elem: Any, /) -> None:
    if contains(self, elem) is False:
        raise Raised(KeyError(elem))
    discard(self, elem)


@model("builtins.set.pop")
def pop(self: Any, /) -> Any:
    items = self.items
    if isinstance(items, Repeated):
        return items.element
    if not items:
        raise Raised(KeyError("pop from an empty set"))
    self.items = (alike(items),) * (len(items) - 1) if len(items) > 1 else ()
    return alike(items)


@model("builtins.set.clear")
def clear(self: Any, /) -> None:
    self.items = ()


@model("builtins.set.copy")
def copy(self: Any, /) -> Any:
    return SetValue(self.items)


@model("builtins.set.union", "builtins.set.__or__")
def union(self: Any, *others: Any) -> Any:
    items = self.items
    for other in others:
        items = extended(items, machine().items(other))
    return SetValue(distinct(items))


@model("builtins.set.intersection", "builtins.set.__and__")
def intersection(self: Any, *others: Any) -> Any:
    items = self.items
    for other in others:
        items = _chosen(items, machine().items(other), True)
    return SetValue(items)


@model("builtins.set.difference", "builtins.set.__sub__")
def difference(self: Any, *others: Any) -> Any:
    items = self.items
    for other in others:
        items = _without(items, machine().items(other))
    return SetValue(items)


@model("builtins.set.symmetric_difference", "builtins.set.__xor__")
def symmetric_difference(self: Any, other: Any, /) -> Any:
    theirs = distinct(machine().items(other))
    return SetValue(extended(_without(self.items, theirs), _without(theirs, self.items)))


def _in_place(name: str, combine: Any) -> None:
    def change(self: Any, *others: Any) -> None:
        self.items = combine(self, *others).items

    model(f"builtins.set.{name}_update")(change)


for _name, _combine in {
    "intersection": intersection, "difference": difference, "symmetric_difference": symmetric_difference,
}.items():  # fmt: skip
    _in_place(_name, _combine)


@model("builtins.set.issubset")
def is_subset(self: Any, other: Any, /) -> Any:
    return _covered(self.items, machine().items(other))


@model("builtins.set.issuperset")
def is_superset(self: Any, other: Any, /) -> Any:
    return _covered(machine().items(other), self.items)


@model("builtins.set.isdisjoint")
def is_disjoint(self: Any, other: Any, /) -> Any:
    theirs = machine().items(other)
    if isinstance(self.items, Repeated) or isinstance(theirs, Repeated):
        return Scalar(bool)
    verdicts = [contains(theirs, each) for each in self.items]
    return False if True in verdicts else Scalar(bool) if None in verdicts else True


def _covered(part: Items, whole: Items) -> Any:
    if isinstance(part, Repeated) or isinstance(whole, Repeated):
        return Scalar(bool)
    verdicts = [contains(whole, each) for each in part]
    return False if False in verdicts else Scalar(bool) if None in verdicts else True


def _without(items: Items, others: Items) -> Items:
    return _chosen(items, others, False)


def _chosen(items: Items, others: Items, wanted: bool) -> Items:
    """The items that are, or are not, among the others; one that stands for all where that is open."""
    if isinstance(items, Repeated):
        return Repeated(items.element, integer("members"))
    if not items:
        return ()
    if isinstance(others, Repeated):
        return Repeated(alike(items), integer("members", 0, len(items)))
    verdicts = [contains(others, each) for each in items]
    if None in verdicts:
        return Repeated(alike(items), integer("members", 0, len(items)))
    return tuple(each for each, verdict in zip(items, verdicts, strict=True) if verdict is wanted)
