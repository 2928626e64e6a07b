"""What programs ask of an element type, in the words of NumPy, TensorFlow and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.libraries.registry import model


def _property(name: str, found: Callable[[DType], Any]) -> None:
    model(f"builtins.dtype.{name}")(property(found))


_property("name", lambda dtype: str(dtype.numpy.name))
_property("kind", lambda dtype: dtype.numpy.kind)
_property("itemsize", lambda dtype: dtype.numpy.itemsize)
_property("size", lambda dtype: dtype.numpy.itemsize)
_property("type", lambda dtype: dtype)
_property("base_dtype", lambda dtype: dtype)
_property("as_numpy_dtype", lambda dtype: dtype)
_property("is_floating", lambda dtype: dtype.is_float)
_property("is_floating_point", lambda dtype: dtype.is_float)
_property("is_integer", lambda dtype: dtype.is_integer)
_property("is_unsigned", lambda dtype: dtype.kind is Kind.UNSIGNED)
_property("is_bool", lambda dtype: dtype.kind is Kind.BOOL)
_property("is_complex", lambda dtype: dtype.kind is Kind.COMPLEX)
