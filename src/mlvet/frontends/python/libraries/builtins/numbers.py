"""Builtin functions on numbers: sums, extremes, rounding, and truth of all or any."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Expr, maximum, minimum
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.arithmetic import absolute, binary, compared
from mlvet.frontends.python.libraries.builtins.elements import alike, integer, is_known
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import Ratio, rounded
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Undecided, Unknown

_NOTHING = object()


@model("builtins.sum")
def total(iterable: Any, /, start: Any = 0) -> Any:
    if isinstance(iterable, Unknown):
        raise Undecided(iterable)
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        return _repeated_sum(items, start)
    for item in items:
        start = binary("+", start, item)
    return start


def _repeated_sum(items: Repeated, start: Any) -> Any:
    element = items.element
    if isinstance(element, bool | Expr) or (isinstance(element, Scalar) and element.kind is bool):
        return binary("+", start, integer("total"))
    if isinstance(element, int):
        return binary("+", start, element * items.length)
    if isinstance(element, float):
        return Scalar(float)
    return binary("+", start, element)


@model("builtins.min")
def smallest(*args: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    return _extreme("min", args, key, default)


@model("builtins.max")
def largest(*args: Any, key: Any = None, default: Any = _NOTHING) -> Any:
    return _extreme("max", args, key, default)


def _extreme(name: str, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    if not args:
        raise Raised(TypeError(f"{name} expected at least 1 argument, got 0"))
    if len(args) == 1 and isinstance(args[0], Unknown):
        raise Undecided(args[0])
    items = machine().items(args[0]) if len(args) == 1 else args
    if isinstance(items, Repeated):
        return _of_many(items.element)
    if not items:
        if default is _NOTHING:
            raise Raised(ValueError(f"{name}() iterable argument is empty"))
        return default
    if len(items) == 1:
        return items[0]
    keys = items if key is None else tuple(machine().call(key, each) for each in items)
    if all(is_known(each) for each in keys):
        try:
            return items[(min if name == "min" else max)(range(len(keys)), key=keys.__getitem__)]
        except TypeError as error:
            raise Raised(error) from error
    if key is not None:
        return alike(items)
    if all(isinstance(each, int | Expr) for each in items):
        return minimum(*items) if name == "min" else maximum(*items)
    return _of_several(name, items)


def _of_many(element: Any) -> Any:
    """The least or greatest of a number of values of which one stands for all."""
    if isinstance(element, Expr):
        return integer("extreme")
    return Scalar(float) if isinstance(element, Ratio) else element


def _of_several(name: str, items: tuple[Any, ...]) -> Any:
    best = items[0]
    for each in items[1:]:
        found = compared("<" if name == "min" else ">", each, best)
        truth = machine().truth(found) if isinstance(found, Object) else found
        if isinstance(truth, bool):
            best = each if truth else best
        elif isinstance(each, TensorValue) or isinstance(best, TensorValue):
            best = alike((best, each))
        else:
            numbers = all(isinstance(value, int | float | Expr | Scalar) for value in (best, each))
            best = Scalar(float) if numbers else alike((best, each))
    return best


@model("builtins.abs")
def magnitude(x: Any, /) -> Any:
    return absolute(x)


@model("builtins.round")
def nearest(number: Any, ndigits: Any = None) -> Any:
    if is_known(number) and isinstance(ndigits, int | None):
        try:
            return round(number, ndigits)
        except (TypeError, ValueError, OverflowError) as error:
            raise Raised(error) from error
    match number:
        case Expr():
            return number
        case Ratio() if ndigits is None:
            found = rounded(number)
            return integer("rounded") if found is None else found
        case Unknown():
            raise Undecided(number)
        case Object():
            return machine().send(number, "__round__", *(() if ndigits is None else (ndigits,)))
    return integer("rounded", float("-inf")) if ndigits is None else Scalar(float)


@model("builtins.pow")
def power(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        return pow(base, exp, mod) if all(isinstance(each, int) for each in (base, exp, mod)) else integer("power")
    return binary("**", base, exp)


@model("builtins.divmod")
def quotient_and_rest(x: Any, y: Any, /) -> Any:
    return binary("//", x, y), binary("%", x, y)


@model("builtins.all")
def every(iterable: Any, /) -> Any:
    return _quantified(iterable, False)


@model("builtins.any")
def some(iterable: Any, /) -> Any:
    return _quantified(iterable, True)


def _quantified(iterable: Any, decisive: bool) -> Any:
    if isinstance(iterable, Unknown):
        return Scalar(bool)
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        element = machine().truth(items.element)
        return (not decisive) if element is (not decisive) else Scalar(bool)
    truths = [machine().truth(each) for each in items]
    if any(each is decisive for each in truths):
        return decisive
    return Scalar(bool) if any(isinstance(each, Scalar) for each in truths) else not decisive


@model("builtins.chr")
def character(i: Any, /) -> Any:
    return chr(i) if isinstance(i, int) else Scalar(str)


@model("builtins.ord")
def code_point(c: Any, /) -> Any:
    return ord(c) if isinstance(c, str | bytes) and len(c) == 1 else integer("character", 0, 0x10FFFF)


def _digits(name: str, function: Any) -> None:
    def spelled(number: Any, /) -> Any:
        return function(number) if isinstance(number, int) else Scalar(str)

    model(f"builtins.{name}")(spelled)


for _name, _function in {"hex": hex, "oct": oct, "bin": bin}.items():
    _digits(_name, _function)
