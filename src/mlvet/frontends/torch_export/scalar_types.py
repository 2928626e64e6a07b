"""Element types by torch's names and by the numbers that archives use."""

from __future__ import annotations

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType

BY_NUMBER: dict[int, DType] = {
    1: dtypes.u8, 2: dtypes.i8, 3: dtypes.i16, 4: dtypes.i32, 5: dtypes.i64, 6: dtypes.f16, 7: dtypes.f32,
    8: dtypes.f64, 10: dtypes.c64, 11: dtypes.c128, 12: dtypes.bool_, 13: dtypes.bf16, 28: dtypes.u16,
    29: dtypes.f8e4m3fn, 30: dtypes.f8e5m2, 31: dtypes.f8e4m3fnuz, 32: dtypes.f8e5m2fnuz, 33: dtypes.f8e8m0,
    34: dtypes.u32, 35: dtypes.u64,
}  # fmt: skip
"""The enumeration of the archive's schema; complex of half precision is missing on purpose."""

BY_NAME: dict[str, DType] = {
    "uint8": dtypes.u8, "int8": dtypes.i8, "int16": dtypes.i16, "int32": dtypes.i32, "int64": dtypes.i64,
    "float16": dtypes.f16, "float32": dtypes.f32, "float64": dtypes.f64, "complex64": dtypes.c64,
    "complex128": dtypes.c128, "bool": dtypes.bool_, "bfloat16": dtypes.bf16, "uint16": dtypes.u16,
    "float8_e4m3fn": dtypes.f8e4m3fn, "float8_e5m2": dtypes.f8e5m2, "float8_e4m3fnuz": dtypes.f8e4m3fnuz,
    "float8_e5m2fnuz": dtypes.f8e5m2fnuz, "float8_e8m0fnu": dtypes.f8e8m0, "uint32": dtypes.u32, "uint64": dtypes.u64,
}  # fmt: skip
