"""The variables of a module: where each one lies in the tree that `init` makes and `apply` is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.libraries.jax.transformations import with_axis, without_axis
from mlvet.frontends.python.libraries.jax.trees import mapped
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.unknown import Unknown


class Binding:
    """One run of a model: its variables by collection and path, and whether they are being made."""

    __slots__ = ("initialising", "mutable", "variables")

    def __init__(self, variables: DictValue, initialising: bool, mutable: Any = False) -> None:
        self.variables = variables
        self.initialising = initialising
        self.mutable = mutable

    def entries(self, collection: str, path: Sequence[str], *, make: bool) -> DictValue | None:
        """The variables of one module, None if there are none and none are to be made."""
        node = self.variables
        for key in (collection, *path):
            child = node.cells.get(key)
            if not isinstance(child, DictValue):
                if not make:
                    return None
                child = DictValue()
                node.put(key, child)
            node = child
        return node

    def changes(self, collection: str) -> bool:
        """Whether a collection may be written."""
        from mlvet.frontends.python.values.containers import ListValue

        named = self.mutable.items if isinstance(self.mutable, ListValue) else self.mutable
        if self.initialising or named is True:
            return True
        return collection in named if isinstance(named, tuple) else named == collection


class Lift:
    """A module run once for each slice along an axis: variables of some collections have that axis too."""

    __slots__ = ("axes", "size")

    def __init__(self, axes: dict[Any, int], size: Dim | None) -> None:
        self.axes = axes
        self.size = size

    def axis(self, collection: str) -> int | None:
        """The axis along which the variables of a collection are stacked; True stands for all collections."""
        return self.axes.get(collection, self.axes.get(True))


def stacked(value: Any, lifts: Sequence[Lift], collection: str) -> Any:
    """A variable of one slice as it is stored: with the axes that it is stacked along."""
    for lift in lifts:
        axis = lift.axis(collection)
        if axis is not None:
            value = mapped(lambda _, leaf, axis=axis, lift=lift: with_axis(leaf, axis, lift.size), value)
    return value


def sliced(value: Any, lifts: Sequence[Lift], collection: str) -> Any:
    """A stored variable as one slice sees it."""
    for lift in reversed(lifts):
        axis = lift.axes.get(collection)
        if axis is not None and not isinstance(value, Unknown):
            value = mapped(lambda _, leaf, axis=axis: without_axis(leaf, axis, []), value)
    return value


def copied(tree: Any) -> Any:
    """A tree of variables whose dictionaries can be written without changing the program's own."""
    if isinstance(tree, DictValue):
        return DictValue({key: copied(cell) for key, cell in tree.cells.items()}, tree.rest, tree.made_by)
    return tree
