"""Operators that combine the elements along axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from mlvet.analyses.numerics.values import relations
from mlvet.analyses.numerics.values.abstract import Abstract, Attained, Extreme, shape_of
from mlvet.analyses.numerics.values.refusals import NoRule
from mlvet.domains import boxes, grids
from mlvet.domains.boxes import Box
from mlvet.domains.dims import may_be_empty
from mlvet.domains.dtypes import DType
from mlvet.domains.grids import Cuts
from mlvet.domains.intervals import Interval, point, whole
from mlvet.domains.tensors import Tensor
from mlvet.ops import Op
from mlvet.ops.numeric import Reduction

if TYPE_CHECKING:
    from mlvet.analyses.numerics.values.transfer import Transfer


def reduction(
    run: Transfer, op: Op, kind: Reduction, operands: Sequence[Abstract | None], attributes: Any, out: Tensor
) -> Abstract:
    x = operands[0]
    assert x is not None
    axes = reduced_axes(x, operands[1] if len(operands) > 1 else None, attributes)
    if axes == ():
        return replace(x, number=run.fresh(), dtype=shape_of(out)[0], extremes=())
    if axes is None or x.dims is None:
        return _somehow(run, kind, x, out)
    counts = _counts(x, axes)
    box = _combined(run, kind.how, x, axes, counts, out)
    keeps = bool(attributes.get("keepdims", True))
    cuts = tuple(() if axis in axes else cut for axis, cut in enumerate(x.cuts))
    if not keeps:
        cuts = tuple(cut for axis, cut in enumerate(cuts) if axis not in axes)
        box = box.map(lambda array: array.reshape(grids.cells(cuts)))
    result = run.made(out, cuts, box)
    return replace(result, extremes=_extremes(kind.how, x, axes, result)) if run.relational else result


def reduced_axes(x: Abstract, axes: Abstract | None, attributes: Any) -> tuple[int, ...] | None:
    """The axes, counted from 0; None if they are not known."""
    given: list[int] = []
    if axes is not None:
        if axes.exact is None:
            return None
        given = [int(axis) for axis in np.ravel(axes.exact)]
    if x.dims is None:
        return None
    if not given:
        return () if attributes.get("noop_with_empty_axes", False) else tuple(range(x.rank))
    found = tuple(sorted({axis + x.rank if axis < 0 else axis for axis in given}))
    return found if all(0 <= axis < x.rank for axis in found) else None


def _counts(x: Abstract, axes: Sequence[int]) -> Any:
    """How many elements of each cell meet in one result; axes of unknown size together have less than `grids.MANY`."""
    assert x.dims is not None
    counts: Any = np.ones((1,) * x.rank)
    unknown = [axis for axis in axes if not isinstance(x.dims[axis], int)]
    for axis in [axis for axis in axes if axis not in unknown[1:]]:
        shape = [1] * x.rank
        shape[axis] = -1
        counts = counts * grids.element_counts(x.cuts[axis], x.dims[axis]).reshape(shape)
    return counts


def _open(x: Abstract, axes: Sequence[int]) -> bool:
    """Whether it is not known how many elements meet."""
    return x.dims is None or any(not isinstance(x.dims[axis], int) for axis in axes)


def _combined(run: Transfer, how: str, x: Abstract, axes: tuple[int, ...], counts: Any, out: Tensor) -> Box:
    """The elements of each cell combined, or what no elements are combined to."""
    dtype, _ = shape_of(out)
    dims = [x.dims[axis] for axis in axes] if x.dims is not None else []
    shape = boxes.hull(x.box, axes).low.shape
    nothing = boxes.of_interval(_of_nothing(how, dtype), shape)
    if 0 in dims:
        return nothing
    found = _of_elements(run, how, x, axes, counts, dtype)
    return boxes.join(found, nothing) if any(may_be_empty(dim) for dim in dims) else found


def _of_elements(run: Transfer, how: str, x: Abstract, axes: tuple[int, ...], counts: Any, dtype: DType) -> Box:
    match how:
        case "sum":
            total = _sum(x, axes, counts, dtype)
            return _raised(run, x, axes, total, how)
        case "mean":
            return _mean(x, axes, counts, dtype)
        case "max":
            return _raised(run, x, axes, _pick(x.box, axes, np.maximum), how)
        case "min":
            return _raised(run, x, axes, _pick(x.box, axes, np.minimum), how)
        case "product":
            return _product(x, axes, counts, dtype)
        case "any" | "all":
            return _pick(x.box, axes, np.maximum if how == "any" else np.minimum)
        case "log_sum_exp":
            top = _pick(x.box, axes, np.maximum)
            number = np.broadcast_to(counts, x.box.low.shape).sum(axis=tuple(axes), keepdims=True)
            return boxes.fused(top.low, top.high + np.log(number), top.nan, dtype, steps=8)
    raise NoRule(how)


def _of_nothing(how: str, dtype: DType) -> Interval:
    """What no elements are combined to."""
    match how:
        case "mean":
            return Interval(inf, -inf, True) if dtype.is_float else whole(dtype)
        case "max" | "log_sum_exp":
            return point(-inf if dtype.is_float else dtype.least)
        case "min":
            return point(inf if dtype.is_float else dtype.largest)
        case "product" | "all":
            return point(1.0)
    return point(0.0)


def _sum(x: Abstract, axes: tuple[int, ...], counts: Any, dtype: Any) -> Box:
    full = boxes.total(x.box, counts, dtype, axes, keepdims=True)
    if not _open(x, axes):
        return full
    fewest = boxes.total(x.box, np.ones(x.box.low.shape), dtype, axes, keepdims=True)
    return boxes.join(full, fewest)


def _mean(x: Abstract, axes: tuple[int, ...], counts: Any, dtype: Any) -> Box:
    """Between the least and the greatest element, once the sum has not left the element type."""
    total = _sum(x, axes, counts, dtype)
    weights = np.broadcast_to(counts, x.box.low.shape)
    number = weights.sum(axis=tuple(axes), keepdims=True)
    with np.errstate(all="ignore"):
        hull = boxes.hull(x.box, axes)
        low = (x.box.low * weights).sum(axis=tuple(axes), keepdims=True) / number
        high = (x.box.high * weights).sum(axis=tuple(axes), keepdims=True) / number
        low, high = np.where(np.isfinite(low), low, hull.low), np.where(np.isfinite(high), high, hull.high)
        if _open(x, axes):
            low, high = hull.low, hull.high
        size = np.maximum(np.abs(hull.low), np.abs(hull.high))
        slack = np.minimum(number, 2.0**16) * dtype.epsilon * size if dtype.is_float else 1.0
        same_sign_low = np.where(hull.low >= 0, np.maximum(low - slack, 0.0), low - slack)
        same_sign_high = np.where(hull.high <= 0, np.minimum(high + slack, 0.0), high + slack)
    overflows = np.isinf(total.low) | np.isinf(total.high)
    mean = boxes.fused(same_sign_low, same_sign_high, hull.nan, dtype)
    return Box(
        np.where(overflows & np.isinf(total.low), -inf, mean.low),
        np.where(overflows & np.isinf(total.high), inf, mean.high),
        total.nan,
    )


def _pick(x: Box, axes: tuple[int, ...], choose: np.ufunc) -> Box:
    low, high = (choose.reduce(end, axis=axes, keepdims=True) for end in (x.low, x.high))
    return Box(low, high, np.logical_or.reduce(x.nan, axis=axes, keepdims=True))


def _product(x: Abstract, axes: tuple[int, ...], counts: Any, dtype: Any) -> Box:
    box = boxes.hull(x.box, axes)
    weights = np.broadcast_to(counts, x.box.low.shape)
    number = float(weights.sum(axis=tuple(axes)).max())
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(box.low), np.abs(box.high))
        most = np.power(np.maximum(size, 1.0), number) if _open(x, axes) else np.power(size, number)
        least = np.where(box.low >= 0, np.power(np.minimum(box.low, 1.0) if _open(x, axes) else box.low, number), -most)
        largest = max(float(np.power(np.maximum(size, 1.0), number).max()), 0.0)
        slack = 1.0 + min(number, 2.0**24) * (dtype.epsilon if dtype.is_float else 0.0)
    partial = not dtype.is_float or largest <= dtype.largest
    low = np.where(least > 0, least / slack, least * slack)
    found = boxes.fused(low, most * slack, box.nan, dtype, steps=2)
    if partial:
        return found
    crosses = (box.low <= 0) & (box.high >= 0)
    return Box(np.where(box.low >= 0, 0.0, -inf), np.full(found.low.shape, inf), found.nan | crosses)


def _raised(run: Transfer, x: Abstract, axes: tuple[int, ...], box: Box, how: str) -> Box:
    """What is attained somewhere along the axes bounds their maximum, minimum, and sum of nonnegative elements."""
    if not run.relational:
        return box
    low, high = box.low, box.high
    for fact in x.attained:
        if not fact.axes <= set(axes) or fact.interval.nan or fact.interval.empty:
            continue
        if how == "max":
            low = np.maximum(low, fact.interval.low)
        elif how == "min":
            high = np.minimum(high, fact.interval.high)
        elif how == "sum" and x.interval.low >= 0:
            low = np.maximum(low, fact.interval.low)
    return Box(np.minimum(low, high), high, box.nan)


def _extremes(how: str, x: Abstract, axes: tuple[int, ...], result: Abstract) -> tuple[Extreme, ...]:
    along = frozenset(axes)
    if how in ("max", "min"):
        return (Extreme(x.number, along, greatest=how == "max"),)
    if how == "sum" and x.interval.low >= 0 and not relations.may_wrap(result):
        return (Extreme(x.number, along, attains=False, total=True),)
    if how == "log_sum_exp" and x.dtype.is_float and x.interval.finite:
        slack = 16 * x.dtype.epsilon * max(1.0, abs(x.interval.low), abs(x.interval.high))
        return (Extreme(x.number, along, attains=False, slack=slack),)
    if how == "mean" and x.interval.low >= 0 and x.dims is not None:
        sizes = [x.dims[axis] for axis in axes]
        many = float(np.prod([size for size in sizes if isinstance(size, int)]))
        if all(isinstance(size, int) for size in sizes) and many * x.dtype.epsilon < 0.1:
            return (Extreme(x.number, along, attains=False, factor=many * (1 + 4 * x.dtype.epsilon), total=True),)
    return ()


def _somehow(run: Transfer, kind: Reduction, x: Abstract, out: Tensor) -> Abstract:
    """The elements of a tensor combined in groups of unknown size: as those of a vector of unknown length."""
    _, dims = shape_of(out)
    cuts: Cuts = grids.uncut(0 if dims is None else len(dims))
    vector = Abstract(x.dtype, (run.many,), grids.uncut(1), boxes.of_interval(x.interval, (1,)), x.number)
    box = _combined(run, kind.how, vector, (0,), _counts(vector, (0,)), out)
    return run.made(out, cuts, box.map(lambda array: array.reshape(grids.cells(cuts))))


def attained_by_softmax(x: Abstract, axis: int) -> tuple[Attained, ...]:
    """Some element of each slice has at least its share of the whole."""
    if x.dims is None:
        return ()
    size = x.dims[axis]
    share = 1.0 / size if isinstance(size, int) and size > 0 else 0.0
    return (Attained(frozenset({axis}), Interval(share * (1 - 1e-2), 1.0)),)


def kept_by_top_k(x: Abstract, result: Abstract, attributes: Any) -> Abstract:
    """The greatest (or least) elements along an axis: what one of them all is, one of these is, or more (or less)."""
    axis = x.axis(int(attributes.get("axis", -1)))
    if x.dims is None or result.dims is None or not 0 <= axis < x.rank:
        return result
    size = result.dims[axis]
    if not isinstance(size, int) or size < 1:
        return result
    hull = x.interval
    facts = []
    for fact in x.attained:
        if fact.axes == {axis} and not fact.interval.nan and not fact.interval.empty:
            low, high = (
                (fact.interval.low, hull.high) if attributes.get("largest", True) else (hull.low, fact.interval.high)
            )
            facts.append(Attained(fact.axes, Interval(low, high)))
    return replace(result, attained=tuple(facts), shares=axis if x.shares == axis else None)


def lit_by_one_hot(operands: Sequence[Abstract | None], attributes: Any, result: Abstract) -> Abstract:
    """Along the new axis one element is on, if no index is out of range; frameworks differ about negative ones."""
    indices, depth, values = operands[:3]
    if indices is None or depth is None or values is None or values.exact is None or values.exact.size != 2:
        return result
    if indices.interval.nan or indices.interval.low < 0 or indices.interval.high > depth.interval.low - 1:
        return result
    on = float(values.exact.reshape(-1)[1])
    axis = result.axis(int(attributes.get("axis", -1)))
    return replace(result, attained=(Attained(frozenset({axis}), Interval(on, on)),))
