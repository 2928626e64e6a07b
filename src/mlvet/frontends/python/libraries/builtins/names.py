"""Builtin names that stand for Python's own types, exceptions and constants."""

from __future__ import annotations

import builtins

from mlvet.frontends.python.libraries.registry import model

TYPES = (
    int, float, complex, bool, str, bytes, bytearray, memoryview, list, tuple, dict, set, frozenset, slice, range,
    object, type,
)  # fmt: skip

for _type in TYPES:
    model(f"builtins.{_type.__name__}")(_type)
for _name, _thing in vars(builtins).items():
    if isinstance(_thing, type) and issubclass(_thing, BaseException):
        model(f"builtins.{_name}")(_thing)
for _name, _constant in {"NotImplemented": NotImplemented, "Ellipsis": ..., "__debug__": True}.items():
    model(f"builtins.{_name}")(_constant)
