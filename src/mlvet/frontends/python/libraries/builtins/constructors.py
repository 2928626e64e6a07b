"""What calls of builtin types yield: `int(h / 2)`, `list(range(n))`, `dict(a=1)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains.dims import Expr
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.builtins.elements import alike, integer, is_known, joined, writes
from mlvet.frontends.python.libraries.builtins.ranges import of as _range
from mlvet.frontends.python.values.containers import DictValue, Items, ListValue, Repeated, SetValue, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import Ratio, truncated
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Unknown


def native(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """What Python itself computes; its exceptions are the program's."""
    try:
        return function(*args, **keywords)
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise Raised(error) from error


def make_int(x: Any = 0, /, base: Any = None) -> Any:
    match x:
        case bool():
            return int(x)
        case int() | Expr():
            return x
        case Ratio():
            return truncated(x)
        case Scalar() | Unknown():
            return as_size(x, x.name or "n")
        case TensorValue():
            return as_size(x, "n")
        case Object():
            return _sent(x, "__int__", "__index__")
        case _ if is_known(x) and isinstance(base, int | None):
            return native(int, x) if base is None else native(int, x, base)
    raise Raised(TypeError(f"int() argument must be a string or a real number, not '{type(x).__name__}'"))


def make_float(x: Any = 0.0, /) -> Any:
    match x:
        case Ratio():
            return x
        case Expr():
            return Ratio(x)
        case Scalar():
            return _recast(x, float)
        case Unknown() | TensorValue():
            return Scalar(float, name=x.name if isinstance(x, Unknown) else "")
        case Object():
            return _sent(x, "__float__")
    return native(float, x)


def make_complex(real: Any = 0, imag: Any = 0) -> Any:
    return native(complex, real, imag) if is_known(real) and is_known(imag) else Scalar(complex)


def make_bool(x: Any = False, /) -> Any:
    return machine().truth(x)


def make_str(x: Any = "", /, encoding: Any = None, errors: Any = None) -> Any:
    del encoding, errors
    if isinstance(x, bytes):
        return x.decode(errors="replace")
    if is_known(x):
        return str(x)
    if isinstance(x, Scalar):
        return x if x.kind is str else _recast(x, str)
    if isinstance(x, Object):
        text = spelled(x)
        if text is not None:
            return text
    return Scalar(str, name=x.name if isinstance(x, Unknown) else "")


def spelled(x: Object) -> Any:
    """What an object's own `__str__` makes of it, None if it has none."""
    for method in ("__str__", "__repr__", "__fspath__"):
        if writes(x, method) or (method != "__repr__" and any(method in vars(each) for each in type(x).__mro__[:-1])):
            found = machine().send(x, method)
            return found if isinstance(found, str | Scalar) else Scalar(str)
    return None


def make_bytes(x: Any = b"", /, encoding: Any = None, errors: Any = None) -> Any:
    if isinstance(x, str) and isinstance(encoding, str):
        return native(x.encode, encoding, errors or "strict")
    if isinstance(x, bytes | int) and not isinstance(x, bool):
        return native(bytes, x) if isinstance(x, bytes) or x < 100_000 else Scalar(bytes)
    return Scalar(bytes)


def make_list(iterable: Any = (), /) -> Any:
    return ListValue(machine().items(iterable))


def make_tuple(iterable: Any = (), /) -> Any:
    """A tuple; one of unknown length is a list that stands for it."""
    items = machine().items(iterable)
    return items if isinstance(items, tuple) else ListValue(items)


def make_set(iterable: Any = (), /) -> Any:
    return SetValue(distinct(machine().items(iterable)))


def distinct(items: Items) -> Items:
    """The members of a set of these items; one that stands for all where their equality is open."""
    if isinstance(items, Repeated):
        return Repeated(items.element, integer("members"))
    if all(is_key(each) for each in items):
        return tuple(dict.fromkeys(items))
    if all(is_key(each) or isinstance(each, Object) for each in items):
        return tuple({each if is_key(each) else id(each): each for each in items}.values())
    return items if len(items) < 2 else Repeated(alike(items), integer("members", 1, len(items)))


