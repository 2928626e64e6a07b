"""Element types, shapes and constants as TensorFlow writes them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Dims, Tensor, Unranked
from mlvet.frontends.protobuf.wire import Record
from mlvet.ir.graph import Data

RESOURCE, VARIANT, STRING = 20, 21, 7
_REFERENCE = 100
_HIGHEST_RANK = 254

DTYPES: dict[int, DType] = {
    1: dtypes.f32, 2: dtypes.f64, 3: dtypes.i32, 4: dtypes.u8, 5: dtypes.i16, 6: dtypes.i8, 7: dtypes.text,
    8: dtypes.c64, 9: dtypes.i64, 10: dtypes.bool_, 11: dtypes.i8, 12: dtypes.u8, 13: dtypes.i32, 14: dtypes.bf16,
    15: dtypes.i16, 16: dtypes.u16, 17: dtypes.u16, 18: dtypes.c128, 19: dtypes.f16, 22: dtypes.u32, 23: dtypes.u64,
    24: dtypes.f8e5m2, 25: dtypes.f8e4m3fn, 26: dtypes.f8e4m3fnuz, 28: dtypes.f8e5m2fnuz, 29: dtypes.i4,
    30: dtypes.u4, 31: dtypes.i2, 32: dtypes.u2, 33: dtypes.f4e2m1,
}  # fmt: skip

_FIELDS: dict[DType, str] = {
    dtypes.f32: "float_val", dtypes.f64: "double_val", dtypes.i64: "int64_val", dtypes.bool_: "bool_val",
    dtypes.c64: "scomplex_val", dtypes.c128: "dcomplex_val", dtypes.f16: "half_val", dtypes.bf16: "half_val",
    dtypes.u32: "uint32_val", dtypes.u64: "uint64_val",
}  # fmt: skip


def dtype_of(number: int) -> DType | None:
    """The element type behind a number, references like plain ones; None for handles and what has no name here."""
    return DTYPES.get(number - _REFERENCE if number > _REFERENCE else number)


def shape_of(proto: Record | None, name: str) -> Dims | Unranked:
    """A declared shape; a size that is left open is a symbol called after the value and the axis."""
    if proto is None or proto.unknown_rank or len(proto.dim) > _HIGHEST_RANK:
        return Unranked(name)
    return tuple(_dim(dim.size, f"{name}.{axis}") for axis, dim in enumerate(proto.dim))


def _dim(size: int, name: str) -> Dim:
    return size if size >= 0 else symbol(name)


def declared(number: int, shape: Record | None, name: str) -> Tensor:
    """What a file says of one value."""
    handle = number % _REFERENCE in (RESOURCE, VARIANT)
    return Tensor(dtype_of(number), Unranked(name) if handle else shape_of(shape, name))


def constant(proto: Record, name: str) -> Data | None:
    """The elements of a constant, left in the file; None if the element type is none that we have."""
    dtype = dtype_of(proto.dtype)
    shape = shape_of(proto.tensor_shape, name) if proto.tensor_shape is not None else ()
    if dtype is None:
        return None
    if isinstance(shape, Unranked) or not all(isinstance(dim, int) for dim in shape):
        raise UnsupportedInput(f"constant `{name}` has no definite shape")
    sizes = tuple(int(str(dim)) for dim in shape)
    count = prod(sizes)
    if len(proto.tensor_content) and dtype is not dtypes.text:
        return _content(proto.tensor_content, dtype, sizes, name)
    values = _values(proto, dtype)
    if len(values) > max(count, 1):
        raise UnsupportedInput(f"constant `{name}` holds {len(values)} elements where its shape has {count}")
    return Data(dtype, sizes, lambda: _filled(values, dtype, sizes))


def _content(content: Any, dtype: DType, sizes: tuple[int, ...], name: str) -> Data:
    needed = prod(sizes) * dtype.numpy.itemsize
    if len(content) != needed:
        raise UnsupportedInput(f"constant `{name}` holds {len(content)} bytes where its shape needs {needed}")
    return Data(dtype, sizes, lambda: np.frombuffer(content, dtype.numpy).reshape(sizes))


def _values(proto: Record, dtype: DType) -> Any:
    if dtype is dtypes.text:
        return proto.string_val
    if dtype.bits == 8 and dtype.is_float:
        return np.frombuffer(proto.float8_val, np.uint8)
    values = getattr(proto, _FIELDS.get(dtype, "int_val"))
    if dtype in (dtypes.c64, dtypes.c128):
        return np.asarray(values, dtypes.f64.numpy).view(np.complex128) if len(values) % 2 == 0 else values[:0]
    return values


def _filled(values: Any, dtype: DType, sizes: tuple[int, ...]) -> NDArray[Any]:
    """The listed elements; the last one stands for all that follow, none at all for zeros."""
    count = prod(sizes)
    array = _array(values, dtype)
    if len(array) == count:
        return array.reshape(sizes)
    if len(array) <= 1:
        one = array[:1] if len(array) else _array([b""] if dtype is dtypes.text else np.zeros(1, np.uint8), dtype)
        return np.broadcast_to(one.reshape(()), sizes)
    return np.concatenate([array, np.broadcast_to(array[-1:], (count - len(array),))]).reshape(sizes)


def _array(values: Any, dtype: DType) -> NDArray[Any]:
    if dtype is dtypes.text:
        array = np.empty(len(values), object)
        array[:] = [bytes(value) for value in values]
        return array
    if dtype in (dtypes.f16, dtypes.bf16):
        return np.asarray(values, np.int64).astype(np.uint16).view(dtype.numpy)
    if dtype.bits == 8 and dtype.is_float:
        return np.asarray(values, np.uint8).view(dtype.numpy)
    return np.asarray(values).astype(dtype.numpy)
