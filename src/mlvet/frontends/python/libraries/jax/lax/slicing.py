"""Boxes of arrays read and written, axes laid out anew, products over named axes, reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.reductions import extreme_place, reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Size, Sizes, as_items, as_sizes
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    canonical,
    cast_to,
    together,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

REDUCTIONS = {"reduce_sum": "reduce_sum", "reduce_max": "reduce_max", "reduce_min": "reduce_min", "reduce_prod":
    "reduce_prod", "reduce_and": "reduce_all", "reduce_or": "reduce_any"}  # fmt: skip


def _ranked(x: Any) -> tuple[Dim, ...]:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return dims


def box(x: Any, sizes: tuple[Dim, ...], starts: Any = ()) -> Tensor:
    """Part of an array, of these sizes, which must fit."""
    dims = _ranked(x)
    demand(len(dims) == len(sizes), f"{len(sizes)} sizes are given for {tensor_of(x)}", "rank-differs")
    for place, (dim, size) in enumerate(zip(dims, sizes, strict=False)):
        fits = not (isinstance(dim, int) and isinstance(size, int)) or 0 <= size <= dim
        demand(fits, f"a slice of {size} does not fit dim {place} of {tensor_of(x)}", "size-out-of-range")
    return opaque("dynamic_slice", [x], Known(dtype_of(x), sizes), Array)


@model("jax.lax.dynamic_slice")
def dynamic_slice(operand: ArrayLike, start_indices: Any, slice_sizes: Sizes, **_: Any) -> Tensor:
    return box(operand, slice_sizes)


@model("jax.lax.dynamic_slice_in_dim")
def dynamic_slice_in_dim(operand: ArrayLike, start_index: Any, slice_size: Size, axis: int = 0, **_: Any) -> Tensor:
    sizes = list(_ranked(operand))
    demand(-len(sizes) <= axis < len(sizes), f"axis {axis} of {len(sizes)} dims", "axis-out-of-range")
    sizes[axis] = slice_size
    return box(operand, tuple(sizes))


@model("jax.lax.dynamic_index_in_dim")
def dynamic_index_in_dim(operand: ArrayLike, index: Any, axis: int = 0, keepdims: bool = True, **_: Any) -> Tensor:
    made = dynamic_slice_in_dim(operand, index, 1, axis)
    return made if keepdims else shaping.squeezed(made, (axis,))


@model("jax.lax.index_in_dim")
def index_in_dim(operand: ArrayLike, index: Any, axis: int = 0, keepdims: bool = True) -> Tensor:
    return dynamic_index_in_dim(operand, index, axis, keepdims)


@model("jax.lax.slice_in_dim")
def slice_in_dim(operand: ArrayLike, start_index: Any, limit_index: Any, stride: int = 1, axis: int = 0) -> Tensor:
    dims = _ranked(operand)
    size = dims[axis]
    first, last = (_from_end(each, size) for each in (0 if start_index is None else start_index, limit_index))
    sizes = list(dims)
    sizes[axis] = ceil_div((size if limit_index is None else last) - first, stride)
    return box(operand, tuple(sizes))


def _from_end(place: Any, size: Dim) -> Any:
    return place + size if isinstance(place, int) and place < 0 else place


@model("jax.lax.slice")
def lax_slice(operand: ArrayLike, start_indices: Sizes, limit_indices: Sizes, strides: Sizes | None = None) -> Tensor:
    dims = _ranked(operand)
    demand(len(dims) == len(start_indices) == len(limit_indices), "one start and end for each dim", "rank-differs")
    steps = strides or (1,) * len(dims)
    for place, (dim, end) in enumerate(zip(dims, limit_indices, strict=False)):
        fits = not (isinstance(dim, int) and isinstance(end, int)) or end <= dim
        demand(fits, f"the slice ends at {end} of dim {place} of {tensor_of(operand)}", "size-out-of-range")
    sizes = tuple(ceil_div(b - a, s) for a, b, s in zip(start_indices, limit_indices, steps, strict=False))
    return box(operand, sizes)


@model("jax.lax.dynamic_update_slice")
def dynamic_update_slice(operand: ArrayLike, update: ArrayLike, start_indices: Any, **_: Any) -> Tensor:
    starts = as_jax(start_indices) if not isinstance(start_indices, tuple) else None
    parts = start_indices if starts is None else starts.iterate() if dims_of(starts) else (starts,)
    if not isinstance(parts, tuple):
        parts = tuple(0 for _ in _ranked(operand))
    return emit("dynamic_update_slice", operand, update, *(as_jax(each) for each in parts), kind=Array)


@model("jax.lax.dynamic_update_slice_in_dim")
def dynamic_update_slice_in_dim(operand: ArrayLike, update: ArrayLike, start_index: Any, axis: int, **_: Any) -> Tensor:
    starts = tuple(0 for _ in _ranked(operand))
    return dynamic_update_slice(operand, cast_to(update, dtype_of(operand)), starts)


@model("jax.lax.dynamic_update_index_in_dim")
def dynamic_update_index_in_dim(operand: ArrayLike, update: ArrayLike, index: Any, axis: int, **_: Any) -> Tensor:
    ranks = len(_ranked(operand)), len(_ranked(update))
    row = update if ranks[0] == ranks[1] else shaping.unsqueezed(update, (axis,))
    return dynamic_update_slice_in_dim(operand, row, index, axis)


@model("jax.lax.index_take")
def index_take(src: ArrayLike, idxs: Any, axes: Any) -> Tensor:
    return emit("gather", src, as_jax(as_items(idxs)[0]), axis=(axes_named(axes) or (0,))[0])


@model("jax.lax.scatter", "jax.lax.scatter_add", "jax.lax.scatter_max", "jax.lax.scatter_min", "jax.lax.scatter_mul")
def scatter(operand: ArrayLike, scatter_indices: ArrayLike, updates: Any, dimension_numbers: Any, **_: Any) -> Tensor:
    return opaque("scatter", [operand, scatter_indices], tensor_of(operand).without_value(), Array)


@model("jax.lax.gather")
def gather(
    operand: ArrayLike, start_indices: ArrayLike, dimension_numbers: Any, slice_sizes: Sizes, **_: Any
) -> Tensor:
    """One slice for each index; its dims that are not collapsed lie at `offset_dims` of the result."""
    offsets = axes_named(dimension_numbers.offset_dims) or ()
    collapsed = axes_named(dimension_numbers.collapsed_slice_dims) or ()
    kept = iter([size for axis, size in enumerate(slice_sizes) if axis not in collapsed])
    batch = iter(_ranked(start_indices)[:-1])
    count = len(slice_sizes) - len(collapsed) + len(_ranked(start_indices)) - 1
    sizes = tuple(next(kept if axis in offsets else batch) for axis in range(count))
    return opaque("gather", [operand, start_indices], Known(dtype_of(operand), sizes), Array)


@model("jax.lax.broadcast")
def broadcast(operand: ArrayLike, sizes: Sizes, **_: Any) -> Tensor:
    return shaping.broadcast(operand, (*sizes, *_ranked(operand)))


@model("jax.lax.broadcast_in_dim")
def broadcast_in_dim(operand: ArrayLike, shape: Sizes, broadcast_dimensions: Any, **_: Any) -> Tensor:
    places = axes_named(broadcast_dimensions) or ()
    missing = tuple(axis for axis in range(len(shape)) if axis not in places)
    return shaping.broadcast(shaping.unsqueezed(operand, missing) if missing else operand, shape)


@model("jax.lax.collapse")
def collapse(operand: ArrayLike, start_dimension: int, stop_dimension: int | None = None) -> Tensor:
    dims = _ranked(operand)
    stop = len(dims) if stop_dimension is None else stop_dimension
    return shaping.flattened(operand, start_dimension, stop - 1)


@model("jax.lax.pad")
def pad(operand: ArrayLike, padding_value: ArrayLike, padding_config: Any) -> Tensor:
    widths = [as_sizes(each) for each in as_items(padding_config)]
    dims = _ranked(operand)
    demand(len(widths) == len(dims), f"{len(widths)} widths are given for {tensor_of(operand)}", "rank-differs")
    sizes = tuple(
        dim + low + high + (dim - 1) * gap for dim, (low, high, gap) in zip(dims, widths, strict=False)
    )  # fmt: skip
    return opaque("pad", [operand, padding_value], Known(dtype_of(operand), sizes), Array)


@model("jax.lax.split")
def split(operand: ArrayLike, sizes: Sizes, axis: int = 0) -> Any:
    return list(shaping.split(operand, sizes, axis))


@model("jax.lax.iota")
def iota(dtype: DType, size: Size) -> Tensor:
    return opaque("iota", [], Known(canonical(dtype), (size,)), Array)


@model("jax.lax.broadcasted_iota")
def broadcasted_iota(dtype: DType, shape: Sizes, dimension: int, **_: Any) -> Tensor:
    return opaque("iota", [], Known(canonical(dtype), shape), Array)


@model("jax.lax.dot_general")
def dot_general(
    lhs: ArrayLike, rhs: ArrayLike, dimension_numbers: Any, precision: Any = None,
    preferred_element_type: DType | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    contracted, batch = (
        tuple(axes_named(axes) or () for axes in as_items(pair)) for pair in as_items(dimension_numbers)
    )
    left, right = together(lhs, rhs)
    made = emit("dot_general", left, right, dimension_numbers=(contracted, batch))
    return cast_to(made, preferred_element_type)


@model("jax.lax.batch_matmul")
def batch_matmul(lhs: ArrayLike, rhs: ArrayLike, precision: Any = None) -> Tensor:
    return emit("matmul", *together(lhs, rhs))


def _reduction(op: str) -> Callable[..., Any]:
    def function(operand: ArrayLike, axes: Any, **options: Any) -> Tensor:
        return reduced(op, operand, axes_named(axes), False)

    return function


for _name, _op in REDUCTIONS.items():
    model(f"jax.lax.{_name}")(_reduction(_op))


@model("jax.lax.reduce")
def reduce(operands: ArrayLike, init_values: Any, computation: Any, dimensions: Any, **_: Any) -> Tensor:
    return reduced("reduce_sum", operands, axes_named(dimensions), False)


@model("jax.lax.argmax")
def argmax(operand: ArrayLike, axis: int, index_dtype: DType | None = None) -> Tensor:
    return cast_to(extreme_place("arg_max", operand, axis), index_dtype or dtypes.i32)


@model("jax.lax.argmin")
def argmin(operand: ArrayLike, axis: int, index_dtype: DType | None = None) -> Tensor:
    return cast_to(extreme_place("arg_min", operand, axis), index_dtype or dtypes.i32)


@model("jax.lax.sort_key_val")
def sort_key_val(keys: ArrayLike, values: ArrayLike, dimension: int = -1, is_stable: bool = True) -> Any:
    ordered = emit("sort", keys, axis=dimension)
    return ordered, opaque("sort", [values], tensor_of(values).without_value(), Array)


@model("jax.lax.approx_max_k", "jax.lax.approx_min_k")
def approx_max_k(operand: ArrayLike, k: Size, reduction_dimension: int = -1, **_: Any) -> Any:
    dims = list(_ranked(operand))
    dims[reduction_dimension] = k
    return [opaque("max_k", [operand], Known(to, tuple(dims)), Array) for to in (dtype_of(operand), dtypes.i32)]


@model("jax.ops.segment_sum", "jax.ops.segment_max", "jax.ops.segment_min", "jax.ops.segment_prod")
def segment_sum(data: Any, segment_ids: Any, num_segments: Any = None, *rest: Any, **options: Any) -> Tensor:
    """Rows of one segment combined; the ids are as many as the rows."""
    from mlvet.domains.dims import symbol

    data, segment_ids = as_jax(data), as_jax(segment_ids)
    dims, ids = _ranked(data), dims_of(segment_ids)
    if ids is not None and len(ids) == 1 and isinstance(ids[0], int) and isinstance(dims[0], int):
        demand(ids[0] == dims[0], f"{ids[0]} ids are given for {tensor_of(data)}", "dims-differ")
    count = num_segments if isinstance(num_segments, int | Expr) else symbol(machine().fresh("segments"))
    return opaque("segment_sum", [data, segment_ids], Known(dtype_of(data), (count, *dims[1:])), Array)


@model("jax.lax.Precision", "jax.lax.PrecisionLike")
class Precision(Object):
    """How exact products are."""

    DEFAULT = "default"
    HIGH = "high"
    HIGHEST = "highest"


@model("jax.lax.GatherDimensionNumbers", "jax.lax.ScatterDimensionNumbers")
class GatherDimensionNumbers(Object):
    """Axes of a gather or scatter in XLA's form."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        names = ("offset_dims", "collapsed_slice_dims", "start_index_map")
        for name, value in {**dict(zip(names, args, strict=False)), **keywords}.items():
            setattr(self, name, value)


@model("jax.lax.GatherScatterMode")
class GatherScatterMode(Object):
    """What is done about positions out of range."""

    CLIP = "clip"
    FILL_OR_DROP = "fill"
    PROMISE_IN_BOUNDS = "promise_in_bounds"
    ONE_HOT = "one_hot"
