"""Methods of dictionaries."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.constructors import entries
from mlvet.frontends.python.libraries.builtins.elements import alike, any_key, integer, preset
from mlvet.frontends.python.libraries.builtins.operators import contains
from mlvet.frontends.python.libraries.builtins.subscripts import delete_item, item, put_item
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised

_NOTHING = object()


def _size(self: DictValue) -> Any:
    return integer("entries", len(self.cells))


@model("builtins.dict.keys")
def keys(self: Any, /) -> Any:
    return ListValue(tuple(self.cells) if self.rest is None else Repeated(any_key(self), _size(self)))


@model("builtins.dict.values")
def values(self: Any, /) -> Any:
    return ListValue(tuple(self.cells.values()) if self.rest is None else Repeated(_any_value(self), _size(self)))


@model("builtins.dict.items")
def items(self: Any, /) -> Any:
    if self.rest is None:
        return ListValue(self.cells.items())
    return ListValue(Repeated((any_key(self), _any_value(self)), _size(self)))


def _any_value(self: DictValue) -> Any:
    return alike((*self.cells.values(), *(() if self.rest is None else (self.rest,))))


@model("builtins.dict.get")
def get(self: Any, key: Any, default: Any = None, /) -> Any:
    key = preset(key)
    if is_key(key):
        if key in self.cells:
            return self.cells[key]
        return default if self.rest is None else alike((self.rest, *(() if default is None else (default,))))
    match contains(self, key):
        case True:
            return item(self, key)
        case False:
            return default
    known = (*self.cells.values(), *(() if self.rest is None else (self.rest,)))
    return alike(known if default is None else (*known, default)) if known else default


@model("builtins.dict.setdefault")
def set_default(self: Any, key: Any, default: Any = None, /) -> Any:
    if is_key(key) and key not in self.cells:
        self.put(key, default)
        return default
    if not is_key(key) and not self.cells and self.rest is None:
        put_item(self, key, default)
        return default
    return item(self, key)


@model("builtins.dict.pop")
def pop(self: Any, key: Any, default: Any = _NOTHING, /) -> Any:
    key = preset(key)
    if is_key(key) and key in self.cells:
        found = self.cells[key]
        self.drop(key)
        return found
    if self.rest is None and (is_key(key) or not self.cells):
        if default is _NOTHING:
            raise Raised(KeyError(key))
        return default
    found = get(self, key)
    delete_item(self, key)
    return found


@model("builtins.dict.popitem")
def pop_item(self: Any, last: Any = True) -> Any:
    if self.rest is not None:
        return (any_key(self), _any_value(self))
    if not self.cells:
        raise Raised(KeyError("popitem(): dictionary is empty"))
    key = next(reversed(self.cells) if last is not False else iter(self.cells))
    value = self.cells[key]
    self.drop(key)
    return (key, value)


@model("builtins.dict.update")
def update(self: Any, *sources: Any, **keywords: Any) -> None:
    for source in sources:
        for key, value in entries(source):
            put_item(self, key, value)
    for key, value in keywords.items():
        self.put(key, value)


@model("builtins.dict.copy")
def copy(self: Any, /) -> Any:
    made = DictValue(self.cells, self.rest, self.made_by, self.rest_key)
    made.factory = self.factory
    return made


@model("builtins.dict.clear")
def clear(self: Any, /) -> None:
    for key in tuple(self.cells):
        self.drop(key)
    if self.rest is not None:
        self.rest = None


@model("builtins.dict.fromkeys")
def from_keys(iterable: Any, value: Any = None, /) -> Any:
    made = DictValue()
    found = machine().items(iterable)
    for key in found if isinstance(found, tuple) else (found.element,):
        if is_key(key) and isinstance(found, tuple):
            made.cells[key] = value
        else:
            made.rest_cell["rest"] = value
    return made


@model("builtins.dict.__len__")
def length(self: Any, /) -> Any:
    return len(self.cells) if self.rest is None else _size(self)


@model("builtins.dict.__contains__")
def has(self: Any, key: Any, /) -> Any:
    found = contains(self, key)
    return Scalar(bool) if found is None else found


@model("builtins.dict.__getitem__")
def get_item(self: Any, key: Any, /) -> Any:
    return item(self, key)


@model("builtins.dict.__setitem__")
def set_item(self: Any, key: Any, value: Any, /) -> None:
    put_item(self, key, value)


@model("builtins.OrderedDict.move_to_end")
def move_to_end(self: Any, key: Any, last: Any = True) -> None:
    if key not in self.cells:
        raise Raised(KeyError(key))
    moved = self.cells[key]
    others = {each: value for each, value in self.cells.items() if each != key}
    for each in (key, *others) if last is not False else tuple(others):
        self.drop(each)
    if last is not False:
        for each, value in others.items():
            self.put(each, value)
    self.drop(key)
    self.put(key, moved)
    if last is False:
        for each, value in others.items():
            self.put(each, value)


@model("builtins.Counter.most_common")
def most_common(self: Any, n: Any = None) -> Any:
    counts = self.cells
    if self.rest is None and all(isinstance(each, int) for each in counts.values()) and isinstance(n, int | None):
        ranked = sorted(counts.items(), key=lambda entry: -entry[1])
        return ListValue(ranked if n is None else ranked[:n])
    if self.rest is None and n is None:
        return ListValue(Repeated((any_key(self), _any_value(self)), len(counts)))
    length = n if isinstance(n, int) else integer("entries")
    return ListValue(Repeated((any_key(self), _any_value(self)), length))


@model("builtins.Counter.elements")
def elements(self: Any) -> Any:
    return ListValue(Repeated(any_key(self), integer("elements")))


@model("builtins.Counter.total")
def total(self: Any) -> Any:
    return machine().call(_sum(), values(self))


def _sum() -> Any:
    from mlvet.frontends.python.libraries.builtins.numbers import total as add

    return add


@model("builtins.Counter.update")
def count_more(self: Any, iterable: Any = None, /, **keywords: Any) -> None:
    from mlvet.frontends.python.libraries.builtins.arithmetic import binary

    if isinstance(iterable, DictValue):
        for key, value in entries(iterable):
            if is_key(key):
                self.put(key, binary("+", self.cells.get(key, 0), value))
            else:
                self.rest = integer("count")
    elif iterable is not None:
        found = machine().items(iterable)
        if isinstance(found, tuple) and all(is_key(each) for each in found):
            for each in found:
                self.put(each, binary("+", self.cells.get(each, 0), 1))
        else:
            self.rest = integer("count")
    for key, value in keywords.items():
        self.put(key, binary("+", self.cells.get(key, 0), value))
