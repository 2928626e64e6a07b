"""Matrix products and convolutions of quantised integers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.ops.contraction import infer_matmul
from mlvet.ops.convolution import conv_reference, conv_terms, front_kernel, infer_conv, sample_conv
from mlvet.ops.danger import Near
from mlvet.ops.derivative import Zero
from mlvet.ops.enclosures_quantised import products_of_bytes, saturated
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

BYTES = (dtypes.u8, dtypes.i8)

_quantised = partial(pure, family="quantisation", derivative=Zero())


def _shifted(x: NDArray[Any], zero: NDArray[Any] | None, *, rows: bool = False) -> NDArray[Any]:
    """Integers with their zero point taken off, which is one number, or one per row."""
    wide = x.astype(np.int32)
    if zero is None:
        return wide
    moved = zero.astype(np.int32)
    if moved.size == 1:
        return wide - moved.reshape(())
    return wide - (moved[:, None] if rows and moved.ndim == 1 else moved)


def infer_matmul_integer(
    a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None, *, require: Require
) -> Tensor:
    """As matmul; the elements are bytes and the sums 32 bits wide."""
    for operand, zero in ((a, a_zero_point), (b, b_zero_point)):
        require.dtype(operand, BYTES)
        if zero is not None:
            require.same_dtype(operand, zero)
    return infer_matmul(a.with_dtype(None), b.with_dtype(None), require=require).with_dtype(dtypes.i32)


def matmul_integer_reference(
    a: NDArray[Any], b: NDArray[Any], a_zero_point: NDArray[Any] | None = None, b_zero_point: NDArray[Any] | None = None
) -> NDArray[Any]:
    return np.asarray(np.matmul(_shifted(a, a_zero_point, rows=True), _shifted(b, b_zero_point)))


def _sample_matmul_integer(draw: Draw) -> Sample:
    m, k, n = (draw.integer(1, 4) for _ in range(3))
    left, right = draw.choice(BYTES), draw.choice(BYTES)
    a, b = draw.array((m, k), low=0, high=100, dtype=left), draw.array((k, n), low=0, high=100, dtype=right)
    a_zero = draw.choice([None, draw.array((), low=0, high=5, dtype=left), draw.array((m,), low=0, high=5, dtype=left)])
    b_zero = draw.choice(
        [None, draw.array((), low=0, high=5, dtype=right), draw.array((n,), low=0, high=5, dtype=right)]
    )
    return Sample((a, b, a_zero, b_zero))


matmul_integer = _quantised(
    "matmul_integer",
    infer_matmul_integer,
    matmul_integer_reference,
    _sample_matmul_integer,
    numeric=products_of_bytes(lambda a, *_: a.dim(-1)),
)


def requantised(sums: NDArray[Any], factor: Any, zero: NDArray[Any] | None, like: NDArray[Any]) -> NDArray[Any]:
    """Sums of products brought to the scale and zero point of the result, rounded half to even and saturated."""
    dtype = like.dtype if zero is None else zero.dtype
    limits = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        moved = sums * factor + (0 if zero is None else zero.astype(np.float64))
        bounded = np.nan_to_num(np.clip(np.rint(moved), limits.min, limits.max))
        return np.asarray(bounded).astype(dtype)


def infer_qlinear_matmul(
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    *,
    require: Require,
) -> Tensor:
    """As matmul, in the dtype of the result's zero point."""
    for operand, zero in ((a, a_zero_point), (b, b_zero_point)):
        require.same_dtype(operand, zero)
    require.same_dtype(a_scale, b_scale, y_scale)
    return infer_matmul(a.with_dtype(None), b.with_dtype(None), require=require).with_dtype(y_zero_point.dtype)


def qlinear_matmul_reference(
    a: NDArray[Any],
    a_scale: NDArray[Any],
    a_zero_point: NDArray[Any],
    b: NDArray[Any],
    b_scale: NDArray[Any],
    b_zero_point: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any],
) -> NDArray[Any]:
    sums = np.matmul(_shifted(a, a_zero_point, rows=True), _shifted(b, b_zero_point))
    with np.errstate(all="ignore"):
        left = a_scale if a_scale.size == 1 or a_scale.ndim != 1 else a_scale[:, None]
        factor = left * b_scale / y_scale
    return requantised(sums, np.asarray(factor).astype(np.float32), y_zero_point, a)


def _number(draw: Draw, dtype: Any = dtypes.f32) -> NDArray[Any]:
    return (
        draw.array((), low=0.5, high=2.0, dtype=dtype) if dtype.is_float else draw.array((), low=0, high=9, dtype=dtype)
    )


def _sample_qlinear_matmul(draw: Draw) -> Sample:
    m, k, n = (draw.integer(1, 4) for _ in range(3))
    dtype = draw.choice(BYTES)
    a, b = draw.array((m, k), low=0, high=9, dtype=dtype), draw.array((k, n), low=0, high=9, dtype=dtype)
    left, right, out = ((_number(draw), _number(draw, dtype)) for _ in range(3))
    return Sample((a, *left, b, *right, *out))


qlinear_matmul = _quantised(
    "qlinear_matmul",
    infer_qlinear_matmul,
    qlinear_matmul_reference,
    _sample_qlinear_matmul,
    numeric=saturated(7),
    danger=(Near(0, "division-by-zero", operand=6),),
)


