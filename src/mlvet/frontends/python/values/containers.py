"""Lists, dictionaries and sets: of known structure, or of one element standing for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import erase, machine, store
from mlvet.frontends.python.trail import Cells
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """A number of elements that is not known, all of them like `element`."""

    element: Any
    length: Dim

    def __post_init__(self) -> None:
        machine().repeated[id(self.element)] = self.element


Items = tuple[Any, ...] | Repeated


class ListValue:
    """A list: its items, or what is known of all items."""

    __slots__ = ("cells",)

    def __init__(self, items: Iterable[Any] | Repeated = ()) -> None:
        self.cells: dict[str, Any] = Cells({"items": items if isinstance(items, Repeated) else tuple(items)})

    @property
    def items(self) -> Items:
        """The items; raises NeedsChoice if they differ between the paths that lead here."""
        items = self.cells["items"]
        found: Items = resolved(items, machine()) if isinstance(items, Choice) else items
        return found

    @items.setter
    def items(self, items: Items) -> None:
        store(self.cells, "items", items)

    def __repr__(self) -> str:
        return f"[{self.cells['items']!r}]"


class SetValue(ListValue):
    """A set; its items are in the order in which they were added. Items that may be equal are kept apart."""

    __slots__ = ()

    def __init__(self, items: Iterable[Any] | Repeated = ()) -> None:
        if not isinstance(items, Repeated):
            items = list(items)
            if all(is_key(item) for item in items):
                items = list(dict.fromkeys(items))
        super().__init__(items)


class IteratorValue(ListValue):
    """An iterator or generator: the items that are left."""

    __slots__ = ()


class DictValue:
    """A dictionary whose keys are known; `rest` is what any other key yields, None if there is no other.

    `rest_key` stands for the other keys, None if nothing is known of them.
    `made_by` is the class name of a dictionary with ways of its own, such as Counter or defaultdict.
    """

    __slots__ = ("cells", "factory", "made_by", "rest_cell")

    def __init__(
        self, cells: Mapping[Any, Any] | None = None, rest: Any = None, made_by: str = "dict", rest_key: Any = None
    ) -> None:
        self.cells: dict[Any, Any] = Cells(cells or {})
        self.rest_cell: dict[str, Any] = Cells({"rest": rest, "key": rest_key})
        if rest is not None:
            machine().repeated[id(rest)] = rest
        self.made_by = made_by
        self.factory: Any = None

    @property
    def rest(self) -> Any:
        return self.rest_cell["rest"]

    @rest.setter
    def rest(self, value: Any) -> None:
        store(self.rest_cell, "rest", value)

    @property
    def rest_key(self) -> Any:
        return self.rest_cell["key"]

    @rest_key.setter
    def rest_key(self, key: Any) -> None:
        store(self.rest_cell, "key", key)

    def put(self, key: Any, value: Any) -> None:
        store(self.cells, key, value)

    def drop(self, key: Any) -> None:
        erase(self.cells, key)

    def __repr__(self) -> str:
        return repr(self.cells)


def is_key(value: Any) -> bool:
    """Whether a value is a dictionary key whose equality is known."""
    if isinstance(value, tuple):
        return all(is_key(each) for each in value)
    return value is None or isinstance(
        value, int | float | str | bytes | type | FunctionValue | ClassValue | FunctionType
    )
