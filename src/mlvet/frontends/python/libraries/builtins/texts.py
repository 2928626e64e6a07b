"""Methods of strings and byte strings: Python's own where all is known, else what kind of thing they yield."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import integer, is_known, preset
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised

SAME = (
    "capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
    "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill", "format_map",
)  # fmt: skip
TRUTHS = (
    "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
    "isprintable", "isspace", "istitle", "isupper", "startswith", "__contains__",
)  # fmt: skip
PLACES = ("count", "find", "index", "rfind", "rindex", "__len__")
LISTS = ("split", "rsplit", "splitlines")
PARTS = ("partition", "rpartition")
LONGEST = 100_000
"""Texts of more characters than this are not written out."""
_WIDE = re.compile("[0-9]{6}")


def _result(kind: type, name: str) -> Any:
    """What a method yields on a text that is not known."""
    if name in TRUTHS:
        return Scalar(bool)
    if name in PLACES:
        return integer("place", -1 if "find" in name else 0)
    if name in LISTS:
        return ListValue(Repeated(Scalar(kind), integer("parts", 0 if name == "splitlines" else 1)))
    if name in PARTS:
        return (Scalar(kind),) * 3
    return Scalar(kind)


def _wrapped(value: Any) -> Any:
    return ListValue(value) if isinstance(value, list) else value


def _method(kind: type, name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        args = tuple(preset(each) for each in args)
        known = all(is_known(each) for each in (*args, *keywords.values()))
        if known and name in SAME and isinstance(self, Scalar) and isinstance(self.default, kind):
            return Scalar(kind, self.name, _native(kind, name, self.default, args, keywords), True)
        if known and isinstance(self, kind):
            return _native(kind, name, self, args, keywords)
        return _result(kind, name)

    return method


def _native(kind: type, name: str, self: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    if _is_long(name, self, args):
        return Scalar(kind)
    try:
        return _wrapped(getattr(kind, name)(self, *args, **keywords))
    except (TypeError, ValueError, LookupError) as error:
        raise Raised(error) from error


def _is_long(name: str, self: Any, args: tuple[Any, ...]) -> bool:
    """Whether a method may yield a text too long to be worth writing out."""
    match name, args:
        case (("center" | "ljust" | "rjust" | "zfill" | "expandtabs"), (int(width), *_)):
            return width > LONGEST
        case "replace", (str() | bytes() as old, str() | bytes() as new, *_) if type(old) is type(new) is type(self):
            return len(self) + self.count(old) * len(new) > LONGEST  # type: ignore[arg-type]
        case "format", _:
            return is_wide(self) or any(isinstance(each, int) and each > LONGEST for each in args if "{:{" in self)
    return False


def is_wide(form: str) -> bool:
    """Whether a format asks for very many columns."""
    return _WIDE.search(form) is not None


for _kind in (str, bytes):
    for _name in (*SAME, *TRUTHS, *PLACES, *LISTS, *PARTS):
        if hasattr(_kind, _name):
            model(f"builtins.{_kind.__name__}.{_name}")(_method(_kind, _name))


@model("builtins.str.format")
def formatted(self: Any, *args: Any, **keywords: Any) -> Any:
    if isinstance(self, str) and all(is_known(each) for each in (*args, *keywords.values())):
        return _native(str, "format", self, args, keywords)
    return Scalar(str)


@model("builtins.str.join")
def joined(self: Any, iterable: Any, /) -> Any:
    return _join(str, self, iterable)


@model("builtins.bytes.join")
def joined_bytes(self: Any, iterable: Any, /) -> Any:
    return _join(bytes, self, iterable)


def _join(kind: type, self: Any, iterable: Any) -> Any:
    items = machine().items(iterable)
    if isinstance(self, kind) and isinstance(items, tuple):
        if all(isinstance(each, kind) for each in items):
            length = sum(map(len, items)) + len(self) * len(items)  # type: ignore[arg-type]
            return self.join(items) if length <= LONGEST else Scalar(kind)  # type: ignore[attr-defined]
        if any(isinstance(each, int | float | None) for each in items):
            raise Raised(TypeError("sequence item: expected str instance"))
    return Scalar(kind)


@model("builtins.str.encode")
def encoded(self: Any, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
    if isinstance(self, str) and is_known(encoding) and is_known(errors):
        return _native(str, "encode", self, (encoding, errors), {})
    return Scalar(bytes)


@model("builtins.bytes.decode")
def decoded(self: Any, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
    if isinstance(self, bytes) and is_known(encoding) and is_known(errors):
        return _native(bytes, "decode", self, (encoding, errors), {})
    return Scalar(str)


@model("builtins.bytes.hex")
def hexadecimal(self: Any, *args: Any) -> Any:
    return self.hex(*args) if isinstance(self, bytes) else Scalar(str)


@model("builtins.bytes.fromhex")
def from_hexadecimal(string: Any, /) -> Any:
    del string
    return Scalar(bytes)


@model("builtins.str.maketrans")
def translation(*args: Any) -> Any:
    if all(isinstance(each, str) for each in args):
        try:
            return str.maketrans(*args)
        except (TypeError, ValueError) as error:
            raise Raised(error) from error
    from mlvet.frontends.python.values.containers import DictValue

    return DictValue(rest=Scalar(str))
