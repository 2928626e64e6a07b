"""The element types of torch, which of them it takes by default, and in which order it ranks them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.devices import Device, change_default
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.placements import ANYWHERE
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of

NAMES = {
    "float16": dtypes.f16, "half": dtypes.f16, "float32": dtypes.f32, "float": dtypes.f32, "float64": dtypes.f64,
    "double": dtypes.f64, "bfloat16": dtypes.bf16, "int8": dtypes.i8, "int16": dtypes.i16, "short": dtypes.i16,
    "int32": dtypes.i32, "int": dtypes.i32, "int64": dtypes.i64, "long": dtypes.i64, "uint8": dtypes.u8,
    "uint16": dtypes.u16, "uint32": dtypes.u32, "uint64": dtypes.u64, "bool": dtypes.bool_,
    "complex64": dtypes.c64, "cfloat": dtypes.c64, "complex128": dtypes.c128, "cdouble": dtypes.c128,
    "float8_e4m3fn": dtypes.f8e4m3fn, "float8_e5m2": dtypes.f8e5m2,
}  # fmt: skip
for _name, _dtype in NAMES.items():
    model(f"torch.{_name}")(_dtype)
model("torch.dtype")(DType)

_CATEGORIES = {Kind.BOOL: 0, Kind.UNSIGNED: 1, Kind.SIGNED: 1, Kind.FLOAT: 2, Kind.COMPLEX: 3}
_DEFAULT = ("torch", "default dtype")


def category(dtype: DType) -> int:
    """How torch orders element types: truth values, integers, floats, complex numbers."""
    return _CATEGORIES.get(dtype.kind, 4)


def default_float() -> DType:
    found: Any = machine().constants.get(_DEFAULT, dtypes.f32)
    return found if isinstance(found, DType) else dtypes.f32


def as_float(x: TensorValue) -> Any:
    """The tensor itself, or of integers and truth values the floats that sqrt and exp make of them."""
    known = dtype_of(x)
    return cast(x, default_float()) if known is not None and category(known) < 2 else x


def is_integral(x: TensorValue) -> bool:
    """Whether the elements are surely no floats."""
    known = dtype_of(x)
    return known is not None and category(known) < 2


def wants_floats(x: TensorValue, what: str) -> None:
    demand(not is_integral(x), f"{what} needs floats, but gets {dtype_of(x)}", "dtype-differs")


def wants_integers(x: TensorValue, what: str) -> None:
    known = dtype_of(x)
    demand(known is None or known.is_integer, f"{what} needs integers, but gets {known}", "dtype-differs")


def same_types(what: str, *xs: TensorValue | None) -> None:
    """Operands of a product must be of one element type."""
    known = {dtype_of(x) for x in xs if x is not None} - {None}
    names = " and ".join(sorted(map(str, known)))
    demand(len(known) < 2, f"{what} needs operands of one element type, but gets {names}", "dtype-differs")


@model("torch.set_default_dtype")
def set_default_dtype(d: Any) -> None:
    found = dtype_named(d)
    if found is not None:
        here = machine()
        here.trail.write(here.constants, _DEFAULT, found)


@model("torch.set_default_tensor_type")
def set_default_tensor_type(t: Any) -> None:
    name = t if isinstance(t, str) else getattr(t, "__qualname__", "")
    change_default(Device("cuda" if ".cuda." in name else "cpu").placement if "Tensor" in name else ANYWHERE)
    set_default_dtype(dtypes.f64 if "Double" in name else dtypes.f16 if "Half" in name else dtypes.f32)


@model("torch.get_default_dtype")
def get_default_dtype() -> DType:
    return default_float()


@model("torch.finfo")
class FloatInfo(Object):
    """The limits of a float type."""

    def __init__(self, type: Any = None) -> None:
        known = dtype_named(type) or default_float()
        self.max, self.min, self.eps = known.largest, known.least, known.epsilon
        self.tiny = self.smallest_normal = known.smallest
        self.bits = known.bits
        self.resolution = known.epsilon
        self.dtype = str(known)


@model("torch.iinfo")
class IntegerInfo(Object):
    """The limits of an integer type."""

    def __init__(self, type: Any) -> None:
        known = dtype_named(type) or dtypes.i64
        self.max, self.min, self.bits = known.largest, known.least, known.bits
        self.dtype = str(known)


@model("torch.is_floating_point")
def is_floating_point(input: Any) -> Any:
    return input.is_floating_point()


@model("torch.is_complex")
def is_complex(input: Any) -> Any:
    return input.is_complex()


@model("torch.promote_types", "torch.result_type")
def promote_types(type1: Any, type2: Any) -> Any:
    from mlvet.domains.promotion import Framework, Operand, promote
    from mlvet.frontends.python.arrays.arithmetic import common_dtype

    if isinstance(type1, DType) and isinstance(type2, DType):
        found = promote(type1, type2, Framework.TORCH)
        return found.dtype if isinstance(found, Operand) else None
    return common_dtype(type1, type2, Framework.TORCH)
