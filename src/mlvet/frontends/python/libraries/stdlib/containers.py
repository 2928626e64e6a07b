"""collections: named tuples, queues, and dictionaries with ways of their own."""

from __future__ import annotations

import collections
import collections.abc
from collections.abc import Callable
from keyword import iskeyword
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.constructors import CONSTRUCTORS, entries, fill, make_dict
from mlvet.frontends.python.libraries.builtins.dictionaries import count_more
from mlvet.frontends.python.libraries.builtins.lists import DequeValue
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants
from mlvet.frontends.python.values.containers import DictValue, Repeated
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Undecided

constants(collections.abc, collections.abc.__all__, "collections.abc")
for _name in ("Iterable", "Mapping", "MutableMapping", "Sequence", "MutableSequence", "Callable", "Set", "Hashable"):
    model(f"collections.{_name}")(getattr(collections.abc, _name))


def record_class(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...] = ()) -> type:
    """A class of named tuples. Its instances are tuples of Python whose items have names."""
    made: type = collections.namedtuple(name, fields, defaults=defaults)  # type: ignore[misc]
    CONSTRUCTORS[made] = _constructor(made)
    return made


def _constructor(made: type) -> Callable[..., Any]:
    def construct(*args: Any, **keywords: Any) -> Any:
        try:
            return made(*args, **keywords)
        except TypeError as error:
            raise Raised(error) from error

    return construct


@model("collections.namedtuple")
def namedtuple(
    typename: Any, field_names: Any, *, rename: Any = False, defaults: Any = None, module: Any = None
) -> Any:
    del module
    names = field_names.replace(",", " ").split() if isinstance(field_names, str) else machine().items(field_names)
    given = () if defaults is None else machine().items(defaults)
    if isinstance(names, Repeated) or isinstance(given, Repeated) or not all(isinstance(each, str) for each in names):
        raise Undecided(Reason.METACLASS, "a named tuple with unknown fields")
    if rename is True:
        names = [each if each.isidentifier() and not iskeyword(each) else f"_{n}" for n, each in enumerate(names)]
    try:
        return record_class(typename if isinstance(typename, str) else "Record", tuple(names), tuple(given))
    except (TypeError, ValueError) as error:
        raise Raised(error) from error


@model("builtins.tuple._asdict")
def as_dict(self: Any, /) -> Any:
    return DictValue(dict(zip(_fields(self), self, strict=True)))


@model("builtins.tuple._replace")
def replace(self: Any, /, **changes: Any) -> Any:
    _fields(self)
    try:
        return self._replace(**changes)
    except (TypeError, ValueError) as error:
        raise Raised(error) from error


def _fields(self: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] | None = getattr(self, "_fields", None)
    if fields is None:
        raise Raised(AttributeError("'tuple' object has no such attribute"))
    return fields


model("builtins.tuple._fields")(property(_fields))


def make_ordered(*args: Any, **keywords: Any) -> Any:
    made = make_dict(*args, **keywords)
    made.made_by = "OrderedDict"
    return made


def make_default(default_factory: Any = None, /, *args: Any, **keywords: Any) -> Any:
    made = make_dict(*args, **keywords)
    made.made_by = "defaultdict"
    made.factory = default_factory
    return made


def make_counter(iterable: Any = None, /, **keywords: Any) -> Any:
    made = DictValue(made_by="Counter")
    count_more(made, iterable, **keywords)
    return made


def make_deque(iterable: Any = (), maxlen: Any = None) -> Any:
    made = DequeValue((), maxlen)
    items = machine().items(iterable)
    if isinstance(items, tuple) and isinstance(maxlen, int):
        items = items[max(len(items) - maxlen, 0) :]
    made.cells["items"] = items
    return made


def make_chain_map(*maps: Any) -> Any:
    made = DictValue()
    for each in reversed(maps):
        fill(made.cells, made.rest_cell, each)
    return made


KINDS: dict[type, Callable[..., Any]] = {
    collections.OrderedDict: make_ordered,
    collections.defaultdict: make_default,
    collections.Counter: make_counter,
    collections.deque: make_deque,
    collections.ChainMap: make_chain_map,
    collections.UserDict: make_dict,
}
for _kind, _make in KINDS.items():
    CONSTRUCTORS[_kind] = _make
    model(f"collections.{_kind.__name__}")(_kind)


model("builtins.defaultdict.default_factory")(property(lambda self: self.factory))


@model("types.MappingProxyType")
def read_only(mapping: Any, /) -> Any:
    if isinstance(mapping, DictValue):
        return mapping
    return DictValue(dict(entries(mapping)))
