"""Other element types for the same elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops.danger import Overflow
from mlvet.ops.derivative import Jvp, Zero
from mlvet.ops.enclosures_elementwise import RECAST
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import Piecewise
from mlvet.ops.op import pure
from mlvet.ops.pointwise import Array
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

TARGETS = (dtypes.f32, dtypes.f64, dtypes.f16, dtypes.bf16, dtypes.i32, dtypes.i64, dtypes.i8, dtypes.bool_)
EIGHTS = (dtypes.f8e4m3fn, dtypes.f8e4m3fnuz, dtypes.f8e5m2, dtypes.f8e5m2fnuz)


def cast_to(x: Array, to: DType, saturate: bool = True, round_mode: str = "up") -> Any:
    """The elements in another type: floats are cut off to become integers, and 8-bit floats can saturate."""
    x = np.asarray(x)
    if x.dtype == object and to.kind is not Kind.TEXT:
        return _from_objects(x, to)
    if to.kind is Kind.TEXT:
        return _to_text(x)
    if to in EIGHTS and x.dtype != to.numpy:
        return _to_eight_bits(x, to, saturate)
    if to is dtypes.f8e8m0 and dtypes.of(x.dtype).is_float:
        return _to_exponent(x, round_mode, saturate)
    if to is dtypes.f4e2m1:
        wide = x.astype(np.float32)
        return np.clip(wide, to.least, to.largest).astype(to.numpy)
    if to.bits < 8 and to.is_integer:
        whole = np.trunc(x.astype(np.float32)) if dtypes.of(x.dtype).is_float else x
        return _wrapped(whole.astype(np.int64), to)
    if to.is_integer and x.dtype.kind not in "fiubc":
        x = x.astype(np.float32)
    return x.astype(to.numpy)


def _wrapped(whole: Array, to: DType) -> Array:
    period = 1 << to.bits
    kept = whole % period
    return np.where(kept > int(to.largest), kept - period, kept).astype(to.numpy)


def _from_objects(x: Array, to: DType) -> Any:
    """Sizes stay as they are in a type that holds them exactly, f32 taken for one; text is read as a number."""
    if any(isinstance(element, str | bytes) for element in x.flat):
        if to.is_integer:
            return np.vectorize(lambda t: int(float(t)), otypes=[np.int64])(x).astype(to.numpy)
        return np.vectorize(float, otypes=[np.float64])(x).astype(to.numpy)
    if not any(isinstance(element, Expr) for element in x.flat):
        return x.astype(to.numpy)
    if (to.is_integer or to.is_float) and to.bits >= 32:
        return x.copy()
    raise UnknownValue(f"a size as {to}")


def _to_text(x: Array) -> Array:
    if x.dtype == object:
        return x.copy()
    if x.dtype.kind in "iub":
        spelled = [str(element) for element in x.ravel().tolist()]
    else:
        spelled = [_spelled(element) for element in x.ravel()]
    return np.array(spelled, dtype=object).reshape(x.shape)


def _spelled(number: Any) -> str:
    if np.isfinite(number):
        return str(number)
    return "NaN" if np.isnan(number) else "INF" if number > 0 else "-INF"


def _to_eight_bits(x: Array, to: DType, saturate: bool) -> Array:
    wide = x.astype(np.float32)
    if not saturate:
        return wide.astype(to.numpy)
    narrow = np.clip(wide, to.least, to.largest).astype(to.numpy)
    return np.where(np.isnan(wide), wide.astype(to.numpy), narrow)


def _to_exponent(x: Array, round_mode: str, saturate: bool) -> Array:
    """Powers of two only: the exponent rounded up, down or to the nearest."""
    bits = np.abs(x.astype(np.float32)).view(np.uint32)
    exponent, fraction = (bits >> 23).astype(np.int64), bits & 0x7FFFFF
    if round_mode == "up":
        raised = (fraction > 0) & ((exponent > 0) | (fraction > 0x400000))
    elif round_mode == "nearest":
        half = fraction >= 0x400000
        raised = half & ((exponent > 0) | (fraction > 0x400000))
    else:
        raised = np.zeros_like(fraction, dtype=bool)
    exponent = exponent + raised
    exponent = np.where(np.isnan(x.astype(np.float32)), 0xFF, np.minimum(exponent, 0xFE if saturate else 0xFF))
    return exponent.astype(np.uint8).view(dtypes.f8e8m0.numpy)


def infer_cast(x: Tensor, *, require: Require, to: DType, saturate: bool = True, round_mode: str = "up") -> Tensor:
    """The result has the operand's shape and the dtype asked for."""
    del require, saturate, round_mode
    return x.with_dtype(to)


def infer_cast_like(x: Tensor, like: Tensor, *, require: Require, **_: Any) -> Tensor:
    """The result has the first operand's shape and the second's dtype."""
    del require
    return x.with_dtype(like.dtype)


def infer_bit_cast(x: Tensor, *, require: Require, to: DType) -> Tensor:
    """The shape stays; both dtypes must be of one width."""
    if x.dtype is not None:
        require.holds(x.dtype.bits == to.bits, f"{x.dtype} and {to} differ in bits", rule="dtype-differs")
    return x.with_dtype(to)


def _cast_jvp(operands: Any, directions: Any, to: DType, **_: Any) -> Array:
    x, along = operands[0], directions[0]
    return along.astype(to.numpy) if to.is_float and along is not None else np.zeros_like(x, dtype=to.numpy)


def _cast_like_jvp(operands: Any, directions: Any, **_: Any) -> Array:
    return _cast_jvp(operands, directions, dtypes.of(operands[1].dtype))


def _cast_like_samples(draw: Draw) -> Sample:
    return Sample((draw.array(draw.shape(), low=-100, high=100), draw.array(draw.shape(), dtype=draw.choice(TARGETS))))


def _bit_cast_samples(draw: Draw) -> Sample:
    source, to = draw.choice([(dtypes.i32, dtypes.u32), (dtypes.u8, dtypes.i8), (dtypes.i64, dtypes.u64)])
    return Sample((draw.array(draw.shape(), dtype=source),), {"to": to})


cast = pure(
    "cast",
    infer_cast,
    cast_to,
    lambda draw: Sample((draw.array(draw.shape(), low=-100, high=100),), {"to": draw.choice(TARGETS)}),
    family="pointwise",
    numeric=Piecewise((0.0,)),
    index_map=Elementwise(),
    danger=(Overflow("cast-overflow"),),
    derivative=Jvp(_cast_jvp),
    folds=True,
)
cast_like = pure(
    "cast_like",
    infer_cast_like,
    lambda x, like, **options: cast_to(x, dtypes.of(like.dtype), **options),
    _cast_like_samples,
    family="pointwise",
    numeric=Piecewise((0.0,)),
    danger=(Overflow("cast-overflow"),),
    derivative=Jvp(_cast_like_jvp),
)
bit_cast = pure(
    "bit_cast",
    infer_bit_cast,
    lambda x, to: x.view(to.numpy),
    _bit_cast_samples,
    family="pointwise",
    numeric=RECAST,
    index_map=Elementwise(),
    danger=(Overflow("cast-overflow"),),
    derivative=Zero(),
)
