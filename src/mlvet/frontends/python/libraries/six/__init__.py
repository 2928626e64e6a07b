"""six: the names that Python 2 and 3 share, as they are in Python 3."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.interpretation.classes import resolution_order
from mlvet.frontends.python.libraries.registry import alias, find, model
from mlvet.frontends.python.values.objects import ClassValue, Object

for _name, _value in {
    "PY2": False, "PY3": True, "PY34": True, "MAXSIZE": 2**63 - 1, "string_types": (str,), "integer_types": (int,),
    "class_types": (type,), "text_type": str, "binary_type": bytes, "moves.range": range, "moves.xrange": range,
}.items():  # fmt: skip
    model(f"six.{_name}")(_value)
for _name in ("zip", "map", "filter", "input"):
    model(f"six.moves.{_name}")(find(f"builtins.{_name}"))
for _name, _target in {
    "cPickle": "pickle", "queue": "queue", "urllib": "urllib", "builtins": "builtins", "StringIO": "io.StringIO",
    "reduce": "functools.reduce", "zip_longest": "itertools.zip_longest", "configparser": "configparser",
    "filterfalse": "itertools.filterfalse", "reload_module": "importlib.reload", "html_parser": "html.parser",
}.items():  # fmt: skip
    alias(f"six.moves.{_name}", _target)
alias("six.StringIO", "io.StringIO")
alias("six.BytesIO", "io.BytesIO")
alias("six.wraps", "functools.wraps")


def _view(name: str) -> Any:
    def function(d: Any) -> Any:
        return machine().send(d, name)

    return function


for _name in ("items", "keys", "values"):
    model(f"six.iter{_name}", f"six.view{_name}")(_view(_name))


@model("six.next")
def following(it: Any) -> Any:
    return machine().call(find("builtins.next"), it)


@model("six.ensure_str", "six.ensure_text", "six.u")
def ensure_text(s: Any, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
    return s.decode(encoding, errors) if isinstance(s, bytes) else s


@model("six.ensure_binary", "six.b")
def ensure_binary(s: Any, encoding: Any = "utf-8", errors: Any = "strict") -> Any:
    return s.encode(encoding, errors) if isinstance(s, str) else s


@model("six.add_metaclass")
def add_metaclass(metaclass: Any) -> Any:
    del metaclass
    return lambda cls: cls


@model("six.python_2_unicode_compatible")
def python_2_unicode_compatible(cls: Any) -> Any:
    return cls


@model("six.with_metaclass")
def with_metaclass(meta: Any, *bases: Any) -> Any:
    """A class that stands for its bases."""
    del meta
    name = "temporary_class"
    return ClassValue(name, name, {}, resolution_order(bases)) if len(bases) > 1 else bases[0] if bases else Object
