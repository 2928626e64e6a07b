"""Tensors made of sizes, numbers and nested lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import SMALL, Tensor
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import constant, demand, emit, opaque, source
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

T = TypeVar("T", bound=TensorValue)


def full(sizes: Sequence[Dim], value: Any, dtype: DType, kind: type[T]) -> T:
    """A tensor of one number."""
    plain = value if isinstance(value, bool | int | float) else None
    if plain is None:
        return opaque("full", [], Tensor(dtype, tuple(sizes)), kind)
    return emit("constant_of_shape", tuple(sizes), value=plain, dtype=dtype, kind=kind)


def drawn(op: str, sizes: Sequence[Dim], dtype: DType, kind: type[T], **figures: Any) -> T:
    """A tensor of random numbers: `random_normal` (mean, scale) or `random_uniform` (low, high)."""
    for size in sizes:
        demand(not isinstance(size, int) or size >= 0, f"sizes must not be negative, but one is {size}")
    return emit(op, tuple(sizes), dtype=dtype, kind=kind, **figures)


def data(name: str, sizes: Sequence[Dim], dtype: DType | None, kind: type[T]) -> T:
    """A tensor that comes from a file, a data set or the network."""
    return source(name, Tensor(dtype, tuple(sizes)), kind)


def from_python(value: Any, kind: type[T], dtype: DType | None = None, floats: DType = dtypes.f32) -> T:
    """The tensor that a number, a (nested) list or another library's tensor becomes.

    `floats` is what Python floats become if no element type is asked for. Raises Undecided if the shape hangs on what
    is not known.
    """
    if isinstance(value, TensorValue):
        known = kind.of(value.graph_value)
        assert isinstance(known, kind)
        return known if dtype is None or dtype_of(value) is dtype else emit("cast", known, to=dtype, kind=kind)
    if isinstance(value, Unknown):
        raise Undecided(value)
    convert = getattr(value, "as_tensor", None)
    if convert is not None:
        return from_python(convert(), kind, dtype, floats)
    plain = _plain(value)
    if plain is not None:
        array = np.asarray(plain)
        if array.dtype == object:
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a list of unequal lengths")
        natural = dtype or _natural(array.dtype, floats)
        if array.size <= SMALL or natural is dtypes.text:
            with np.errstate(over="ignore", invalid="ignore"):
                return constant(array.astype(natural.numpy if natural is not dtypes.text else object), kind)
        return opaque("array", [], Tensor(natural, array.shape), kind)
    if isinstance(value, Expr):
        return emit("cast", value, to=dtype, kind=kind) if dtype else emit("identity", value, kind=kind)
    if isinstance(value, Scalar):
        natural = dtype or {bool: dtypes.bool_, int: dtypes.i64, str: dtypes.text}.get(value.kind, floats)
        return source(value.name or "scalar", Tensor(natural, ()), kind)
    return _stacked(value, kind, dtype, floats)


def _stacked(value: Any, kind: type[T], dtype: DType | None, floats: DType) -> T:
    """Items of one shape one after the other; of a list of unknown length the item that stands for all."""
    if isinstance(value, Choice):
        return from_python(resolved(value, machine()), kind, dtype, floats)
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(items, Repeated):
        element = from_python(items.element, kind, dtype, floats)
        dims = dims_of(element)
        if dims is None:
            raise Undecided(Reason.DYNAMIC_CONTAINER, "items of unknown shape")
        return opaque("array", [element], Tensor(dtype_of(element), (items.length, *dims)), kind)
    if not isinstance(items, tuple | list):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"no array can be made of {type(value).__name__}")
    if not items:
        return emit("constant_of_shape", (0,), value=0, dtype=dtype or floats, kind=kind)
    parts = [from_python(item, kind, dtype, floats) for item in items]
    kinds = {dtype_of(part) for part in parts}
    if len(kinds) > 1:
        wide = floats if any(found is None or found.is_float for found in kinds) else dtypes.i64
        parts = [emit("cast", part, to=wide, kind=kind) for part in parts]
    return emit("stack", *parts, axis=0, kind=kind)


def _plain(value: Any) -> Any:
    """A number or nested sequence of numbers as Python's own, None if a part of it is not."""
    if isinstance(value, bool | int | float | complex | str):
        return value
    items = value.items if isinstance(value, ListValue) else value
    if not isinstance(items, tuple | list) or not items:
        return None
    plain = [_plain(item) for item in items]
    return None if any(item is None for item in plain) else plain


def _natural(dtype: np.dtype[Any], floats: DType) -> DType:
    match dtype.kind:
        case "f":
            return floats
        case "i" | "u":
            return dtypes.i64
        case "b":
            return dtypes.bool_
        case "c":
            return dtypes.c64 if floats is dtypes.f32 else dtypes.c128
    return dtypes.text


def named(name: str) -> str:
    return machine().fresh(name)
