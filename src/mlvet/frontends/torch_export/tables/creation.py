"""Tensors made from nothing but numbers and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains.dtypes import DType
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value


def _typed(context: Context, number: Any, dtype: DType) -> Value:
    return context.cast(number, dtype) if isinstance(number, Value) else context.number(number, dtype)


@lowers("arange", "range")
def arange(context: Context) -> Value:
    dtype = context.out_dtype()
    start, end, step = (context.raw("start", default=0), context.raw("end"), context.raw("step", default=1))
    if context.key == "range":
        raise Unlowered("a range that includes its end")
    return context.result("range", *(_typed(context, number, dtype) for number in (start, end, step)))


FILLS = {"zeros": 0, "ones": 1, "new_zeros": 0, "new_ones": 1, "zeros_like": 0, "ones_like": 1, "zero": 0}


@lowers("full", "new_full", "full_like", "fill", *FILLS)
def filled(context: Context) -> Value:
    dtype = context.out_dtype()
    number = FILLS[context.key] if context.key in FILLS else context.raw("fill_value", "value")
    size = context.raw("size")
    shape = context.sizes(size) if isinstance(size, list) else context.shape(context.value("self"))
    return context.result("expand", _typed(context, number, dtype), shape)


@lowers("scalar_tensor")
def scalar_tensor(context: Context) -> Value:
    return context.result("identity", _typed(context, context.raw("s"), context.out_dtype()))


@lowers("eye")
def eye(context: Context) -> Value:
    dtype = context.out_dtype()
    rows = context.raw("n")
    columns = context.raw("m", default=rows)
    zeros = context.add("expand", context.number(0, dtype), context.sizes([rows, columns]))
    return context.result("eye_like", zeros, dtype=dtype)


@lowers("linspace")
def linspace(context: Context) -> Value:
    """start + i * (end - start) / (steps - 1)."""
    dtype, steps = context.out_dtype(), context.plain_int("steps")
    start, end = context.raw("start"), context.raw("end")
    if isinstance(start, Value) or isinstance(end, Value) or not dtype.is_float or not 0 <= steps < 1 << 24:
        raise Unlowered("computed ends")
    array = np.linspace(start, end, steps, dtype=np.float64).astype(dtype.numpy)
    return context.result("identity", context.builder.constant(f"{context.call.name}.grid", array))


@lowers("tril_indices", "triu_indices")
def triangle_indices(context: Context) -> Value:
    make = np.tril_indices if context.key == "tril_indices" else np.triu_indices
    rows, columns = context.plain_int("row"), context.plain_int("col")
    if rows * columns > 1 << 22:
        raise Unlowered("large")
    array = np.stack(make(rows, context.plain_int("offset", default=0), columns)).astype(context.out_dtype().numpy)
    return context.result("identity", context.builder.constant(f"{context.call.name}.indices", array))
