"""Elementwise operators with the promotion of element types that each library has."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.promotion import Framework, Operand, Strength, promote
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import emit
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

PYTHON_SCALARS = (bool, int, float, complex, Expr, Scalar)
FLOATING = frozenset(("div",))
"""Operators that make floats of integers."""


def cast(x: TensorValue, to: DType | None) -> Any:
    """The tensor in another element type; itself if it has that already, or if none is asked for."""
    if to is None or dtype_of(x) is to:
        return x
    return emit("cast", x, to=to)


def unary(op: str, x: TensorValue, **attributes: Any) -> Any:
    """An operator on each element."""
    return emit(op, x, **attributes)


def floating(op: str, x: TensorValue, default: DType = dtypes.f32, **attributes: Any) -> Any:
    """An operator on each element that makes floats of integers first, as sqrt and exp do."""
    known = dtype_of(x)
    return emit(op, cast(x, default) if known is not None and not _is_inexact(known) else x, **attributes)


def binary(op: str, left: Any, right: Any, *, kind: type[TensorValue] | None = None, **attributes: Any) -> Any:
    """An operator on elements of two operands, tensors or Python scalars, brought to their common element type.

    A mixture that the library refuses is recorded as a demand of the operator, not raised.
    """
    kind = kind or _kind(left, right)
    common = common_dtype(left, right, kind.framework)
    if op in FLOATING and common is not None and not _is_inexact(common):
        common = dtypes.f64 if kind.framework is Framework.NUMPY else dtypes.f32
    return emit(op, operand(left, common, kind), operand(right, common, kind), kind=kind, **attributes)


def comparison(op: str, left: Any, right: Any, *, kind: type[TensorValue] | None = None) -> Any:
    """A relation of elements; the result is of truth values."""
    return binary(op, left, right, kind=kind)


def common_dtype(left: Any, right: Any, framework: Framework) -> DType | None:
    """The element type of an operator's operands, None where it is not known or the library refuses."""
    sides = [_weighed(left), _weighed(right)]
    if sides[0] is None or sides[1] is None:
        return None
    found = promote(sides[0], sides[1], framework)
    return found.dtype if isinstance(found, Operand) else None


def operand(value: Any, dtype: DType | None, kind: type[TensorValue]) -> Any:
    """A tensor or Python scalar as an operand of this element type."""
    if isinstance(value, TensorValue):
        strict = kind.framework in (Framework.TENSORFLOW, Framework.ONNX)
        return value if strict else cast(value, dtype)
    if isinstance(value, Unknown):
        raise Undecided(value)
    if isinstance(value, Scalar):
        return scalar(value, dtype, kind)
    return emit("cast", value, to=dtype, kind=kind) if dtype is not None else value


def scalar(value: Scalar, dtype: DType | None, kind: type[TensorValue]) -> Any:
    """A Python scalar that is not known as a tensor without dims."""
    from mlvet.domains.tensors import Tensor
    from mlvet.frontends.python.emission import source

    natural = {float: dtypes.f32, int: dtypes.i64, bool: dtypes.bool_}.get(value.kind)
    key = ("scalar", id(value), dtype or natural)
    here = machine()
    if key not in here.constants:
        made = source(value.name or "scalar", Tensor(dtype or natural, ()), kind)
        here.trail.write(here.constants, key, made.graph_value)
    return kind.of(here.constants[key])


def _kind(left: Any, right: Any) -> type[TensorValue]:
    """The class of the result: that of the tensor operand, any library's before NumPy's."""
    kinds = [type(each) for each in (left, right) if isinstance(each, TensorValue)]
    if not kinds:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "no tensor among the operands")
    return next((kind for kind in kinds if kind.framework is not Framework.NUMPY), kinds[0])


def _weighed(value: Any) -> Operand | None:
    if isinstance(value, TensorValue):
        known = dtype_of(value)
        if known is None:
            return None
        weak = Strength.DIMENSIONLESS if rank_of(value) == 0 else Strength.FULL
        return Operand(known, Strength.WEAK if value.cells.get("@weak") else weak)
    kind = value.kind if isinstance(value, Scalar) else int if isinstance(value, Expr) else type(value)
    for base, dtype in ((bool, dtypes.bool_), (int, dtypes.i64), (float, dtypes.f64), (complex, dtypes.c128)):
        if isinstance(kind, type) and issubclass(kind, base):
            return Operand(dtype, Strength.WEAK)
    return None


def _is_inexact(dtype: DType) -> bool:
    return dtype.kind in (Kind.FLOAT, Kind.COMPLEX, Kind.TEXT)


__all__ = [
    "PYTHON_SCALARS", "binary", "cast", "common_dtype", "comparison", "floating", "operand", "scalar", "tensor_of",
    "unary",
]  # fmt: skip
