"""One value that stands for several, and integers of which only a name is known."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import inf
from typing import Any

from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.promotion import Framework
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.containers import DictValue, Items, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown

KNOWN = (type(None), bool, int, float, complex, str, bytes)


def integer(name: str, low: float = 0, high: float = inf) -> Expr:
    """An integer that data or a user decides, named for what it is."""
    return symbol(machine().fresh(name), low, high)


def joined(left: Any, right: Any) -> Any:
    """What is true of both values."""
    from mlvet.frontends.python.interpretation.joining import joined as join

    return left if left is right else join(machine(), left, right)


def alike(items: Items | Iterable[Any]) -> Any:
    """One value that stands for each of the items; unknown if there are none."""
    if isinstance(items, Repeated):
        return items.element
    every = tuple(items)
    return reduce(joined, every) if every else Unknown(Reason.DYNAMIC_CONTAINER, "an item of an empty container")


def any_key(container: DictValue) -> Any:
    """One key that stands for each of a dictionary."""
    rest = () if container.rest is None or container.rest_key is None else (container.rest_key,)
    keys = (*container.cells, *rest)
    return alike(keys) if keys else Scalar(str)


def put_anywhere(container: DictValue, key: Any, value: Any) -> None:
    """A key that is not known may be any: what is found under other keys is from now on this, or what it was."""
    container.rest_key = key if container.rest_key is None else joined(container.rest_key, key)
    container.rest = value if container.rest is None else joined(container.rest, value)


def stands_for_many(key: Any) -> bool:
    """Whether a key may be another each time that this is run: a number of an array, or one of any iteration."""
    of_array = isinstance(key, TensorValue) and key.framework is Framework.NUMPY
    return of_array or any(each.index is None for each in machine().loops)


def count(items: Items) -> Dim:
    return items.length if isinstance(items, Repeated) else len(items)


def is_known(value: Any) -> bool:
    """Whether a value is Python's own, so that Python itself can compute with it."""
    if isinstance(value, tuple):
        return all(is_known(each) for each in value)
    return isinstance(value, KNOWN)


def writes(value: Any, name: str) -> bool:
    """Whether the class of an instance, or a class, is of the program and has such an attribute itself."""
    kind = value.kind if isinstance(value, Object) else value
    if not isinstance(kind, ClassValue):
        return False
    return any(isinstance(owner, ClassValue) and name in owner.cells for owner in kind.order)


def preset(value: Any) -> Any:
    """What a setting of the user is by default; any other value as it is."""
    return value.default if isinstance(value, Scalar) and value.has_default else value
