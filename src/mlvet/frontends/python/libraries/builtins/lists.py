"""Methods of lists, tuples and double-ended queues."""

from __future__ import annotations

import collections
from typing import Any

from mlvet.domains.dims import maximum
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import alike, count, integer, joined
from mlvet.frontends.python.libraries.builtins.operators import equal, extended
from mlvet.frontends.python.libraries.builtins.sequences import in_order
from mlvet.frontends.python.libraries.builtins.subscripts import delete_item, item
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import Items, ListValue, Repeated
from mlvet.frontends.python.values.raising import Raised


class DequeValue(ListValue):
    """collections.deque: a list that forgets its first items when it is longer than it may be."""

    __slots__ = ("maxlen",)
    made_by = "deque"
    native = collections.deque

    def __init__(self, items: Any = (), maxlen: Any = None) -> None:
        super().__init__(items)
        self.maxlen = maxlen


def _put(self: ListValue, items: Items, keep: str = "last") -> None:
    limit = self.maxlen if isinstance(self, DequeValue) else None
    if isinstance(limit, int) and isinstance(items, tuple) and len(items) > limit:
        items = items[len(items) - limit :] if keep == "last" else items[:limit]
    self.items = items


@model("builtins.list.append")
def append(self: Any, object: Any, /) -> None:
    items = self.items
    if isinstance(items, Repeated):
        self.items = Repeated(joined(items.element, object), items.length + 1)
    else:
        _put(self, (*items, object))


@model("builtins.deque.appendleft")
def append_left(self: Any, object: Any, /) -> None:
    if isinstance(self.items, Repeated):
        append(self, object)
    else:
        _put(self, (object, *self.items), "first")


@model("builtins.list.extend")
def extend(self: Any, iterable: Any, /) -> None:
    _put(self, extended(self.items, machine().items(iterable)))


@model("builtins.deque.extendleft")
def extend_left(self: Any, iterable: Any, /) -> None:
    items = machine().items(iterable)
    _put(self, extended(items[::-1] if isinstance(items, tuple) else items, self.items), "first")


@model("builtins.list.insert")
def insert(self: Any, index: Any, object: Any, /) -> None:
    items = self.items
    if isinstance(items, tuple) and isinstance(index, int):
        changed = list(items)
        changed.insert(index, object)
        self.items = tuple(changed)
    elif isinstance(items, tuple) and items:
        self.items = (joined(alike(items), object),) * (len(items) + 1)
    else:
        append(self, object)


@model("builtins.list.pop")
def pop(self: Any, index: Any = -1, /) -> Any:
    items = self.items
    if isinstance(items, tuple) and not items:
        raise Raised(IndexError("pop from empty list"))
    found = item(self, index)
    if isinstance(items, tuple) and isinstance(index, int):
        delete_item(self, index)
    elif isinstance(items, tuple):
        self.items = (alike(items),) * (len(items) - 1)
    else:
        self.items = Repeated(items.element, maximum(items.length - 1, 0))
    return found


@model("builtins.deque.popleft")
def pop_left(self: Any, /) -> Any:
    return pop(self, 0)


@model("builtins.list.remove")
def remove(self: Any, value: Any, /) -> None:
    items = self.items
    if isinstance(items, Repeated):
        self.items = Repeated(items.element, maximum(items.length - 1, 0))
        return
    verdicts = [equal(each, value) for each in items]
    if True in verdicts and None not in verdicts[: verdicts.index(True)]:
        place = verdicts.index(True)
        self.items = items[:place] + items[place + 1 :]
    elif None in verdicts:
        self.items = (alike(items),) * (len(items) - 1)
    else:
        raise Raised(ValueError("list.remove(x): x not in list"))


@model("builtins.list.clear")
def clear(self: Any, /) -> None:
    self.items = ()


@model("builtins.list.copy")
def copy(self: Any, /) -> Any:
    return DequeValue(self.items, self.maxlen) if isinstance(self, DequeValue) else ListValue(self.items)


@model("builtins.list.index", "builtins.tuple.index")
def index_of(self: Any, value: Any, start: Any = 0, stop: Any = None, /) -> Any:
    items = self if isinstance(self, tuple) else self.items
    if isinstance(items, Repeated) or not isinstance(start, int) or not isinstance(stop, int | None):
        return integer("index")
    for place in range(len(items))[start:stop]:
        match equal(items[place], value):
            case True:
                return place
            case None:
                return integer("index", 0, len(items) - 1)
    raise Raised(ValueError("the value is not in the list"))


@model("builtins.list.count", "builtins.tuple.count")
def occurrences(self: Any, value: Any, /) -> Any:
    items = self if isinstance(self, tuple) else self.items
    if isinstance(items, Repeated):
        return integer("count")
    verdicts = [equal(each, value) for each in items]
    return integer("count", verdicts.count(True), len(items)) if None in verdicts else verdicts.count(True)


@model("builtins.list.sort")
def sort(self: Any, /, *, key: Any = None, reverse: Any = False) -> None:
    self.items = in_order(self.items, key, reverse)


@model("builtins.list.reverse")
def reverse(self: Any, /) -> None:
    if isinstance(self.items, tuple):
        self.items = self.items[::-1]


@model("builtins.deque.rotate")
def rotate(self: Any, n: Any = 1, /) -> None:
    items = self.items
    if isinstance(items, tuple) and items:
        places = n % len(items) if isinstance(n, int) else None
        self.items = (alike(items),) * len(items) if places is None else items[-places:] + items[:-places]


@model("builtins.list.__len__", "builtins.tuple.__len__")
def size(self: Any, /) -> Any:
    return count(self if isinstance(self, tuple) else self.items)


@model("builtins.list.__getitem__", "builtins.tuple.__getitem__")
def get(self: Any, index: Any, /) -> Any:
    return item(self, index)


@model("builtins.list.__setitem__")
def put(self: Any, index: Any, value: Any, /) -> None:
    from mlvet.frontends.python.libraries.builtins.subscripts import put_item

    put_item(self, index, value)
