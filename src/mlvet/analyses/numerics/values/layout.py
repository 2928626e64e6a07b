"""Operators that move elements: cells and relations move with them where their boundaries survive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mlvet.analyses.numerics.values import elementwise
from mlvet.analyses.numerics.values.abstract import Abstract, Attained, regridded, shape_of, uniform
from mlvet.analyses.numerics.values.joining import concatenated
from mlvet.analyses.numerics.values.reshaping import reshaped
from mlvet.analyses.numerics.values.separable import Axes, moved, repeated, traced
from mlvet.domains import boxes
from mlvet.domains.boxes import Box
from mlvet.domains.intervals import EMPTY, Interval, point
from mlvet.domains.tensors import Tensor
from mlvet.ops import Op
from mlvet.ops.numeric import Selection

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer

Operands: TypeAlias = Sequence[Abstract | None]
Rule: TypeAlias = Callable[["Transfer", Op, Operands, Any, Sequence[Tensor]], list[Abstract] | None]

SEPARABLE = frozenset(
    "slice strided_slice slice_sizes split unstack transpose flip expand broadcast_to roll gather tile".split()
)
"""Each result axis runs through indices of one axis of operand 0."""
RESHAPES = frozenset("reshape flatten squeeze unsqueeze".split())
"""The elements in their order, cut into other axes."""
SAME = frozenset("identity stop_gradient read_variable assign print".split())
"""Operand 0 itself, or for `assign` operand 1."""
POOLS = frozenset("max_pool global_max_pool adaptive_max_pool center_crop_pad".split())
"""Elements that are near each other in space; what is known of a channel stays with it."""


def selection(
    run: Transfer, op: Op, kind: Selection, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Abstract]:
    """An operator whose results are made of elements of operands."""
    special = _SPECIAL.get(op.name)
    found = special(run, op, operands, attributes, outs) if special is not None else None
    return joined(run, kind, operands, outs) if found is None else found


def joined(run: Transfer, kind: Selection, operands: Operands, outs: Sequence[Tensor]) -> list[Abstract]:
    """One cell that holds all that can be chosen."""
    chosen = range(len(operands)) if kind.operands is None else kind.operands
    sources = [operands[index] for index in chosen if index < len(operands)]
    total = EMPTY if kind.fill is None else point(kind.fill)
    for source in sources:
        if source is not None:
            total = total.join(source.interval)
    if total.empty and not total.nan:
        return [run.unknown(out) for out in outs]
    first, *rest = outs
    return [uniform(first, total, run.fresh()), *(_like(run, out, first, total) for out in rest)]


def _like(run: Transfer, out: Tensor, first: Tensor, total: Interval) -> Abstract:
    """A further result: of the same elements if it is of their type, otherwise indices or counts."""
    return uniform(out, total, run.fresh()) if out.dtype == first.dtype else run.unknown(out)


def _same(run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]) -> list[Abstract] | None:
    source = operands[1 if op.name == "assign" else 0]
    if source is None:
        return None
    dtype, dims = shape_of(outs[0])
    same = replace(source, dtype=dtype)
    return [
        same if dims == source.dims or source.dims is not None else uniform(outs[0], source.interval, source.number)
    ]


def _separable(
    run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Abstract] | None:
    source = operands[0]
    if source is None or source.dims is None:
        return None
    if op.name in ("expand", "broadcast_to") and len(outs) == 1:
        return _expanded(run, source, outs[0])
    if op.name == "gather" and _merges_indices(operands):
        source = _along_other_axes(run, source, attributes.get("axis", 0))
    maps = _maps(run, op, source, operands, attributes, outs)
    if maps is None:
        return None
    others = tuple(-1 if other is None else other.number for other in operands[1:])
    key = (op.name, repr(sorted(attributes.items())), others)
    return [
        moved(run, source, axes, (key, index), out) for index, (axes, out) in enumerate(zip(maps, outs, strict=True))
    ]


def _maps(
    run: Transfer, op: Op, source: Abstract, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Axes] | None:
    """How the elements move, found once for all moves that are alike."""
    exact = [None if other is None else other.exact for other in operands[1:]]
    if any(other is not None and known is None for other, known in zip(operands[1:], exact, strict=True)):
        return traced(op, source, operands, attributes, outs)
    written = tuple(None if each is None else (each.dtype.str, each.shape, each.tobytes()) for each in exact)
    shapes = tuple(shape_of(out)[1] for out in outs)
    key = (op.name, repr(sorted(attributes.items())), source.dims, written, shapes)
    if key not in run.traced:
        run.traced[key] = traced(op, source, operands, attributes, outs)
    found: list[Axes] | None = run.traced[key]
    return found


def _expanded(run: Transfer, source: Abstract, out: Tensor) -> list[Abstract] | None:
    _, dims = shape_of(out)
    if dims is None or source.dims is None or len(dims) < source.rank:
        return None
    if dims == source.dims:
        return [replace(source, dtype=shape_of(out)[0])]
    return [moved(run, source, repeated(source, dims), ("broadcast", dims), out)]


def _merges_indices(operands: Operands) -> bool:
    return len(operands) > 1 and operands[1] is not None and operands[1].exact is None


def _along_other_axes(run: Transfer, source: Abstract, axis: int) -> Abstract:
    """The tensor with one cell along an axis whose indices are not known."""
    axis = source.axis(axis)
    if not 0 <= axis < source.rank or not source.cuts[axis]:
        return source
    cuts = tuple(() if index == axis else cut for index, cut in enumerate(source.cuts))
    return replace(source, cuts=cuts, box=regridded(source, cuts), number=run.fresh(), form=None, exact=None)


def _reshape(
    run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Abstract] | None:
    source = operands[0]
    dims = shape_of(outs[0])[1]
    if source is None or source.dims is None or dims is None:
        return None
    return [reshaped(run, source, outs[0])]


def _concat(
    run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Abstract] | None:
    parts = [part for part in operands if part is not None]
    _, dims = shape_of(outs[0])
    if dims is None or any(part.dims is None or len(part.dims) != len(dims) for part in parts) or not parts:
        return None
    axis = parts[0].axis(int(attributes.get("axis", 0)))
    if not 0 <= axis < len(dims):
        return None
    return [concatenated(run, parts, axis, outs[0])]


def _stack(run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]) -> list[Abstract] | None:
    parts = [part for part in operands if part is not None]
    _, dims = shape_of(outs[0])
    if dims is None or not parts or any(part.dims is None for part in parts):
        return None
    axis = int(attributes.get("axis", 0))
    axis = axis + len(dims) if axis < 0 else axis
    if not 0 <= axis < len(dims):
        return None
    thin = tuple(1 if index == axis else dim for index, dim in enumerate(dims))
    dtype, _ = shape_of(outs[0])
    return [concatenated(run, [reshaped(run, part, Tensor(dtype, thin)) for part in parts], axis, outs[0])]


def _where(run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]) -> list[Abstract] | None:
    condition, yes, no = operands[:3]
    if condition is None or yes is None or no is None:
        return None
    if op.name == "select" and condition.dims not in ((), yes.dims):
        condition = uniform(Tensor(condition.dtype, ()), condition.interval, run.fresh())
    return [chosen(run, condition, yes, no, outs[0])]


def chosen(run: Transfer, condition: Abstract, yes: Abstract, no: Abstract, out: Tensor) -> Abstract:
    """Elements of one tensor where a condition holds, of another where not."""
    result = elementwise.apply(run, [condition, yes, no], out, choose)
    if run.relational:
        for branch, holds in ((yes, condition.box.low > 0), (no, condition.box.high <= 0)):
            if branch.dims == result.dims and (yes.number == no.number or bool(holds.all())):
                return branch
    away = min(distance(yes), distance(no)) if run.relational else 0.0
    return replace(result, attained=_kept_by(condition, yes, no, result), away=away)


def distance(x: Abstract) -> float:
    """How far all elements are from 0."""
    return max(x.away, x.interval.low, -x.interval.high, 0.0)


def choose(condition: Box, yes: Box, no: Box, *_: Any) -> Box:
    always, never = condition.low > 0, condition.high <= 0
    both = boxes.join(yes, no)
    return Box(
        np.where(always, yes.low, np.where(never, no.low, both.low)),
        np.where(always, yes.high, np.where(never, no.high, both.high)),
        np.where(always, yes.nan, np.where(never, no.nan, both.nan)),
    )


def _kept_by(condition: Abstract, yes: Abstract, no: Abstract, result: Abstract) -> tuple[Attained, ...]:
    """Where the condition is known, each slice in which it holds somewhere attains an element of `yes`."""
    known = condition.exact
    if known is None or condition.dims is None or result.dims is None or known.ndim == 0:
        return ()
    offset = len(result.dims) - known.ndim
    facts = []
    for holds, source in ((known.astype(bool), yes), (~known.astype(bool), no)):
        for axis in range(known.ndim):
            if known.shape[axis] > 1 and holds.any(axis=axis).all():
                facts.append(Attained(frozenset({axis + offset}), source.interval))
    return tuple(facts[:3])


def _masked_fill(
    run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]
) -> list[Abstract] | None:
    x, mask, fill = operands[:3]
    return None if x is None or mask is None or fill is None else [chosen(run, mask, fill, x, outs[0])]


def _pool(run: Transfer, op: Op, operands: Operands, attributes: Any, outs: Sequence[Tensor]) -> list[Abstract] | None:
    source = operands[0]
    if source is None:
        return None
    first = per_channel(run, source, outs[0])
    return None if first is None else [first, *(run.unknown(out) for out in outs[1:])]


def per_channel(run: Transfer, source: Abstract, out: Tensor) -> Abstract | None:
    """The hull over space, with the cells along axes that keep their size and are cut everywhere else."""
    _, dims = shape_of(out)
    if source.dims is None or dims is None or len(dims) != len(source.dims) or len(dims) < 3:
        return None
    channels = {1, len(dims) - 1} if dims[1] == source.dims[1] else {len(dims) - 1}
    axis = next((axis for axis in sorted(channels) if source.cuts[axis] and dims[axis] == source.dims[axis]), None)
    if axis is None:
        return None
    cuts = tuple(cut if index == axis else () for index, cut in enumerate(source.cuts))
    return run.made(out, cuts, regridded(source, cuts))


_SPECIAL: dict[str, Rule] = {
    **dict.fromkeys(SEPARABLE, _separable),
    **dict.fromkeys(RESHAPES, _reshape),
    **dict.fromkeys(SAME, _same),
    **dict.fromkeys(POOLS, _pool),
    "concat": _concat,
    "stack": _stack,
    "where": _where,
    "select": _where,
    "masked_fill": _masked_fill,
}
