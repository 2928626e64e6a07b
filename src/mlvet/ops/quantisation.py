"""Between floats and the few bits that quantised models keep: per tensor, per axis, or per block."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dims import ceil_div, equal
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Near, Overflow
from mlvet.ops.derivative import SameMap, Zero
from mlvet.ops.enclosures_quantised import DEQUANTISED, DYNAMIC, IMITATED, QUANTISED
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

NO_NAN = (dtypes.f4e2m1,)

_quantised = partial(pure, family="quantisation")


def scale_fits(x: Tensor, scale: Tensor, axis: int, block_size: int, require: Require, what: str) -> None:
    """A scale is one number, one per index of the axis, or one per block along the axis."""
    if not x.ranked or not scale.ranked or scale.rank == 0 or equal(scale.size, 1) is not False:
        return
    if block_size:
        if require.rank(scale, x.rank, what):
            at = require.axis(axis, x.rank)
            for index, (found, dim) in enumerate(zip(scale.dims, x.dims, strict=True)):
                wanted = ceil_div(dim, block_size) if index == at else dim
                require.equal(found, wanted, because=f"the {what} has one element per block", rule="dims-differ")
    elif require.rank(scale, 1, what) and require.rank_at_least(x, 1):
        at = require.axis(axis, x.rank)
        require.equal(
            scale.dims[0], x.dims[at], because=f"the {what} has one element per index of axis {at}", rule="dims-differ"
        )


def spread(scale: NDArray[Any], shape: tuple[int, ...], axis: int, block_size: int) -> NDArray[Any]:
    """The scale or zero point in a shape that broadcasts with the tensor."""
    if scale.size == 1:
        return scale.reshape(())
    if block_size:
        repeated = np.repeat(scale, block_size, axis=axis)
        return np.take(repeated, range(shape[axis]), axis=axis)
    dims = [1] * len(shape)
    dims[axis] = scale.size
    return scale.reshape(dims)


def infer_quantize_linear(
    x: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor | None = None,
    *,
    require: Require,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: DType | None = None,
    **_: Any,
) -> Tensor:
    """The shape of x; the dtype of the zero point, else the one asked for, else u8."""
    scale_fits(x, y_scale, axis, block_size, require, "scale")
    if y_zero_point is None:
        return x.with_dtype(output_dtype or dtypes.u8)
    scale_fits(x, y_zero_point, axis, block_size, require, "zero point")
    return x.with_dtype(y_zero_point.dtype or output_dtype)


def quantize_linear_reference(
    x: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any] | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: DType | None = None,
    precision: DType | None = None,
    saturate: bool = True,
) -> NDArray[Any]:
    dtype = dtypes.of(y_zero_point.dtype) if y_zero_point is not None else output_dtype or dtypes.u8
    scale = spread(y_scale, x.shape, axis, block_size)
    with np.errstate(all="ignore"):
        x, scale = (x.astype(precision.numpy), scale.astype(precision.numpy)) if precision else (wide(x), wide(scale))
        ratio: NDArray[Any] = np.asarray(x / scale)
        zero = np.float32(0) if y_zero_point is None else wide(spread(y_zero_point, x.shape, axis, block_size))
        if dtype.is_integer:
            whole = np.rint(ratio.astype(np.float64)) + zero.astype(np.float64)
            bounded = np.nan_to_num(np.clip(whole, dtype.least, dtype.largest))
            return np.asarray(bounded).astype(np.int64).astype(dtype.numpy)
        if dtype in NO_NAN:
            return np.asarray(ratio + zero).astype(dtype.numpy)
        if saturate:
            ratio = np.where(np.isnan(ratio), ratio, np.clip(ratio, dtype.least, dtype.largest))
        return np.asarray(ratio).astype(dtype.numpy)


def _per(draw: Draw, shape: tuple[int, ...]) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The shape of a scale, and the attributes that say how it lies."""
    mode = draw.choice(["tensor", "axis", "block"]) if shape else "tensor"
    if mode == "tensor":
        return (), {}
    axis = draw.integer(-len(shape), len(shape) - 1)
    if mode == "axis":
        return (shape[axis],), {"axis": axis}
    block = draw.integer(1, 3)
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // block)
    return tuple(blocks), {"axis": axis, "block_size": block}


def _sample_quantize(draw: Draw) -> Sample:
    shape = draw.shape(0, 3)
    scale, attributes = _per(draw, shape)
    dtype = draw.choice([dtypes.u8, dtypes.i8, dtypes.i16, dtypes.i4, dtypes.u4, dtypes.f8e4m3fn, dtypes.f8e5m2])
    zero = draw.array(scale, low=0, high=3, dtype=dtype) if dtype.is_integer and draw.choice([True, False]) else None
    if zero is None:
        attributes["output_dtype"] = dtype
    return Sample((draw.array(shape), draw.array(scale, low=0.1, high=2.0), zero), attributes)


quantize_linear = _quantised(
    "quantize_linear",
    infer_quantize_linear,
    quantize_linear_reference,
    _sample_quantize,
    numeric=QUANTISED,
    danger=(Near(0, "division-by-zero", operand=1),),
    derivative=Zero(),
)


