"""Element types, their limits, and how each framework promotes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any

import ml_dtypes
import numpy as np

_iinfo: Any = ml_dtypes.iinfo
_finfo: Any = ml_dtypes.finfo


class Kind(Enum):
    """What the elements of a tensor are."""

    BOOL = "bool"
    UNSIGNED = "unsigned"
    SIGNED = "signed"
    FLOAT = "float"
    COMPLEX = "complex"
    TEXT = "text"


@dataclass(frozen=True)
class DType:
    """An element type. `numpy` is how it lies in an array; text is an array of objects."""

    name: str
    kind: Kind
    bits: int
    numpy: np.dtype[Any]

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_number(self) -> bool:
        return self.is_float or self.is_integer or self.kind is Kind.COMPLEX

    @cached_property
    def largest(self) -> float | int:
        """The greatest finite value."""
        if self.kind is Kind.BOOL:
            return 1
        return int(_iinfo(self.numpy).max) if self.is_integer else float(_finfo(self.numpy).max)

    @cached_property
    def least(self) -> float | int:
        """The least finite value."""
        if self.kind is Kind.BOOL:
            return 0
        return int(_iinfo(self.numpy).min) if self.is_integer else float(_finfo(self.numpy).min)

    @cached_property
    def smallest(self) -> float:
        """The smallest positive normal value of a float."""
        return float(_finfo(self.numpy).smallest_normal)

    @cached_property
    def epsilon(self) -> float:
        """The gap between 1 and the next float."""
        return float(_finfo(self.numpy).eps)


def _dtype(name: str, kind: Kind, bits: int, numpy: Any) -> DType:
    return DType(name, kind, bits, np.dtype(numpy))


bool_ = _dtype("bool", Kind.BOOL, 8, np.bool_)
u2 = _dtype("u2", Kind.UNSIGNED, 2, ml_dtypes.uint2)
u4 = _dtype("u4", Kind.UNSIGNED, 4, ml_dtypes.uint4)
u8 = _dtype("u8", Kind.UNSIGNED, 8, np.uint8)
u16 = _dtype("u16", Kind.UNSIGNED, 16, np.uint16)
u32 = _dtype("u32", Kind.UNSIGNED, 32, np.uint32)
u64 = _dtype("u64", Kind.UNSIGNED, 64, np.uint64)
i2 = _dtype("i2", Kind.SIGNED, 2, ml_dtypes.int2)
i4 = _dtype("i4", Kind.SIGNED, 4, ml_dtypes.int4)
i8 = _dtype("i8", Kind.SIGNED, 8, np.int8)
i16 = _dtype("i16", Kind.SIGNED, 16, np.int16)
i32 = _dtype("i32", Kind.SIGNED, 32, np.int32)
i64 = _dtype("i64", Kind.SIGNED, 64, np.int64)
f4e2m1 = _dtype("f4e2m1", Kind.FLOAT, 4, ml_dtypes.float4_e2m1fn)
f6e2m3 = _dtype("f6e2m3", Kind.FLOAT, 6, ml_dtypes.float6_e2m3fn)
f6e3m2 = _dtype("f6e3m2", Kind.FLOAT, 6, ml_dtypes.float6_e3m2fn)
f8e4m3fn = _dtype("f8e4m3fn", Kind.FLOAT, 8, ml_dtypes.float8_e4m3fn)
f8e4m3fnuz = _dtype("f8e4m3fnuz", Kind.FLOAT, 8, ml_dtypes.float8_e4m3fnuz)
f8e5m2 = _dtype("f8e5m2", Kind.FLOAT, 8, ml_dtypes.float8_e5m2)
f8e5m2fnuz = _dtype("f8e5m2fnuz", Kind.FLOAT, 8, ml_dtypes.float8_e5m2fnuz)
f8e8m0 = _dtype("f8e8m0", Kind.FLOAT, 8, ml_dtypes.float8_e8m0fnu)
f16 = _dtype("f16", Kind.FLOAT, 16, np.float16)
bf16 = _dtype("bf16", Kind.FLOAT, 16, ml_dtypes.bfloat16)
f32 = _dtype("f32", Kind.FLOAT, 32, np.float32)
f64 = _dtype("f64", Kind.FLOAT, 64, np.float64)
c64 = _dtype("c64", Kind.COMPLEX, 64, np.complex64)
c128 = _dtype("c128", Kind.COMPLEX, 128, np.complex128)
text = _dtype("text", Kind.TEXT, 0, np.object_)

ALL: tuple[DType, ...] = (
    bool_, u2, u4, u8, u16, u32, u64, i2, i4, i8, i16, i32, i64,
    f4e2m1, f6e2m3, f6e3m2, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f16, bf16, f32, f64, c64, c128, text,
)  # fmt: skip
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in ALL}


@cache
def _by_numpy() -> dict[np.dtype[Any], DType]:
    return {dtype.numpy: dtype for dtype in ALL}


def of(array_dtype: np.dtype[Any]) -> DType:
    """The element type of a NumPy array."""
    if array_dtype.kind in "OUS":
        return text
    return _by_numpy()[array_dtype.newbyteorder("=")]
