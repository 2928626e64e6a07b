"""Operators of Python on containers, and equality of any two values: True, False, or None if that is open."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr, at_least, bounds
from mlvet.domains.dims import equal as equal_sizes
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import alike, count, is_known, joined, writes
from mlvet.frontends.python.libraries.builtins.ranges import RangeValue
from mlvet.frontends.python.libraries.builtins.subscripts import delete_item, item, put_item
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated, SetValue, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import ratio_of, same
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

__all__ = ["concatenated", "contains", "delete_item", "equal", "item", "put_item", "repeated"]


def concatenated(left: Any, right: Any) -> Any:
    """`left + right` of two lists, tuples, strings or byte strings."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return left if isinstance(left, Unknown) else right
    if isinstance(left, tuple) and isinstance(right, tuple):
        return tuple(left) + tuple(right)
    if isinstance(left, str | bytes) and type(left) is type(right):
        return left + right  # type: ignore[operator]
    for kind in (str, bytes):
        if _is(left, kind) and _is(right, kind):
            return Scalar(kind)
    if (isinstance(left, ListValue) and isinstance(right, ListValue)) or _mixed(left, right):
        return ListValue(extended(_items(left), _items(right)))
    raise Raised(TypeError("these cannot be added"))


def extended(left: tuple[Any, ...] | Repeated, right: tuple[Any, ...] | Repeated) -> tuple[Any, ...] | Repeated:
    """The items of both, one after the other."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    parts = [each for each in (left, right) if isinstance(each, Repeated) or each]
    if len(parts) == 1:
        return parts[0]
    return Repeated(joined(alike(left), alike(right)), count(left) + count(right))


LONGEST = 100_000
"""Sequences of more items than this are not written out."""


def repeated(sequence: Any, times: Any) -> Any:
    """`sequence * times`."""
    if isinstance(times, Unknown | Scalar):
        times = _size(times)
    if not isinstance(times, int | Expr):
        raise Raised(TypeError("can't multiply sequence by non-int"))
    if isinstance(sequence, str | bytes | tuple) and isinstance(times, int):
        if len(sequence) * times <= LONGEST:
            return sequence * times
        if isinstance(sequence, tuple):
            raise Undecided(Reason.BUDGET, "a tuple of very many items")
    if isinstance(sequence, str | bytes | Scalar):
        return Scalar(sequence.kind if isinstance(sequence, Scalar) else type(sequence))
    items = _items(sequence)
    if isinstance(items, tuple) and isinstance(times, int) and len(items) * times <= LONGEST:
        return ListValue(items * times)
    if isinstance(items, tuple) and not items:
        return ListValue()
    return ListValue(Repeated(alike(items), count(items) * times))


def contains(container: Any, wanted: Any) -> bool | None:
    """`wanted in container`."""
    match container:
        case DictValue():
            return _has_key(container, wanted)
        case ListValue() if isinstance(container.items, tuple):
            return _among(container.items, wanted)
        case ListValue():
            return None
        case tuple():
            return _among(container, wanted)
        case str() | bytes() | range() if is_known(wanted):
            try:
                return wanted in container
            except TypeError as error:
                raise Raised(error) from error
        case range() if isinstance(wanted, Expr) and container:
            low, high = bounds(wanted)
            if high < min(container) or low > max(container):
                return False
            return True if container.step == 1 and low >= container.start and high < container.stop else None
        case RangeValue() if isinstance(wanted, int | Expr) and container.step == 1:
            above, below = at_least(wanted, container.start), at_least(container.stop - 1, wanted)
            return False if False in (above, below) else True if above and below else None
        case Scalar() if container.kind not in (str, bytes):
            raise Raised(TypeError(f"argument of type '{container.kind.__name__}' is not iterable"))
        case None | int() | float() | Expr():
            raise Raised(TypeError("argument is not iterable"))
        case Object() if not isinstance(container, TensorValue):
            return _asked(container, wanted)
    return None


def equal(left: Any, right: Any) -> bool | None:
    """Whether two values are equal in Python; tensors are no concern of it."""
    if isinstance(left, TensorValue) or isinstance(right, TensorValue):
        return True if left is right else None
    if left is right:
        return True
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if (isinstance(left, Expr) and isinstance(right, int | Expr)) or (
        isinstance(right, Expr) and isinstance(left, int)
    ):
        return equal_sizes(left, right)
    over, under = ratio_of(left), ratio_of(right)
    if over is not None and under is not None and not (is_known(left) and is_known(right)):
        return same(over, under)
    if isinstance(left, Scalar):
        return _may_be(left, right)
    if isinstance(right, Scalar):
        return _may_be(right, left)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return _all_equal(left, right)
    if isinstance(left, SetValue) and isinstance(right, SetValue):
        return _same_members(left, right)
    if isinstance(left, IteratorValue) or isinstance(right, IteratorValue):
        return False
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        return None if type(left) is not type(right) else _all_equal(left.items, right.items)
    if isinstance(left, DictValue) and isinstance(right, DictValue):
        return _same_entries(left, right)
    if isinstance(left, Object) or isinstance(right, Object):
        return _compared(left, right)
    try:
        return bool(left == right)
    except TypeError:
        return None


def _compared(left: Any, right: Any) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if not isinstance(one, Object):
            continue
        own = writes(one, "__eq__")
        if own or ("__eq__" in dir(type(one)) and type(one).__eq__ is not object.__eq__):
            found = machine().send(one, "__eq__", other)
            if found is NotImplemented:
                continue
            truth = machine().truth(found)
            return truth if isinstance(truth, bool) else None
        if writes(one, "@dataclass"):
            alike_kinds = isinstance(other, Object) and other.kind is one.kind
            return _all_equal(tuple(one.cells.values()), tuple(other.cells.values())) if alike_kinds else False
    return False


def _may_be(scalar: Scalar, value: Any) -> bool | None:
    """Whether a scalar of unknown value equals another value: never if the kinds differ or it is no choice."""
    if value is None:
        return None if scalar.has_default and scalar.default is None else False
    if isinstance(value, Scalar):
        numeric = {scalar.kind, value.kind} <= {bool, int, float}
        return None if scalar.kind is value.kind or numeric else False
    if scalar.kind in (str, bytes):
        if not isinstance(value, scalar.kind):
            return False
    elif not isinstance(value, bool | int | float | complex | Expr):
        return False
    if scalar.choices is not None and not any(equal(each, value) is not False for each in scalar.choices):
        return False if not (scalar.has_default and scalar.default == value) else None
    return None


def _all_equal(left: Any, right: Any) -> bool | None:
    if isinstance(left, Repeated) or isinstance(right, Repeated):
        return False if equal_sizes(count(left), count(right)) is False else None
    if len(left) != len(right):
        return False
    found = [equal(one, other) for one, other in zip(left, right, strict=True)]
    return False if False in found else None if None in found else True


def _same_members(left: SetValue, right: SetValue) -> bool | None:
    if isinstance(left.items, Repeated) or isinstance(right.items, Repeated):
        return None
    if all(is_key(each) for each in left.items + right.items):
        return set(left.items) == set(right.items)
    return None


def _same_entries(left: DictValue, right: DictValue) -> bool | None:
    if left.rest is not None or right.rest is not None:
        return None
    if left.cells.keys() != right.cells.keys():
        return False
    return _all_equal(tuple(left.cells.values()), tuple(right.cells[key] for key in left.cells))


def _has_key(container: DictValue, wanted: Any) -> bool | None:
    if is_key(wanted):
        return True if wanted in container.cells else False if container.rest is None else None
    if isinstance(wanted, Scalar | Expr | Unknown):
        found = _among(tuple(container.cells), wanted)
        return None if container.rest is not None and found is False else found
    try:
        return True if wanted in container.cells else None if container.rest is not None else False
    except TypeError as error:
        raise Raised(error) from error


def _among(items: tuple[Any, ...], wanted: Any) -> bool | None:
    found = False
    undecided = False
    for each in items:
        match equal(each, wanted):
            case True:
                found = True
                break
            case None:
                undecided = True
    if not found and undecided and isinstance(wanted, Scalar) and wanted.choices is not None:
        return True if all(_among(items, each) for each in wanted.choices) else None
    return True if found else None if undecided else False


def _asked(container: Object, wanted: Any) -> bool | None:
    try:
        asks = machine().attribute(container, "__contains__")
    except (AttributeError, Raised):
        items = machine().items(container)
        return _among(items, wanted) if isinstance(items, tuple) else None
    if isinstance(asks, Unknown):
        return None
    truth = machine().truth(machine().call(asks, wanted))
    return truth if isinstance(truth, bool) else None


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) or (isinstance(value, Scalar) and value.kind is kind)


def _mixed(left: Any, right: Any) -> bool:
    """A tuple and a list that stands for a tuple of unknown length."""
    return {type(left), type(right)} == {tuple, ListValue} and any(
        isinstance(each, ListValue) and isinstance(each.items, Repeated) for each in (left, right)
    )


def _items(sequence: Any) -> tuple[Any, ...] | Repeated:
    if isinstance(sequence, ListValue):
        return sequence.items
    if isinstance(sequence, tuple | list):
        return tuple(sequence)
    if isinstance(sequence, Unknown):
        return Repeated(sequence, _size(sequence))
    raise Raised(TypeError(f"{type(sequence).__name__} is no sequence"))


def _size(value: Any) -> Dim:
    from mlvet.frontends.python.libraries.binding import as_size

    if isinstance(value, Scalar) and value.kind in (float, str):
        raise Raised(TypeError("can't multiply sequence by non-int"))
    return as_size(value, "times")
