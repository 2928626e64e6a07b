"""Gather and scatter, in the forms that indexing by arrays takes. Positions are taken to be in range."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.jaxpr.context import Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value


@lowers("gather")
def gather(context: Context) -> Value:
    """Whole rows by position along some axes, or elements by position along one with all others in step."""
    x, positions = context.operands
    numbers = context.param("dimension_numbers")
    indexed = list(numbers.start_index_map)
    sizes = context.param("slice_sizes")
    if tuple(numbers.operand_batching_dims):
        return _in_step(context, x, positions, numbers, sizes)
    rest = [axis for axis in range(context.rank(x)) if axis not in indexed]
    whole = all(context.dim(sizes[axis]) == context.dims(x)[axis] for axis in rest)
    if sorted(indexed) != list(numbers.collapsed_slice_dims) or not whole:
        raise Unlowered("windows")
    positions = _in_range(context, x, positions, indexed)
    places = context.rank(positions) - 1
    offsets = list(numbers.offset_dims)
    total = places + len(rest)
    others = [axis for axis in range(total) if axis not in offsets]
    order = [*others, *offsets]
    perm = [order.index(axis) for axis in range(total)]
    if len(indexed) == 1:
        axis = indexed[0]
        index = context.add("squeeze", positions, context.vector([places]))
        natural = [*range(axis, axis + places), *range(axis), *range(axis + places, total)]
        final = [natural[place] for place in perm]
        if final == sorted(final):
            return context.result("gather", x, index, axis=axis)
        found = context.add("gather", x, index, axis=axis)
        return context.result("transpose", found, perm=tuple(final))
    moved = context.transposed(x, [*indexed, *rest])
    if perm == sorted(perm):
        return context.result("gather_nd", moved, positions)
    return context.result("transpose", context.add("gather_nd", moved, positions), perm=tuple(perm))


def _in_step(context: Context, x: Value, positions: Value, numbers: Any, sizes: Any) -> Value:
    batch = list(numbers.operand_batching_dims)
    indexed = list(numbers.start_index_map)
    along = [axis for axis in range(context.rank(x)) if axis not in batch]
    in_order = list(numbers.start_indices_batching_dims) == batch
    if len(along) != 1 or indexed != along or tuple(numbers.offset_dims) or not in_order or any(s != 1 for s in sizes):
        raise Unlowered("windows in step")
    if context.rank(positions) != context.rank(x) + 1:
        raise Unlowered("positions of another rank")
    index = context.add("squeeze", positions, context.vector([context.rank(x)]))
    return context.result("gather_elements", x, index, axis=along[0])


def _in_range(context: Context, x: Value, positions: Value, indexed: list[int]) -> Value:
    """Positions as they are, clipped where the program asks for it."""
    if "CLIP" not in str(context.param("mode")).upper():
        return positions
    dims = [context.dims(x)[axis] for axis in indexed]
    dtype = context.dtype(positions)
    last = context.add("sub", context.cast(context.shape(dims), dtype), context.number(1, dtype))
    low = context.add("max", positions, context.number(0, dtype))
    return context.add("min", low, last, like=positions.declared)


REDUCTIONS = {"scatter": "none", "scatter-add": "add", "scatter_add": "add", "scatter-mul": "mul", "scatter_mul": "mul",
    "scatter-min": "min", "scatter_min": "min", "scatter-max": "max", "scatter_max": "max"}  # fmt: skip


@lowers(*REDUCTIONS)
def scatter(context: Context) -> Value:
    """Whole rows written by position along some axes, which go to the front meanwhile."""
    x, positions, updates = context.operands
    numbers = context.param("dimension_numbers")
    indexed = list(numbers.scatter_dims_to_operand_dims)
    rank = context.rank(x)
    rest = [axis for axis in range(rank) if axis not in indexed]
    windows = list(numbers.update_window_dims)
    if tuple(numbers.operand_batching_dims) or sorted(indexed) != list(numbers.inserted_window_dims):
        raise Unlowered("windows")
    if [context.dims(updates)[axis] for axis in windows] != [context.dims(x)[axis] for axis in rest]:
        raise Unlowered("parts of rows")
    places = [axis for axis in range(context.rank(updates)) if axis not in windows]
    updates = context.transposed(updates, [*places, *windows])
    perm = [*indexed, *rest]
    base = context.transposed(x, perm)
    reduction = REDUCTIONS[context.name]
    positions = context.cast(positions, dtypes.i64)
    if perm == sorted(perm):
        return context.result("scatter_nd", base, positions, updates, reduction=reduction)
    like = Tensor(x.declared.dtype, context.dims(base))
    written = context.add("scatter_nd", base, positions, updates, reduction=reduction, like=like)
    return context.result("transpose", written, perm=tuple(perm.index(axis) for axis in range(rank)))
