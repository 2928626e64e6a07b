"""Items of lists, tuples, strings and dictionaries by indices that are known, symbolic or unknown."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr, at_least, maximum, minimum
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import (
    alike,
    count,
    integer,
    is_known,
    joined,
    preset,
    put_anywhere,
    stands_for_many,
)
from mlvet.frontends.python.values.containers import DictValue, Items, ListValue, Repeated, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Unknown


def item(container: Any, index: Any) -> Any:
    """`container[index]`."""
    match container:
        case tuple():
            return _of_sequence(tuple(container), index, tuple)
        case ListValue():
            return _of_sequence(container.items, index, ListValue)
        case DictValue():
            return _of_dict(container, index)
        case str() | bytes() | range():
            return _of_known(container, index)
        case Scalar() if container.kind in (str, bytes):
            is_byte = container.kind is bytes and not isinstance(index, slice)
            return integer("byte", 0, 255) if is_byte else Scalar(container.kind)
        case Unknown():
            return machine().unknown(container.reason, container.detail)
        case type() | ClassValue():
            return container
        case Object():
            return machine().send(container, "__getitem__", index)
    raise Raised(TypeError(f"'{type(container).__name__}' object is not subscriptable"))


def put_item(container: Any, index: Any, value: Any) -> None:
    """`container[index] = value`."""
    match container:
        case ListValue():
            container.items = _with(container.items, index, value)
        case DictValue() if is_key(preset(index)):
            container.put(preset(index), value)
        case DictValue():
            _put(container, index, value)
        case Object():
            machine().send(container, "__setitem__", index, value)
        case Unknown():
            return
        case _:
            raise Raised(TypeError(f"'{type(container).__name__}' object does not support item assignment"))


def delete_item(container: Any, index: Any) -> None:
    """`del container[index]`."""
    match container:
        case ListValue():
            container.items = _without(container.items, index)
        case DictValue() if is_key(preset(index)):
            key = preset(index)
            if key not in container.cells and container.rest is None:
                raise Raised(KeyError(key))
            container.drop(key)
        case DictValue():
            container.rest = alike(container.cells.values()) if container.cells else container.rest
        case Object():
            machine().send(container, "__delitem__", index)


def _of_sequence(items: Items, index: Any, kind: Any) -> Any:
    index = preset(index)
    if isinstance(index, slice):
        part = sliced(items, index)
        return part if kind is tuple and isinstance(part, tuple) else ListValue(part)
    if isinstance(items, Repeated):
        return items.element
    if isinstance(index, int):
        try:
            return items[index]
        except IndexError as error:
            raise Raised(error) from error
    if isinstance(index, float | str | None | tuple | ListValue | DictValue):
        raise Raised(TypeError("indices must be integers or slices"))
    if isinstance(index, Object) and index.kind is not None:
        return _of_sequence(items, machine().send(index, "__index__"), kind)
    return alike(items)


def sliced(items: Items, index: slice) -> Items:
    """The items of a slice: one that stands for all if its bounds are not known."""
    start, stop, step = (_bound(each) for each in (index.start, index.stop, index.step))
    if isinstance(items, tuple) and all(isinstance(each, int | None) for each in (start, stop, step)):
        return items[start:stop:step]
    element = alike(items)
    if isinstance(items, tuple) and not items:
        return ()
    return Repeated(element, _span(count(items), start, stop, step))


def _span(length: Dim, start: Any, stop: Any, step: Any) -> Dim:
    """How many items a slice has."""
    if step in (None, 1, -1) and start is None and stop is None:
        return length
    if step in (None, 1) and all(isinstance(each, int | Expr | None) for each in (start, stop)):
        first, last = _place(start, length, 0), _place(stop, length, length)
        return maximum(last - first, 0)
    if isinstance(step, int) and step > 1 and start is None and stop is None:
        return (length + step - 1) // step
    return integer("length")


def _place(bound: Dim | None, length: Dim, default: Dim) -> Dim:
    if bound is None:
        return default
    if at_least(bound, 0) is False:
        return maximum(length + bound, 0)
    return minimum(bound, length)


def _bound(bound: Any) -> Any:
    from mlvet.frontends.python.libraries.binding import as_size

    return bound if bound is None else as_size(bound, "bound")


def _of_known(container: Any, index: Any) -> Any:
    index = preset(index)
    try:
        if isinstance(index, slice) and all(is_known(each) for each in (index.start, index.stop, index.step)):
            return container[index]
        if isinstance(index, int):
            return container[index]
    except (IndexError, TypeError, ValueError) as error:
        raise Raised(error) from error
    if isinstance(container, str):
        return Scalar(str)
    if isinstance(container, bytes):
        return Scalar(bytes) if isinstance(index, slice) else integer("byte", 0, 255)
    if isinstance(index, slice):
        return ListValue(sliced(tuple(container), index))
    return integer("i", min(container, default=0), max(container, default=0))


def _of_dict(container: DictValue, key: Any) -> Any:
    key = preset(key)
    if is_key(key) or _is_constant(container, key):
        if key in container.cells:
            return container.cells[key]
        return _absent(container, key)
    values = [*container.cells.values(), *([] if container.rest is None else [container.rest])]
    if container.factory is not None and container.rest is None:
        put_anywhere(container, key, alike([machine().call(container.factory), *values]))
        return container.rest
    return alike(values) if values else machine().unknown(Reason.DYNAMIC_CONTAINER, "an item of an empty dictionary")


def _is_constant(container: DictValue, key: Any) -> bool:
    """Whether a key that is no plain constant is one of the keys all the same: an object, a symbol."""
    try:
        return key in container.cells
    except TypeError:
        return False


def _absent(container: DictValue, key: Any) -> Any:
    if isinstance(container.rest, Unknown):
        rest = container.rest
        container.put(key, Unknown(rest.reason, rest.detail, rest.name, rest.location))
        return container.cells[key]
    if container.rest is not None:
        return container.rest
    if container.factory is not None:
        made = machine().call(container.factory)
        container.put(key, made)
        return made
    if container.made_by == "Counter":
        return 0
    raise Raised(KeyError(key))


def _with(items: Items, index: Any, value: Any) -> Items:
    index = preset(index)
    if isinstance(items, Repeated):
        new = value if not isinstance(index, slice) else alike(machine().items(value))
        return Repeated(joined(items.element, new), items.length)
    if isinstance(index, int):
        if not -len(items) <= index < len(items):
            raise Raised(IndexError("list assignment index out of range"))
        return items[:index] + (value,) + (items[index + 1 :] if index != -1 else ())
    if isinstance(index, slice):
        return _spliced(items, index, machine().items(value))
    return tuple(joined(each, value) for each in items)


def _spliced(items: tuple[Any, ...], index: slice, new: Items) -> Items:
    bounds = (index.start, index.stop, index.step)
    if isinstance(new, tuple) and all(isinstance(each, int | None) for each in bounds):
        changed = list(items)
        try:
            changed[index] = new
        except ValueError as error:
            raise Raised(error) from error
        return tuple(changed)
    return Repeated(joined(alike(items), alike(new)) if items else alike(new), integer("length"))


def _without(items: Items, index: Any) -> Items:
    if isinstance(items, Repeated):
        return Repeated(
            items.element, maximum(items.length - 1, 0) if not isinstance(index, slice) else integer("length")
        )
    if isinstance(index, int) or (isinstance(index, slice) and is_known((index.start, index.stop, index.step))):
        left = list(items)
        try:
            del left[index]
        except IndexError as error:
            raise Raised(error) from error
        return tuple(left)
    return Repeated(alike(items), integer("length"))


def _put(container: DictValue, key: Any, value: Any) -> None:
    """An entry whose key is no plain constant: that of an object, or one that stands for any other."""
    if _is_constant(container, key):
        container.put(key, value)
    elif isinstance(key, Object | Expr) and not stands_for_many(key):
        try:
            container.put(key, value)
        except TypeError as error:
            raise Raised(error) from error
    else:
        put_anywhere(container, key, value)
