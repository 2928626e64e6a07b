"""Subscripts of tensors: slices, numbers, new axes and masks."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.indexing import is_comparison
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

model("tensorflow.newaxis")(None)


def getitem(x: Tensor, index: Any) -> Tensor:
    """One strided slice for numbers, slices, None and `...`; a tensor of truth values selects rows."""
    if isinstance(index, TensorValue) and dtype_of(index) is dtypes.bool_:
        return masked(x, convert(index))
    parts = index if isinstance(index, tuple) else (index,)
    begin: list[Dim] = []
    end: list[Dim] = []
    step: list[Dim] = []
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for place, part in enumerate(parts):
        bounds: tuple[Dim, Dim, Dim] = (0, 0, 1)
        match part:
            case None:
                masks["new_axis_mask"] |= 1 << place
            case _ if part is Ellipsis:
                masks["ellipsis_mask"] |= 1 << place
            case slice():
                masks["begin_mask"] |= (part.start is None) << place
                masks["end_mask"] |= (part.stop is None) << place
                bounds = (_number(part.start, 0), _number(part.stop, 0), _number(part.step, 1))
            case ListValue() | list() | tuple():
                raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a list as an index")
            case Unknown() | Scalar() if is_comparison(part):
                raise Undecided(Reason.OPERATOR_OVERLOADING, "a comparison as an index, which may be one of tensors")
            case _:
                demand(_is_number(part), "indices are numbers, slices, `...` or None", "illegal-argument")
                number = _number(part, 0)
                bounds = (number, number + 1 if number != -1 else 2**31 - 1, 1)
                masks["shrink_axis_mask"] |= 1 << place
        for row, bound in zip((begin, end, step), bounds, strict=True):
            row.append(bound)
    return op_of("strided_slice", x, tuple(begin), tuple(end), tuple(step), **masks)


def masked(x: Tensor, mask: Tensor) -> Tensor:
    """The parts where a mask over the first dims is true, in one row."""
    return op_of("index", x, mask)


def _is_number(part: Any) -> bool:
    return not isinstance(part, TensorValue) or rank_of(part) in (0, None)


def _number(part: Any, default: int) -> Dim:
    if part is None:
        return default
    if isinstance(part, Unknown | Scalar):
        return symbol(machine().fresh("index"))
    if isinstance(part, int | Expr | TensorValue):
        return as_size(part, "index")
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an index")