def infer_dequantize_linear(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor | None = None,
    *,
    require: Require,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: DType | None = None,
) -> Tensor:
    """The shape of x; the dtype asked for, else that of the scale."""
    scale_fits(x, x_scale, axis, block_size, require, "scale")
    if x_zero_point is not None:
        require.same_dtype(x, x_zero_point)
        scale_fits(x, x_zero_point, axis, block_size, require, "zero point")
    return x.with_dtype(output_dtype or x_scale.dtype)


def dequantize_linear_reference(
    x: NDArray[Any],
    x_scale: NDArray[Any],
    x_zero_point: NDArray[Any] | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: DType | None = None,
) -> NDArray[Any]:
    moved = x.astype(np.float32)
    if x_zero_point is not None:
        moved = moved - spread(x_zero_point, x.shape, axis, block_size).astype(np.float32)
    with np.errstate(all="ignore"):
        result = moved * wide(spread(x_scale, x.shape, axis, block_size))
        return np.asarray(result).astype(output_dtype.numpy if output_dtype else x_scale.dtype)


def _sample_dequantize(draw: Draw) -> Sample:
    shape = draw.shape(0, 3)
    scale, attributes = _per(draw, shape)
    dtype = draw.choice([dtypes.u8, dtypes.i8, dtypes.i32, dtypes.i4, dtypes.u4, dtypes.f8e4m3fn])
    zero = draw.array(scale, low=0, high=3, dtype=dtype) if dtype.is_integer and draw.choice([True, False]) else None
    if draw.choice([True, False]):
        attributes["output_dtype"] = dtypes.f16
    return Sample(
        (draw.array(shape, low=0, high=3, dtype=dtype), draw.array(scale, low=0.1, high=2.0), zero), attributes
    )


dequantize_linear = _quantised(
    "dequantize_linear",
    infer_dequantize_linear,
    dequantize_linear_reference,
    _sample_dequantize,
    numeric=DEQUANTISED,
    danger=(Overflow("arithmetic-overflow", operand=1),),
    derivative=SameMap((1,)),
)


def infer_dynamic_quantize_linear(x: Tensor, **_: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The quantised tensor, its scale and its zero point, both scalars."""
    return x.with_dtype(dtypes.u8), Tensor(dtypes.f32, ()), Tensor(dtypes.u8, ())


def dynamic_quantize_linear_reference(x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    high, low = np.float32(max(0, x.max(initial=0))), np.float32(min(0, x.min(initial=0)))
    with np.errstate(all="ignore"):
        scale = (np.float32(1) if high == low else high - low) / np.float32(255)
        zero = np.rint(np.clip(-low / scale, 0, 255))
        quantised = np.nan_to_num(np.clip(np.rint(x.astype(np.float32) / scale) + zero, 0, 255))
        return (
            quantised.astype(np.uint8),
            np.asarray(scale, np.float32),
            np.nan_to_num(np.asarray(zero)).astype(np.uint8),
        )


dynamic_quantize_linear = _quantised(
    "dynamic_quantize_linear",
    infer_dynamic_quantize_linear,
    dynamic_quantize_linear_reference,
    lambda draw: Sample((draw.array(draw.shape()),)),
    numeric=DYNAMIC,
    danger=(OVERFLOW,),
    derivative=Zero(),
)


def infer_fake_quantize(x: Tensor, low: Tensor, high: Tensor, *, require: Require, axis: int = -1, **_: Any) -> Tensor:
    """The shape and dtype of x; the ends of the range are numbers, or one per index of the axis."""
    for end, what in ((low, "least value"), (high, "greatest value")):
        scale_fits(x, end, axis, 0, require, what)
    return x.without_value()


def fake_quantize_reference(
    x: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
    axis: int = -1,
) -> NDArray[Any]:
    """Rounded to the 2**bits levels of a range moved so that zero is one of them."""
    first, last = (1 if narrow_range else 0), 2**num_bits - 1
    least, greatest = (wide(spread(end, x.shape, axis, 0)) for end in (low, high))
    with np.errstate(all="ignore"):
        step = (greatest - least) / np.float32(last - first)
        zero = np.clip(np.rint(first - least / step), first, last)
        bottom, top = (first - zero) * step, (last - zero) * step
        levels = np.floor((np.clip(wide(x), bottom, top) - bottom) / step + np.float32(0.5))
        return narrow(levels * step + bottom, x)


def _sample_fake_quantize(draw: Draw) -> Sample:
    shape = draw.shape(1, 3)
    ends = draw.choice([(), (shape[-1],)])
    x, low, high = draw.array(shape), draw.array(ends, low=-2.0, high=-0.5), draw.array(ends, low=0.5, high=2.0)
    return Sample((x, low, high), {"num_bits": draw.integer(2, 8), "narrow_range": draw.choice([False, True])})


fake_quantize = _quantised(
    "fake_quantize",
    infer_fake_quantize,
    fake_quantize_reference,
    _sample_fake_quantize,
    numeric=IMITATED,
    danger=(Overflow("division-by-zero", operand=1),),
)
