"""Element types of NumPy, which are scalar constructors too: `np.float32` and `np.float32(1)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class ScalarType(Object):
    """A scalar type such as `np.float32`: an element type where one is wanted, and what makes arrays without dims."""

    def __init__(self, dtype: DType) -> None:
        self.cells["element_type"] = dtype

    def __call__(self, value: Any = 0, *args: Any, **keywords: Any) -> Any:
        from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray

        if isinstance(value, Unknown):
            raise Undecided(value)
        return as_ndarray(value, self.element_type)

    def __eq__(self, other: object) -> bool:
        return element_type(other) is self.element_type

    def __hash__(self) -> int:
        return hash(self.element_type)

    def __repr__(self) -> str:
        return f"<{self.element_type}>"


NATIVE: dict[str, DType] = {
    "float16": dtypes.f16, "half": dtypes.f16, "float32": dtypes.f32, "single": dtypes.f32, "float64": dtypes.f64,
    "double": dtypes.f64, "float_": dtypes.f64, "int8": dtypes.i8, "byte": dtypes.i8,
    "int16": dtypes.i16, "short": dtypes.i16, "int32": dtypes.i32, "intc": dtypes.i32, "int64": dtypes.i64,
    "int_": dtypes.i64, "intp": dtypes.i64, "long": dtypes.i64, "longlong": dtypes.i64, "uint8": dtypes.u8,
    "ubyte": dtypes.u8, "uint16": dtypes.u16, "ushort": dtypes.u16, "uint32": dtypes.u32, "uintc": dtypes.u32,
    "uint64": dtypes.u64, "uint": dtypes.u64, "bool_": dtypes.bool_, "bool": dtypes.bool_, "bool8": dtypes.bool_,
    "complex64": dtypes.c64, "csingle": dtypes.c64, "complex128": dtypes.c128, "cdouble": dtypes.c128,
    "complex_": dtypes.c128, "str_": dtypes.text, "object_": dtypes.text, "unicode_": dtypes.text,
    "bytes_": dtypes.text, "string_": dtypes.text, "float": dtypes.f64, "int": dtypes.i64, "object": dtypes.text,
    "str": dtypes.text, "complex": dtypes.c128,
}  # fmt: skip
for _name, _dtype in NATIVE.items():
    model(f"numpy.{_name}")(ScalarType(_dtype))

ABSTRACT = {
    "generic": tuple(Kind), "number": (Kind.SIGNED, Kind.UNSIGNED, Kind.FLOAT, Kind.COMPLEX),
    "integer": (Kind.SIGNED, Kind.UNSIGNED), "signedinteger": (Kind.SIGNED,), "unsignedinteger": (Kind.UNSIGNED,),
    "inexact": (Kind.FLOAT, Kind.COMPLEX), "floating": (Kind.FLOAT,), "complexfloating": (Kind.COMPLEX,),
    "character": (Kind.TEXT,), "flexible": (Kind.TEXT,),
}  # fmt: skip


class AbstractType(Object):
    """A family of scalar types such as `np.floating`."""

    def __init__(self, name: str, kinds: tuple[Kind, ...]) -> None:
        self.cells.update({"name": name, "kinds": kinds})


for _name, _kinds in ABSTRACT.items():
    model(f"numpy.{_name}")(AbstractType(_name, _kinds))


def element_type(value: Any) -> DType | None:
    """The element type that an argument names to NumPy, None if it is None or not known."""
    if value is None or isinstance(value, Unknown | Scalar):
        return None
    if value is float:
        return dtypes.f64
    if value is complex:
        return dtypes.c128
    if value is object or value is str or value is bytes:
        return dtypes.text
    if isinstance(value, str):
        return _of_code(value)
    if isinstance(value, TensorValue):
        return None
    return dtype_named(value)


def _of_code(code: str) -> DType | None:
    try:
        found = np.dtype(code)
    except TypeError:
        return dtype_named(code)
    if found.kind in "OUS":
        return dtypes.text
    try:
        return dtypes.of(found)
    except KeyError:
        return None


@model("numpy.dtype")
def dtype(dtype: Any, align: bool = False, copy: bool = False) -> Any:
    found = element_type(dtype)
    if found is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an element type")
    return found


class Limits(Object):
    """What `np.finfo` and `np.iinfo` yield."""


@model("numpy.finfo", "numpy.iinfo")
def limits(dtype: Any) -> Any:
    found = element_type(dtype) or element_type(getattr(dtype, "dtype", None))
    if found is None or not (found.is_float or found.is_integer):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "limits of an element type that is not known")
    made = Limits()
    made.cells.update({"max": found.largest, "min": found.least, "bits": found.bits, "dtype": found})
    if found.is_float:
        small = {"eps": found.epsilon, "tiny": found.smallest, "smallest_normal": found.smallest}
        made.cells.update({**small, "resolution": 10.0 ** -int(-np.log10(found.epsilon))})
    return made


@model("numpy.issubdtype", "numpy.isdtype")
def issubdtype(arg1: Any, arg2: Any) -> Any:
    left = element_type(arg1)
    if left is None:
        raise Undecided(Reason.EXTERNAL_DATA, "an element type")
    if isinstance(arg2, AbstractType):
        return left.kind in arg2.kinds
    if arg2 in (float, int, bool, complex):
        return (
            left.kind in {float: (Kind.FLOAT,), int: (Kind.SIGNED,), bool: (Kind.BOOL,), complex: (Kind.COMPLEX,)}[arg2]
        )
    return left is element_type(arg2)


@model("numpy.result_type", "numpy.promote_types")
def result_type(*arrays_and_dtypes: Any) -> Any:
    found = [element_type(each) or getattr(each, "dtype", None) for each in arrays_and_dtypes]
    known = [each.numpy for each in found if isinstance(each, DType)]
    if not known or len(known) != len(found):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "element types that are not known")
    return dtypes.of(np.result_type(*known))


def floating_of(dtype: DType | None) -> DType | None:
    """The float that functions such as sqrt make of an element type: small integers become small floats."""
    if dtype is None or dtype.kind in (Kind.FLOAT, Kind.COMPLEX, Kind.TEXT):
        return dtype
    return dtypes.f16 if dtype.bits <= 8 else dtypes.f32 if dtype.bits <= 16 else dtypes.f64


def summed_of(dtype: DType | None) -> DType | None:
    """The element type of a sum or product: small integers become i64 or u64."""
    if dtype is None or dtype.kind not in (Kind.BOOL, Kind.SIGNED, Kind.UNSIGNED):
        return dtype
    return dtypes.u64 if dtype.kind is Kind.UNSIGNED else dtypes.i64


def averaged_of(dtype: DType | None) -> DType | None:
    """The element type of a mean: integers become f64."""
    return dtype if dtype is None or dtype.kind in (Kind.FLOAT, Kind.COMPLEX) else dtypes.f64
