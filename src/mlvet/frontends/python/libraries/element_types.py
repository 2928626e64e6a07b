"""Element types by the names and objects that programs use for them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType

NAMES: dict[str, DType] = {
    "float16": dtypes.f16, "half": dtypes.f16, "float32": dtypes.f32, "float": dtypes.f32, "single": dtypes.f32,
    "float64": dtypes.f64, "double": dtypes.f64, "bfloat16": dtypes.bf16, "int8": dtypes.i8, "int16": dtypes.i16,
    "short": dtypes.i16, "int32": dtypes.i32, "int64": dtypes.i64, "long": dtypes.i64, "uint8": dtypes.u8,
    "uint16": dtypes.u16, "uint32": dtypes.u32, "uint64": dtypes.u64, "bool": dtypes.bool_, "bool_": dtypes.bool_,
    "complex64": dtypes.c64, "complex128": dtypes.c128, "string": dtypes.text, "str": dtypes.text, "int": dtypes.i64,
    "object": dtypes.text, "float8_e4m3fn": dtypes.f8e4m3fn, "float8_e5m2": dtypes.f8e5m2,
    "f2": dtypes.f16, "f4": dtypes.f32, "f8": dtypes.f64, "i1": dtypes.i8, "i2": dtypes.i16, "i4": dtypes.i32,
    "i8": dtypes.i64, "u1": dtypes.u8, "u2": dtypes.u16, "u4": dtypes.u32, "u8": dtypes.u64, "b": dtypes.i8,
    "B": dtypes.u8, "f": dtypes.f32, "d": dtypes.f64, "i": dtypes.i32, "O": dtypes.text,
}  # fmt: skip
"""Python's own names mean what PyTorch, TensorFlow and JAX make of them; NumPy's `float` is float64."""


def dtype_named(value: Any) -> DType | None:
    """The element type that an object of a program names, None if it names none."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        return NAMES.get(value.lstrip("<>=|").removeprefix("torch."))
    if value is float:
        return dtypes.f32
    own = getattr(value, "element_type", None)
    if isinstance(own, DType):
        return own
    return {int: dtypes.i64, bool: dtypes.bool_, complex: dtypes.c64, str: dtypes.text}.get(value)
