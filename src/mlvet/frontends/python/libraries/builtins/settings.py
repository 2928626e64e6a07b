"""Values that the user of a program sets: options of the command line, flags, entries of a configuration."""

from __future__ import annotations

from math import inf
from typing import Any

from mlvet.core.location import Location
from mlvet.domains.dims import Expr, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.ir.program import Setting


def setting(
    kind: type, name: str, default: Any = None, *, given: bool = True, choices: tuple[Any, ...] | None = None,
    low: Any = None, high: Any = None, where: Location | None = None,
) -> Any:  # fmt: skip
    """A setting of a type. `given` is whether it has a default; without one the user must set it.

    An integer is a symbol of its name, so that shapes are told in terms of it; a default of None leaves open whether
    it is set at all.
    """
    where = where or machine().location
    if kind is int and (not given or (isinstance(default, int) and not isinstance(default, bool))):
        return integer(name, default if given else None, choices, low, high, where)
    if isinstance(default, Expr):
        return default
    if choices is not None and not all(isinstance(each, str | int | float | bool | None) for each in choices):
        choices = None
    return Scalar(kind, name, default if given else None, given, choices, name if kind is bool else "", where)


def integer(
    name: str, default: int | None = None, choices: tuple[Any, ...] | None = None, low: Any = None, high: Any = None,
    where: Location | None = None,
) -> Expr:  # fmt: skip
    """An integer that the user sets, of which the name stands for any value."""
    here = machine()
    if name not in here.settings:
        name = here.fresh(name)
        possible = tuple(each for each in choices or () if isinstance(each, int))
        here.settings[name] = Setting(name, default, where or here.location, possible)
    known = [each for each in (*(choices or ()), *(() if default is None else (default,))) if isinstance(each, int)]
    least = low if isinstance(low, int) else min(known) if choices and known else -inf if (default or 0) < 0 else 0
    most = high if isinstance(high, int) else max(known) if choices and known else inf
    return symbol(name, least, most)


def kind_of(default: Any) -> type | None:
    """The type that a setting has by its default, None if that does not tell."""
    for kind in (bool, int, float, str):
        if isinstance(default, kind):
            return kind
    return default.kind if isinstance(default, Scalar) else int if isinstance(default, Expr) else None


def several(kind: type, name: str) -> ListValue:
    """A list that the user sets, of unknown length."""
    element = symbol(machine().fresh(name)) if kind is int else Scalar(kind, name)
    return ListValue(Repeated(element, symbol(machine().fresh(f"{name}_count"))))