def infer_conv_integer(
    x: Tensor, w: Tensor, x_zero_point: Tensor | None = None, w_zero_point: Tensor | None = None, *,
    require: Require, **attributes: Any,
) -> Tensor:  # fmt: skip
    """As conv; the elements are bytes and the sums 32 bits wide."""
    for operand, zero in ((x, x_zero_point), (w, w_zero_point)):
        require.dtype(operand, BYTES)
        if zero is not None:
            require.same_dtype(operand, zero)
    return infer_conv(x.with_dtype(None), w.with_dtype(None), require=require, **attributes).with_dtype(dtypes.i32)


def _shifted_kernel(w: NDArray[Any], zero: NDArray[Any] | None, attributes: dict[str, Any]) -> tuple[NDArray[Any], int]:
    """The kernel as [out, in, *space] with the zero points of its output channels taken off, and its groups."""
    kernel, groups = front_kernel(w, attributes.get("kernel_format", "OI"), attributes.get("group", 1))
    if zero is not None and zero.size > 1:
        zero = zero.reshape(-1, *(1,) * (kernel.ndim - 1))
    return _shifted(kernel, zero), groups


def conv_integer_reference(
    x: NDArray[Any], w: NDArray[Any], x_zero_point: NDArray[Any] | None = None,
    w_zero_point: NDArray[Any] | None = None, **attributes: Any,
) -> NDArray[Any]:  # fmt: skip
    kernel, groups = _shifted_kernel(w, w_zero_point, attributes)
    return conv_reference(_shifted(x, x_zero_point), kernel, **{**attributes, "kernel_format": "OI", "group": groups})


def _bytes_of(draw: Draw, sample: Sample) -> tuple[NDArray[Any], NDArray[Any], int]:
    x, w = sample.operands[0], sample.operands[1]
    assert x is not None
    assert w is not None
    kernel, _ = front_kernel(w, sample.attributes.get("kernel_format", "OI"), 1)
    left, right = (draw.array(array.shape, low=0, high=9, dtype=dtypes.u8) for array in (x, w))
    return left, right, kernel.shape[0]


def _sample_conv_integer(draw: Draw) -> Sample:
    sample = sample_conv(draw)
    x, w, out = _bytes_of(draw, sample)
    w_zero = draw.choice([None, _number(draw, dtypes.u8), draw.array((out,), low=0, high=9, dtype=dtypes.u8)])
    return Sample((x, w, draw.choice([None, _number(draw, dtypes.u8)]), w_zero), sample.attributes)


conv_integer = _quantised(
    "conv_integer",
    infer_conv_integer,
    conv_integer_reference,
    _sample_conv_integer,
    numeric=products_of_bytes(conv_terms),
)


def infer_qlinear_conv(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    b: Tensor | None = None,
    *,
    require: Require,
    **attributes: Any,
) -> Tensor:
    """As conv, in the dtype of the result's zero point."""
    for operand, zero in ((x, x_zero_point), (w, w_zero_point)):
        require.same_dtype(operand, zero)
    require.same_dtype(x_scale, w_scale, y_scale)
    bias = None if b is None else b.with_dtype(None)
    result = infer_conv(x.with_dtype(None), w.with_dtype(None), bias, require=require, **attributes)
    return result.with_dtype(y_zero_point.dtype)


def qlinear_conv_reference(
    x: NDArray[Any],
    x_scale: NDArray[Any],
    x_zero_point: NDArray[Any],
    w: NDArray[Any],
    w_scale: NDArray[Any],
    w_zero_point: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any],
    b: NDArray[Any] | None = None,
    **attributes: Any,
) -> NDArray[Any]:
    kernel, groups = _shifted_kernel(w, w_zero_point, attributes)
    options = {**attributes, "kernel_format": "OI", "group": groups}
    sums = conv_reference(_shifted(x, x_zero_point), kernel, b, **options)
    letters = attributes.get("data_format", "NC")
    channel = letters.index("C")
    scales = w_scale
    if w_scale.size > 1:
        scales = w_scale.reshape([-1 if axis == channel else 1 for axis in range(x.ndim)])
    with np.errstate(all="ignore"):
        factor = x_scale.reshape(()) * scales / y_scale.reshape(())
    return requantised(sums, factor, y_zero_point, x)


def _sample_qlinear_conv(draw: Draw) -> Sample:
    sample = sample_conv(draw)
    x, w, out = _bytes_of(draw, sample)
    per_channel = draw.choice([True, False])
    w_scale = draw.array((out,), low=0.5, high=2.0) if per_channel else _number(draw)
    w_zero = draw.array((out,), low=0, high=9, dtype=dtypes.u8) if per_channel else _number(draw, dtypes.u8)
    left, result = ((_number(draw), _number(draw, dtypes.u8)) for _ in range(2))
    b = draw.choice([None, draw.array((out,), low=-9, high=9, dtype=dtypes.i32)])
    return Sample((x, *left, w, w_scale, w_zero, *result, b), sample.attributes)


qlinear_conv = _quantised(
    "qlinear_conv",
    infer_qlinear_conv,
    qlinear_conv_reference,
    _sample_qlinear_conv,
    numeric=saturated(7),
    danger=(Near(0, "division-by-zero", operand=6),),
)
