"""Enclosures of quantised numbers: scaled, rounded, saturated, and multiplied as integers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval, whole
from mlvet.domains.tensors import Tensor, UnknownRank
from mlvet.ops.enclosures import (
    MOST,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    finite,
    has_nan,
    many,
    minus,
    over,
    overflows,
    plus,
    products,
    settled,
    size_of,
    symmetric,
    times,
    with_nan,
)
from mlvet.ops.numeric import Enclosure

BYTE = Interval(0.0, 255.0)


def _dtype(tensors: Tensors, index: int) -> DType | None:
    tensor = tensors[index] if index < len(tensors) else None
    return None if tensor is None else tensor.dtype


def _quantised(
    operands: Operands,
    tensors: Tensors,
    output_dtype: DType | None = None,
    saturate: bool = True,
    **_: Any,
) -> tuple[Interval, ...]:
    """x / scale + zero, rounded and cut to the element type; 8-bit floats that do not saturate overflow instead."""
    x, scale = operands[:2]
    zero = operands[2] if len(operands) > 2 else None
    dtype = _dtype(tensors, 2) or output_dtype or dtypes.u8
    if x is None or scale is None or not bounded(*operands) or 0 in scale:
        return (whole(dtype) if dtype.is_integer or dtype.kind is dtypes.Kind.BOOL else anything(dtype),)
    quotient = over(x, scale)
    steps = plus(quotient, symmetric(1e-6 * size_of(quotient)), ZERO if zero is None else zero)
    if dtype.is_integer:
        low, high = float(np.floor(steps.low)), float(np.ceil(steps.high))
        found = Interval(max(low, float(dtype.least)), min(high, float(dtype.largest)))
        broken = overflows(size_of(quotient), dtypes.f32) or has_nan(operands) or found.empty
        return (_clipped(low, high, dtype) if not broken else whole(dtype),)
    inside = finite(dtype)
    if saturate:
        cut = Interval(max(steps.low, inside.low), min(steps.high, inside.high))
        found = inside if cut.empty else settled(cut, dtype, roundings=1, image=inside)
        return (with_nan(found, has_nan(operands)),)
    return (with_nan(settled(steps, dtype, roundings=1), has_nan(operands)),)


def _clipped(low: float, high: float, dtype: DType) -> Interval:
    least, largest = float(dtype.least), float(dtype.largest)
    return Interval(min(max(low, least), largest), max(min(high, largest), least))


def _dequantised(
    operands: Operands, tensors: Tensors, output_dtype: DType | None = None, **_: Any
) -> tuple[Interval, ...]:
    x, scale = operands[:2]
    zero = operands[2] if len(operands) > 2 else None
    dtype = output_dtype or _dtype(tensors, 1)
    if x is None or scale is None or dtype is None or not bounded(*operands):
        return (anything(dtype),)
    moved = x if zero is None else minus(x, zero)
    found = times(plus(moved, symmetric(2.0**-23 * (size_of(x) + size_of(moved)))), scale)
    between = settled(found, dtypes.f64 if dtype is dtypes.f64 else dtypes.f32, roundings=4)
    return (with_nan(settled(between, dtype, roundings=1), has_nan(operands)),)


def _dynamic(operands: Operands, _: Tensors, **__: Any) -> tuple[Interval, ...]:
    """Bytes, the 255th part of the range with zero (of 1 if there is none), and where zero lies."""
    x = operands[0]
    if x is None or not bounded(x):
        return BYTE, Interval(0.0, inf, True), BYTE
    width = max(x.high, 0.0) - min(x.low, 0.0)
    scale = settled(Interval(0.0, max(width, 1.0) / 255), dtypes.f32, image=Interval(0.0, inf))
    if overflows(width, dtypes.f32):
        scale = Interval(0.0, inf, True)
    return BYTE, with_nan(scale, x.nan), BYTE


def _imitated(
    operands: Operands, tensors: Tensors, num_bits: int = 8, narrow_range: bool = False, **_: Any
) -> tuple[Interval, ...]:
    """Levels of a range that is moved by at most half a step so that zero is one of them."""
    x, low, high = operands[:3]
    dtype = _dtype(tensors, 0)
    if x is None or low is None or high is None or dtype is None or not bounded(*operands):
        return (anything(dtype),)
    width = minus(high, low)
    steps = 2.0**num_bits - (2 if narrow_range else 1)
    if width.low <= dtypes.f32.smallest * steps * 4 or steps < 1 or overflows(size_of(width) * 2, dtypes.f32):
        return (anything(dtype),)
    step = width.high / steps
    reach = symmetric(width.high * (1 + 2.0**-16))
    if low.high <= 0 <= high.low:
        reach = reach.meet(Interval(low.low - step, high.high + step))
    return (with_nan(settled(reach, dtype, roundings=16, scale=size_of(reach)), has_nan(operands)),)


QUANTISED, DEQUANTISED, IMITATED = (many(of, keeps=True) for of in (_quantised, _dequantised, _imitated))
DYNAMIC = many(_dynamic)


def products_of_bytes(terms: Callable[..., Dim]) -> Enclosure:
    """Sums of products of bytes less their zero points, in 32 bits."""

    def of(operands: Operands, tensors: Tensors, **attributes: Any) -> tuple[Interval, ...]:
        a, b, a_zero, b_zero = (*operands, None, None)[:4]
        if a is None or b is None or not bounded(*operands):
            return (whole(dtypes.i32),)
        left = a if a_zero is None else minus(a, a_zero)
        right = b if b_zero is None else minus(b, b_zero)
        most = _terms(terms, tensors[:2], attributes)
        return (products([left.join(ZERO), right], (0.0, most), dtypes.i32),)

    return many(of)


def _terms(terms: Callable[..., Dim], tensors: Tensors, attributes: dict[str, Any]) -> float:
    if any(not isinstance(tensor, Tensor) or not tensor.ranked for tensor in tensors):
        return MOST
    try:
        return count(terms(*tensors, **attributes))[1]
    except (UnknownRank, IndexError):
        return MOST


def saturated(zero: int) -> Enclosure:
    """Everything that the element type of the result's zero point holds."""

    def of(operands: Operands, tensors: Tensors, **_: Any) -> tuple[Interval, ...]:
        return (anything(_dtype(tensors, zero) or dtypes.u8),)

    return many(of)
