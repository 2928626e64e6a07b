"""Axes as functions of `keras.ops` take them, and element types of their results."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def axes_of(axis: Any) -> tuple[int, ...] | None:
    """One axis, several, or None for all."""
    if axis is None:
        return None
    if isinstance(axis, int):
        return (int(axis),)
    found = as_items(axis)
    if not all(isinstance(each, int) for each in found):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an axis that is not known")
    return tuple(found)


def axis_of(axis: Any) -> int:
    """One axis, which must be known."""
    found = axes_of(axis)
    if found is None or len(found) != 1:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an axis that is not known")
    return found[0]


def ranked_dims(x: Any) -> tuple[Any, ...]:
    """The sizes of a tensor, whose number must be known."""
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return dims


def summable(x: Any) -> Any:
    """A tensor as sums take it: small integers and truth values in 32 bits."""
    made = array(x)
    known = dtype_of(made)
    if (
        known is None
        or known.kind in (Kind.FLOAT, Kind.COMPLEX)
        or known in (dtypes.i32, dtypes.i64, dtypes.u32, dtypes.u64)
    ):
        return made
    return cast(made, dtypes.u32 if known.kind is Kind.UNSIGNED else dtypes.i32)


def countable(x: Any) -> Any:
    """A tensor of which truth values are 32-bit integers."""
    made = array(x)
    return cast(made, dtypes.i32) if dtype_of(made) is dtypes.bool_ else made


def as_dtype(x: Any, dtype: DType | None) -> Any:
    return array(x) if dtype is None else cast(array(x), dtype)
