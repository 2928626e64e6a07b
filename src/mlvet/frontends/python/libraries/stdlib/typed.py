"""Registering functions of which the type of result is all that shapes hang on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mlvet.frontends.python.libraries.builtins.elements import integer, is_known
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised

Maker = Callable[[], Any]


def text() -> Any:
    return Scalar(str)


def number() -> Any:
    return Scalar(float)


def truth() -> Any:
    return Scalar(bool)


def data() -> Any:
    return Scalar(bytes)


def nothing() -> Any:
    return None


def whole(name: str, low: float = 0) -> Maker:
    """An integer named for what it is."""
    return lambda: integer(name, low)


def listed(element: Maker, name: str) -> Maker:
    """A list of unknown length."""
    return lambda: ListValue(Repeated(element(), integer(name)))


def mapping(value: Maker) -> Maker:
    """A dictionary with any keys."""
    return lambda: DictValue(rest=value())


def wrapped(value: Any) -> Any:
    """Lists and dictionaries of Python as those of the program."""
    if isinstance(value, list):
        return ListValue(wrapped(each) for each in value)
    if isinstance(value, tuple):
        return tuple(wrapped(each) for each in value)
    if isinstance(value, dict):
        return DictValue({key: wrapped(each) for key, each in value.items()})
    return value


def pure(module: Any, results: Mapping[str, Maker], prefix: str = "") -> None:
    """Functions that Python itself computes where their arguments are known; else what they yield is known by type."""
    for name, result in results.items():
        model(f"{prefix or module.__name__}.{name}")(_pure(getattr(module, name), result))


def _pure(function: Callable[..., Any], result: Maker) -> Callable[..., Any]:
    def run(*args: Any, **keywords: Any) -> Any:
        if all(is_known(each) for each in (*args, *keywords.values())):
            try:
                return wrapped(function(*args, **keywords))
            except (TypeError, ValueError, LookupError, ArithmeticError) as error:
                raise Raised(error) from error
        return result()

    return run


def typed(module: str, results: Mapping[str, Maker]) -> None:
    """Functions that yield what the world decides."""
    for name, result in results.items():
        model(f"{module}.{name}")(_typed(result))


def _typed(result: Maker) -> Callable[..., Any]:
    def run(*args: Any, **keywords: Any) -> Any:
        del args, keywords
        return result()

    return run


def effects(module: str, names: Iterable[str]) -> None:
    """Functions that are called for what they do, not for a result."""

    def effect(*args: Any, **keywords: Any) -> None:
        del args, keywords

    model(*(f"{module}.{name}" for name in names))(effect)


def constants(module: Any, names: Iterable[str], prefix: str = "") -> None:
    """Names that stand for what they stand for in Python: numbers, texts, exceptions, abstract classes."""
    for name in names:
        model(f"{prefix or module.__name__}.{name}")(getattr(module, name))
