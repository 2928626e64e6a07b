"""How an element deep in an execution changes with the inputs: a reverse sweep over the steps that were taken.

The sweep guides a search, so it may be rough: increasing and decreasing operators keep a small slope where theirs is
zero, and operators whose derivative is known along directions only are probed along a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.witness.adjoints import ADJOINTS
from mlvet.analyses.numerics.witness.execution import REFUSALS, Step
from mlvet.domains import dtypes
from mlvet.ops import REGISTRY, Effects, Op
from mlvet.ops.derivative import Jvp, Partials, ProductRule, SameMap, Zero
from mlvet.ops.index_map import AlongAxis, Elementwise, Moves, Reduces
from mlvet.ops.numeric import Monotone
from mlvet.ops.reduction import axes_of

Array: TypeAlias = NDArray[Any]

LEAK = 1e-4
MOST_PROBES = 128
MOST_WORK = 1 << 23
LARGE = 1e100


def sweep(steps: Sequence[Step], seeds: dict[int, Array], sources: Iterable[int]) -> dict[int, Array]:
    """The derivatives by the source arrays, told by identity, of what the seeds are derivatives of.

    Those of an operator that refuses operands in float64 are taken for zero.
    """
    gradients = dict(seeds)
    live = set(sources)
    for step in steps:
        if any(id(operand) in live for operand in step.operands):
            live.update(map(id, step.results))
    with np.errstate(all="ignore"):
        for step in reversed(steps):
            reached = [gradients.get(id(result)) for result in step.results]
            if all(each is None for each in reached):
                continue
            for result in step.results:
                gradients.pop(id(result), None)
            try:
                shares = list(_shares(step, reached, live))
            except REFUSALS:
                continue
            for index, share in shares:
                operand = step.operands[index]
                if id(operand) in live and _is_float(operand) and np.shape(share) == np.shape(operand):
                    kept = np.clip(np.nan_to_num(share, nan=0.0), -LARGE, LARGE)
                    earlier = gradients.get(id(operand))
                    gradients[id(operand)] = kept if earlier is None else earlier + kept
    return gradients


def _shares(step: Step, reached: Sequence[Array | None], live: Set[int]) -> Iterator[tuple[int, Array]]:
    """The derivatives by the operands of a step from those by its results."""
    op = REGISTRY.get(step.node.op)
    if op is None or not any(id(operand) in live for operand in step.operands):
        return
    wide = [np.asarray(operand).astype(np.float64) if _is_float(operand) else operand for operand in step.operands]
    if isinstance(op.index_map, Moves):
        yield from _moved(op, step, wide, reached)
        return
    gradient = reached[0]
    if gradient is None:
        return
    if step.node.op in ADJOINTS:
        yield from ADJOINTS[step.node.op](wide, gradient, **step.node.attributes)
        return
    for index, operand in enumerate(step.operands):
        if id(operand) not in live or not _is_float(operand):
            continue
        share = _share(op, step, wide, index, gradient)
        if share is not None:
            yield index, share


def _share(op: Op, step: Step, wide: list[Any], index: int, gradient: Array) -> Array | None:
    if isinstance(op.index_map, Elementwise) or isinstance(op.derivative, Partials) or op.name == "cast_like":
        slope = _slope(op, step, wide, index)
        return None if slope is None else _unbroadcast(gradient * slope, wide[index].shape)
    if isinstance(op.derivative, Zero):
        return None
    if index == 0 and isinstance(op.index_map, Reduces):
        return _spread(op, step, wide, gradient)
    if index == 0 and (isinstance(op.index_map, AlongAxis) or op.name in _NORMALISE_THE_REST):
        return _along(op, step, wide, gradient)
    if index == 0 and op.name == "batch_normalization":
        return gradient * _directional(op, step, wide, 0, np.ones_like(wide[0]))
    return _probed(op, step, wide, index, gradient)


def _slope(op: Op, step: Step, wide: list[Any], index: int) -> Any:
    """The partial derivatives of an elementwise operator by one operand."""
    leak = (LEAK if op.numeric.increasing else -LEAK) if isinstance(op.numeric, Monotone) else 0.0
    if op.name == "clip" and index == 0:
        leak = LEAK
    match op.derivative:
        case Partials(of):
            partials = of(*wide, **step.node.attributes)
            slope = partials[index] if index < len(partials) else None
        case Zero():
            slope = 1.0 if leak else None
        case _:
            slope = _directional(op, step, wide, index, np.ones_like(wide[index]))
    return None if slope is None else np.nan_to_num(np.asarray(slope, np.float64), posinf=LARGE, neginf=-LARGE) + leak


def _directional(op: Op, step: Step, wide: list[Any], index: int, along: Array) -> Array:
    """How the result changes as one operand moves."""
    attributes = step.node.attributes
    match op.derivative:
        case Jvp(of):
            directions: list[Any] = [None] * len(wide)
            directions[index] = along
            found = of(wide, directions, **attributes)
        case SameMap(operands):
            listed = range(len(wide)) if operands is None else operands
            if index not in listed:
                return np.zeros(np.shape(step.results[0]))
            changed = [np.zeros_like(w) if i in listed and w is not None else w for i, w in enumerate(wide)]
            changed[index] = along
            found = _reference(op, changed, attributes)
        case ProductRule(operands):
            if index not in operands:
                return np.zeros(np.shape(step.results[0]))
            found = _reference(op, [along if i == index else w for i, w in enumerate(wide)], attributes)
        case None:
            return _difference(op, step, wide, index, along)
        case _:
            return np.zeros(np.shape(step.results[0]))
    return np.asarray(found[0] if isinstance(found, tuple) else found, np.float64)


def _difference(op: Op, step: Step, wide: list[Any], index: int, along: Array) -> Array:
    """How the first result changes by running the operator on both sides of an operand."""
    if op.effects is not Effects.PURE:
        return np.zeros(np.shape(step.results[0]))
    length = 1e-4 * max(1.0, float(np.max(np.abs(wide[index]), initial=0.0)))
    sides = []
    for sign in (1.0, -1.0):
        moved = [wide[index] + sign * length * along if i == index else w for i, w in enumerate(wide)]
        found = _reference(op, moved, step.node.attributes)
        sides.append(np.asarray(found[0] if isinstance(found, tuple) else found, np.float64))
    return np.asarray((sides[0] - sides[1]) / (2 * length))


def _reference(op: Op, operands: Sequence[Any], attributes: Any) -> Any:
    if op.reference is None:
        raise TypeError(f"{op.name} has no reference")
    return op.reference(*operands, **attributes)


def _moved(op: Op, step: Step, wide: list[Any], reached: Sequence[Array | None]) -> Iterator[tuple[int, Array]]:
    """Elements that only moved: the operator on numbered elements tells whence."""
    assert isinstance(op.index_map, Moves)
    listed = range(len(wide)) if op.index_map.operands is None else op.index_map.operands
    moving = [index for index in listed if index < len(wide) and _is_float(step.operands[index])]
    numbered, start, starts = list(wide), 0, []
    for index in moving:
        size = wide[index].size
        numbered[index] = (np.arange(start, start + size) + 0.25).reshape(wide[index].shape)
        starts.append((index, start, size))
        start += size
    found = _reference(op, numbered, step.node.attributes)
    total = np.zeros(start)
    for numbers, gradient in zip(found if isinstance(found, tuple) else (found,), reached, strict=False):
        if gradient is None:
            continue
        flat = np.asarray(numbers, np.float64).reshape(-1)
        real = np.isfinite(flat) & (flat - np.floor(flat) == 0.25) & (flat < start) & (flat >= 0)
        np.add.at(total, np.floor(flat[real]).astype(np.int64), np.reshape(gradient, -1)[real])
    for index, first, size in starts:
        yield index, total[first : first + size].reshape(wide[index].shape)


def _spread(op: Op, step: Step, wide: list[Any], gradient: Array) -> Array | None:
    """A reduction: each operand element gets its slope times the gradient of the result that it went into."""
    x, axes = wide[0], wide[1] if len(wide) > 1 else None
    reduced = axes_of(x, axes, bool(step.node.attributes.get("noop_with_empty_axes", False)))
    kept = [1 if axis in reduced else size for axis, size in enumerate(x.shape)]
    count = int(np.prod([x.shape[axis] for axis in reduced], dtype=int))
    above = gradient.reshape(kept)
    if isinstance(op.derivative, SameMap):
        share = _directional(op, step, wide, 0, np.ones_like(x)).reshape(kept) / max(count, 1)
        return np.asarray(np.broadcast_to(above * share, x.shape))
    if count * x.size > MOST_WORK:
        return _guessed(op, step, wide, 0, gradient)
    rows = np.moveaxis(x, reduced, range(len(reduced)))
    shape = rows.shape[: len(reduced)]
    result = np.zeros_like(x)
    for place in np.ndindex(*shape):
        along = np.zeros(rows.shape)
        along[place] = 1.0
        direction = np.moveaxis(along, range(len(reduced)), reduced)
        result += direction * (above * _directional(op, step, wide, 0, direction).reshape(kept))
    return np.asarray(result)


_NORMALISE_THE_REST = ("layer_normalization", "rms_normalization")
"""Operators along an axis and all that follow it."""


def _along(op: Op, step: Step, wide: list[Any], gradient: Array) -> Array | None:
    """An operator along some axes: a probe for each place on them serves all rows."""
    x = wide[0]
    first = _axis(step) % x.ndim
    axes = tuple(range(first, x.ndim if op.name in _NORMALISE_THE_REST else first + 1))
    sizes = [x.shape[axis] for axis in axes]
    if int(np.prod(sizes)) * x.size > MOST_WORK:
        return _guessed(op, step, wide, 0, gradient)
    result = np.zeros_like(x)
    for place in np.ndindex(*sizes):
        where: Any = (*(slice(None),) * first, *place)
        along = np.zeros_like(x)
        along[where] = 1.0
        result[where] = np.sum(gradient * _directional(op, step, wide, 0, along), axis=axes)
    return np.asarray(result)


def _axis(step: Step) -> int:
    """The axis by attribute, or by operand as running sums have it."""
    if "axis" in step.node.attributes or len(step.operands) < 2 or np.size(step.operands[1]) != 1:
        return int(step.node.attributes.get("axis", -1))
    found = np.asarray(step.operands[1])
    return int(found.reshape(-1)[0]) if found.dtype.kind in "iu" else -1


def _probed(op: Op, step: Step, wide: list[Any], index: int, gradient: Array) -> Array | None:
    x = wide[index]
    if x.size > MOST_PROBES:
        return _guessed(op, step, wide, index, gradient)
    result = np.zeros(x.size)
    for place in range(x.size):
        along = np.zeros(x.size)
        along[place] = 1.0
        result[place] = np.sum(gradient * _directional(op, step, wide, index, along.reshape(x.shape)))
    return result.reshape(x.shape)


def _guessed(op: Op, step: Step, wide: list[Any], index: int, gradient: Array) -> Array:
    """A few random directions, each weighted by how the goal changes along it."""
    rng = np.random.default_rng(0)
    x = wide[index]
    result = np.zeros_like(x)
    for _ in range(8):
        along = np.where(rng.random(x.shape) < 0.5, -1.0, 1.0)
        result += along * np.nan_to_num(np.sum(gradient * _directional(op, step, wide, index, along)))
    return np.asarray(result)


def _unbroadcast(gradient: Array, shape: tuple[int, ...]) -> Array:
    extra = gradient.ndim - len(shape)
    summed = gradient.sum(axis=tuple(range(extra))) if extra else gradient
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1 and summed.shape[axis] != 1)
    return np.asarray(summed.sum(axis=axes, keepdims=True) if axes else summed)


def _is_float(operand: Any) -> bool:
    if not isinstance(operand, np.ndarray | np.generic) or operand.dtype.kind in "OUScmM":
        return False
    return dtypes.of(operand.dtype).is_float