def make_dict(*args: Any, **keywords: Any) -> Any:
    if len(args) > 1:
        raise Raised(TypeError(f"dict expected at most 1 argument, got {len(args)}"))
    made = DictValue()
    if args:
        fill(made.cells, made.rest_cell, args[0])
    made.cells.update(keywords)
    return made


def fill(cells: dict[Any, Any], rest: dict[str, Any], source: Any) -> None:
    """Put the entries of a dictionary, or pairs, into the cells of a dictionary that is being made."""
    for key, value in entries(source):
        if is_key(key):
            cells[key] = value
        else:
            rest["key"] = key if rest["key"] is None else joined(rest["key"], key)
            rest["rest"] = value if rest["rest"] is None else joined(rest["rest"], value)


def entries(source: Any) -> list[tuple[Any, Any]]:
    """The entries of a dictionary or of a sequence of pairs; a key that is not known stands for any number of them."""
    if isinstance(source, DictValue):
        other = Scalar(str) if source.rest_key is None else source.rest_key
        return [*source.cells.items(), *([] if source.rest is None else [(other, source.rest)])]
    if isinstance(source, Unknown):
        return [(source, source)]
    if isinstance(source, Object) and hasattr(type(source), "keys"):
        keys = machine().items(machine().send(source, "keys"))
        known = keys if isinstance(keys, tuple) else (keys.element,)
        return [(key, machine().send(source, "__getitem__", key)) for key in known]
    items = machine().items(source)
    if isinstance(items, Repeated):
        return [_pair(items.element, open_key=True)]
    return [_pair(each) for each in items]


def _pair(item: Any, open_key: bool = False) -> tuple[Any, Any]:
    if isinstance(item, Unknown):
        return item, item
    if isinstance(item, int | float | None):
        raise Raised(TypeError("cannot convert dictionary update sequence element to a sequence"))
    parts = machine().items(item)
    if isinstance(parts, Repeated):
        return parts.element, parts.element
    if len(parts) != 2:
        raise Raised(ValueError("dictionary update sequence element has not length 2"))
    key, value = parts
    return (Scalar(type(key) if is_known(key) else str) if open_key else key), value


def make_type(*args: Any) -> Any:
    from mlvet.frontends.python.libraries.builtins.classes import class_of

    if len(args) != 1:
        from mlvet.frontends.python.values.unknown import Reason

        return machine().unknown(Reason.METACLASS, "a class made by type()")
    return class_of(args[0])


def make_object() -> Any:
    return Object()


def _sent(x: Object, *methods: str) -> Any:
    from mlvet.frontends.python.interpretation.attributes import lookup
    from mlvet.frontends.python.trail import MISSING

    for method in methods:
        found = lookup(machine(), x, method)
        if found is not MISSING:
            return machine().call(found)
    raise Raised(TypeError(f"{x!r} is no number"))


def _recast(x: Scalar, kind: type) -> Any:
    """A setting as another type, with its default converted."""
    if x.has_default and isinstance(x.default, bool | int | float | str):
        try:
            return Scalar(kind, x.name, kind(x.default), True)
        except ValueError:
            pass
    return Scalar(kind, x.name)


def make_slice(*bounds: Any) -> Any:
    return native(slice, *bounds)


def make_bytearray(*args: Any) -> Any:
    return Scalar(bytes) if args else b""


CONSTRUCTORS: dict[type, Callable[..., Any]] = {
    int: make_int, float: make_float, complex: make_complex, bool: make_bool, str: make_str, bytes: make_bytes,
    list: make_list, tuple: make_tuple, set: make_set, frozenset: make_set, dict: make_dict, type: make_type,
    object: make_object, slice: make_slice, range: _range, bytearray: make_bytearray, memoryview: make_bytes,
}  # fmt: skip
"""By builtin type, what a call of it yields."""
