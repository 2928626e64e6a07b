"""Ragged tensors: dense ones with sizes of their own where rows differ in length."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Items, as_items, as_size
from mlvet.frontends.python.libraries.builtins.elements import count
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axis_of, dims_or_undecided
from mlvet.frontends.python.libraries.tensorflow.structures import of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, natural_dtype, op_of
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Unknown


@model("tensorflow.ragged.constant")
def constant(pylist: Any, dtype: DType | None = None, *rest: Any, **keywords: Any) -> Tensor:
    """Rows of numbers; whole numbers of whatever library become i32."""
    del rest, keywords
    natural = natural_dtype(pylist)
    kind = dtype or (dtypes.i32 if natural is not None and natural.is_integer else natural)
    return of_shape("ragged", kind, _sizes(pylist))


@model("tensorflow.ragged.stack")
def stack(values: Items, axis: Any = 0, name: Any = None) -> Tensor:
    del axis, name
    tensors = values.element if isinstance(values, Repeated) else values[0]
    return of_shape("ragged", dtype_of(convert(tensors)), _sizes(ListValue(values)))


def _sizes(rows: Any) -> tuple[Dim, ...] | None:
    """The first size and one for each level below; None if some level is not known."""
    if isinstance(rows, TensorValue):
        rank = rank_of(rows)
        dims = dims_of(rows)
        return None if dims is None or not rank or dtype_of(rows) is None else (dims[0], *_ragged(rank - 1))
    items = rows.items if isinstance(rows, ListValue) else rows
    if not isinstance(items, tuple | Repeated):
        return None
    depth = _depth(items)
    return None if depth is None else (count(items), *_ragged(depth - 1))


def _depth(level: Any) -> int | None:
    if isinstance(level, TensorValue):
        return rank_of(level)
    if isinstance(level, Unknown):
        return None
    items = level.items if isinstance(level, ListValue) else level
    if isinstance(items, Repeated):
        inner = [items.element]
    elif isinstance(items, tuple):
        inner = list(items[:1])
    else:
        return 0
    below = _depth(inner[0]) if inner else 0
    return None if below is None else below + 1


def _ragged(levels: int) -> list[Dim]:
    return [symbol(machine().fresh("ragged")) for _ in range(levels)]


@model("tensorflow.RaggedTensor.from_tensor")
def from_tensor(tensor: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
    del rest, keywords
    return op_of("identity", convert(tensor))


def dense(x: Tensor, shape: Any) -> Tensor:
    """`to_tensor`: rows are cut and padded to the shape that is asked for."""
    if shape is None or isinstance(shape, Unknown):
        return x
    wanted = as_items(shape)
    dims = dims_of(x)
    if isinstance(wanted, Repeated) or (dims is not None and len(dims) < len(wanted)):
        return x
    known = dims if dims is not None else tuple(symbol(machine().fresh("ragged")) for _ in wanted)
    sizes = [own if size is None else as_size(size, "size") for own, size in zip(known, wanted, strict=False)]
    return opaque("to_tensor", [x], Known(dtype_of(x), (*sizes, *known[len(sizes) :])), Tensor)


def with_merged(x: Tensor, outer_axis: Any, inner_axis: Any) -> Tensor:
    """`merge_dims`: the rows of all rows one after the other."""
    dims = dims_or_undecided(x)
    first, last = (axis_of(each) % len(dims) for each in (outer_axis, inner_axis))
    total = symbol(machine().fresh("values"))
    return opaque("merge_dims", [x], Known(dtype_of(x), (*dims[:first], total, *dims[last + 1 :])), Tensor)


def row_lengths(x: Tensor, axis: Any) -> Tensor:
    dims = dims_or_undecided(x)
    return opaque("row_lengths", [x], Known(dtypes.i64, dims[: axis_of(axis)]), Tensor)
