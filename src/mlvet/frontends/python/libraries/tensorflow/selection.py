"""Elements picked and placed by index, condition or segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import (
    axis_of,
    cast_to,
    chosen,
    dims_or_undecided,
    index_tensor,
    sizes_of,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.indexing import masked
from mlvet.frontends.python.libraries.tensorflow.records import Record
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, alongside, convert, matched, op_of, typed
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("tensorflow.gather")
def gather(
    params: ArrayLike,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: Any = None,
) -> Tensor:
    del validate_indices, name
    x, places = convert(params), index_tensor(indices)
    batch = axis_of(batch_dims)
    where = axis_of(axis) if axis is not None else batch
    if not batch:
        return op_of("gather", x, places, axis=where)
    whole, chosen_dims = dims_or_undecided(x), dims_or_undecided(places)
    batch %= len(chosen_dims) or 1
    where %= len(whole) or 1
    if where == batch:
        return op_of("gather_nd", x, op_of("unsqueeze", places, (-1,)), batch_dims=batch)
    return typed("gather", [x, places], dtype_of(x), *whole[:where], *chosen_dims[batch:], *whole[where + 1 :])


@model("tensorflow.gather_nd")
def gather_nd(params: ArrayLike, indices: Any, batch_dims: Any = 0, name: Any = None) -> Tensor:
    del name
    return op_of("gather_nd", convert(params), index_tensor(indices), batch_dims=axis_of(batch_dims))


@model("tensorflow.nn.embedding_lookup")
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: Any = "mod",
    name: Any = None,
    validate_indices: Any = None,
    max_norm: Any = None,
) -> Tensor:
    del partition_strategy, name, validate_indices, max_norm
    if isinstance(params, ListValue | tuple | list):
        params = as_items(params)[0]
    return op_of("gather", convert(params), index_tensor(ids), axis=0)


@model("tensorflow.scatter_nd")
def scatter_nd(indices: Any, updates: ArrayLike, shape: Any, name: Any = None) -> Tensor:
    del name
    made = convert(updates)
    zero = cast_to(convert(0), dtype_of(made))
    return op_of("scatter_nd", op_of("fill", sizes_of(shape), zero), index_tensor(indices), made, reduction="add")


def _scatter(reduction: str) -> Callable[..., Any]:
    def function(tensor: ArrayLike, indices: Any, updates: Any, name: Any = None) -> Tensor:
        del name
        x = convert(tensor)
        return op_of("scatter_nd", x, index_tensor(indices), alongside(updates, x), reduction=reduction)

    return function


model("tensorflow.tensor_scatter_nd_update", "tensorflow.compat.v1.tensor_scatter_update")(_scatter("none"))
model("tensorflow.tensor_scatter_nd_add", "tensorflow.compat.v1.tensor_scatter_add")(_scatter("add"))
model("tensorflow.tensor_scatter_nd_max")(_scatter("max"))
model("tensorflow.tensor_scatter_nd_min")(_scatter("min"))


@model("tensorflow.tensor_scatter_nd_sub", "tensorflow.compat.v1.tensor_scatter_sub")
def tensor_scatter_nd_sub(tensor: ArrayLike, indices: Any, updates: Any, name: Any = None) -> Tensor:
    del name
    x = convert(tensor)
    less = op_of("neg", alongside(updates, x))
    return op_of("scatter_nd", x, index_tensor(indices), less, reduction="add")


@model("tensorflow.where", "tensorflow.compat.v1.where_v2")
def where(condition: ArrayLike, x: Any = None, y: Any = None, name: Any = None) -> Tensor:
    """Elements of one or the other; with the condition alone the places where it is true, one row for each."""
    del name
    test = convert(condition)
    if x is None and y is None:
        return op_of("transpose", op_of("nonzero", test), perm=(1, 0))
    demand(x is not None and y is not None, "x and y are both given or neither", "illegal-argument")
    return op_of("where", test, *matched(x, y))


@model("tensorflow.compat.v1.where")
def where_of_rows(condition: ArrayLike, x: Any = None, y: Any = None, name: Any = None) -> Tensor:
    """The first generation: x and y are of one shape, and so is the condition, or it has one element for each row."""
    if x is None or y is None:
        return where(condition, x, y)
    test = convert(condition)
    one, other = matched(x, y)
    rows, dims = dims_of(test), dims_of(one)
    if rows is not None and dims is not None and len(rows) == 1 and len(dims) > 1:
        test = op_of("unsqueeze", test, tuple(range(1, len(dims))))
    return op_of("where", test, one, other)


@model("tensorflow.boolean_mask")
def boolean_mask(tensor: ArrayLike, mask: Any, axis: Any = None, name: Any = "boolean_mask") -> Tensor:
    del name
    x, test = convert(tensor), cast_to(convert(mask), dtypes.bool_)  # Numbers other than 0 count as true.
    skipped = 0 if axis is None or isinstance(axis, str) else axis_of(axis)
    if not skipped:
        return masked(x, test)
    dims, rows = dims_or_undecided(x), dims_or_undecided(test)
    kept = symbol(machine().fresh("kept"))
    return typed("boolean_mask", [x, test], dtype_of(x), *dims[:skipped], kept, *dims[skipped + len(rows) :])


@model("tensorflow.one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: DType | None = None,
    name: Any = None,
) -> Tensor:
    del name
    on, off = matched(1 if on_value is None else on_value, 0 if off_value is None else off_value)
    natural = dtype_of(on) if on_value is not None else dtype_of(off) if off_value is not None else dtypes.f32
    wanted = dtype or natural
    values = op_of("stack", cast_to(off, wanted), cast_to(on, wanted), axis=0)
    where_to = -1 if axis is None else axis_of(axis)
    return op_of("one_hot", index_tensor(indices), as_size(depth, "classes"), values, axis=where_to)


def _distinct(x: ArrayLike, out_idx: DType | None) -> tuple[tuple[str, Tensor], ...]:
    made = convert(x)
    demand(rank_of(made) in (1, None), "elements of a row", "rank-differs")
    values, _, places, counts = emit_all("unique", made, count=4, kind=Tensor, sorted=False)
    wanted = out_idx or dtypes.i32
    return ("y", values), ("idx", cast_to(places, wanted)), ("count", cast_to(counts, wanted))


@model("tensorflow.unique")
def unique(x: ArrayLike, out_idx: DType | None = dtypes.i32, name: Any = None) -> Any:
    del name
    return Record(*_distinct(x, out_idx)[:2])


@model("tensorflow.unique_with_counts")
def unique_with_counts(x: ArrayLike, out_idx: DType | None = dtypes.i32, name: Any = None) -> Any:
    del name
    return Record(*_distinct(x, out_idx))


@model("tensorflow.dynamic_partition")
def dynamic_partition(data: ArrayLike, partitions: Any, num_partitions: Any, name: Any = None) -> Any:
    del name
    x, chosen_parts = convert(data), index_tensor(partitions)
    rest = dims_or_undecided(x)[len(dims_or_undecided(chosen_parts)) :]
    if not isinstance(num_partitions, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an unknown number of parts")
    sizes = [symbol(machine().fresh("part")) for _ in range(num_partitions)]
    return ListValue(typed("dynamic_partition", [x], dtype_of(x), size, *rest) for size in sizes)


@model("tensorflow.dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: Any = None) -> Tensor:
    del name
    parts = [convert(each) for each in as_items(data)]
    places = [index_tensor(each) for each in as_items(indices)]
    rest = dims_or_undecided(parts[0])[len(dims_or_undecided(places[0])) :]
    return typed("dynamic_stitch", parts, dtype_of(parts[0]), symbol(machine().fresh("stitched")), *rest)


def _segments(reduction: str) -> Callable[..., Any]:
    def function(data: ArrayLike, segment_ids: Any, num_segments: Any = None, name: Any = None) -> Tensor:
        del name
        x, ids = convert(data), index_tensor(segment_ids)
        rest = dims_or_undecided(x)[len(dims_or_undecided(ids)) :]
        rows = as_size(num_segments, "segments") if num_segments is not None else symbol(machine().fresh("segments"))
        return opaque(f"segment_{reduction}", [x, ids], Known(dtype_of(x), (rows, *rest)), Tensor)

    return function


for _kind in ("sum", "mean", "max", "min", "prod", "sqrt_n"):
    model(f"tensorflow.math.unsorted_segment_{_kind}", f"tensorflow.compat.v1.unsorted_segment_{_kind}")(
        _segments(_kind)
    )
    if _kind != "sqrt_n":
        model(f"tensorflow.math.segment_{_kind}", f"tensorflow.compat.v1.segment_{_kind}")(_segments(_kind))


@model("tensorflow.math.bincount", "tensorflow.compat.v1.bincount")
def bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, **rest: Any) -> Tensor:
    x = index_tensor(arr)
    kind = dtypes.i32 if weights is None else dtype_of(convert(weights))
    rows = (dims_of(x) or ())[:1] if rest.get("axis") == -1 else ()
    limit = chosen(maxlength, minlength)
    exact = isinstance(maxlength, int) and maxlength == minlength
    return typed("bincount", [x], kind, *rows, as_size(limit) if exact else symbol(machine().fresh("bins")))


@model("tensorflow.math.confusion_matrix", "tensorflow.compat.v1.confusion_matrix")
def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: DType | None = dtypes.i32,
    name: Any = None,
) -> Tensor:  # fmt: skip
    del weights, name
    given = [convert(labels), convert(predictions)]
    size = symbol(machine().fresh("classes")) if num_classes is None else as_size(num_classes, "classes")
    return typed("confusion_matrix", given, dtype or dtypes.i32, size, size)


@model("tensorflow.math.invert_permutation", "tensorflow.compat.v1.invert_permutation")
def invert_permutation(x: Any, name: Any = None) -> Tensor:
    del name
    given = index_tensor(x)
    return cast_to(op_of("argsort", given, axis=0), dtype_of(given))


@model("tensorflow.searchsorted")
def searchsorted(
    sorted_sequence: Any, values: Any, side: Any = "left", out_type: DType | None = dtypes.i32, name: Any = None
) -> Tensor:
    del side, name
    sequence, wanted = matched(sorted_sequence, values)
    return typed("searchsorted", [sequence, wanted], out_type or dtypes.i32, *dims_or_undecided(wanted))


@model("tensorflow.histogram_fixed_width")
def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: DType | None = dtypes.i32, name: Any = None
) -> Tensor:
    del value_range, name
    return typed("histogram", [convert(values)], dtype or dtypes.i32, as_size(nbins, "bins"))


@model("tensorflow.edit_distance")
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: Any = "edit_distance") -> Tensor:
    del hypothesis, truth, normalize, name
    return typed("edit_distance", [], dtypes.f32, symbol(machine().fresh("batch")))
