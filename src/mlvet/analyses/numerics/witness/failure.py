"""Whether a hazard happens in a step of an execution, and which operand element did it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness.execution import REFUSALS, Step
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.ops import REGISTRY, Op
from mlvet.ops.danger import AllAt, Danger, GradientAt, Near, Outside, Overflow
from mlvet.ops.derivative import Jvp, Partials, ProductRule, SameMap
from mlvet.ops.index_map import Elementwise


@dataclass(frozen=True, slots=True)
class Failure:
    """What happened: the value, the operand element that did it if one did, and the outcome in words.

    `foreign` says that an operand was infinite already, which may be another node's failure.
    """

    value: str
    operand: float | None
    outcome: str
    foreign: bool = False


def danger_of(hazard: Hazard) -> Danger | None:
    """The facet of the operator that a hazard is named after."""
    op = REGISTRY.get(hazard.node.op)
    for danger in (op.danger or ()) if op is not None else ():
        if danger.rule == hazard.rule and hazard.operand in (None, danger.operand):
            return danger
    return None


def failure(hazard: Hazard, step: Step) -> Failure | None:
    """What happened in a step if the hazard did."""
    if hazard.backward or hazard.outcome is Outcome.GRADIENT:
        return _gradient(hazard, step)
    divided = _divided_by_zero(hazard, step)
    if divided is not None or hazard.outcome is Outcome.WRAPPED:
        return divided or _wrapped(hazard, step)
    for value, result in zip(hazard.node.outputs, step.results, strict=False):
        if _is_inexact(result) and not _all_finite(result):
            found = _forward(hazard, step, value.name, np.asarray(result))
            if found is not None:
                return found
    return None


def flushed(step: Step) -> Step | None:
    """The step as a backend takes it that has no subnormal numbers; None if there are none among the operands."""
    op = REGISTRY.get(step.node.op)
    if op is None or op.reference is None or step.node.regions:
        return None
    operands = [_without_subnormal(operand) if _is_float(operand) else operand for operand in step.operands]
    if all(mine is theirs for mine, theirs in zip(operands, step.operands, strict=True)):
        return None
    try:
        results = op.reference(*operands, **step.node.attributes)
    except REFUSALS:
        return None
    return Step(step.node, tuple(operands), results if isinstance(results, tuple) else (results,))


def _without_subnormal(operand: Any) -> Any:
    array = np.asarray(operand)
    size = np.abs(array.astype(np.float64))
    subnormal = (size > 0) & (size < dtypes.of(array.dtype).smallest)
    return np.where(subnormal, np.zeros_like(array), array) if subnormal.any() else operand


def _divided_by_zero(hazard: Hazard, step: Step) -> Failure | None:
    """A result of integers has no NaN; a divisor of zero stops the program or yields nonsense."""
    danger = danger_of(hazard)
    if not isinstance(danger, Near) or danger.operand >= len(step.operands):
        return None
    divisor = step.operands[danger.operand]
    if _is_inexact(step.results[0]) or not _is_number(divisor) or not np.any(np.asarray(divisor) == danger.point):
        return None
    return Failure(hazard.node.outputs[0].name, danger.point, "division by zero")


def _forward(hazard: Hazard, step: Step, name: str, result: NDArray[Any]) -> Failure | None:
    operands = [np.asarray(operand) for operand in step.operands if _is_inexact(operand)]
    nan, infinite = np.isnan(result), np.isinf(result)
    met_nan, met_infinity = _met(step, operands, result.shape, np.isnan), _met(step, operands, result.shape, np.isinf)
    fresh_nan, fresh = nan & ~met_nan, infinite & ~met_infinity & ~met_nan
    if hazard.outcome is Outcome.NAN:
        candidates = fresh_nan
    elif hazard.outcome is Outcome.INFINITY:
        candidates = fresh | (fresh_nan & ~met_infinity)
    else:
        candidates = fresh | fresh_nan
    if not candidates.any():
        return None
    clean = candidates & ~met_infinity
    chosen = clean if clean.any() else candidates
    place, operand = _guilty(hazard, step, chosen)
    if place is None:
        return None
    return Failure(name, operand, _spelled(result[place]), foreign=not clean.any())


def _met(step: Step, operands: Sequence[NDArray[Any]], shape: tuple[int, ...], test: Any) -> NDArray[np.bool_]:
    """For each result element whether an operand element of a kind may have reached it."""
    tests = [test(operand) for operand in operands]
    if not any(found.any() for found in tests):
        return np.zeros(shape, bool)
    op = REGISTRY.get(step.node.op)
    if op is not None and isinstance(op.index_map, Elementwise):
        together = np.zeros(shape, bool)
        for found in tests:
            together = together | np.broadcast_to(found, shape)
        return together
    return np.ones(shape, bool)


def _guilty(hazard: Hazard, step: Step, candidates: NDArray[np.bool_]) -> tuple[tuple[int, ...] | None, float | None]:
    """A result element that failed as the hazard says, and the operand element behind it, if one is."""
    first = tuple(int(i) for i in np.argwhere(candidates)[0])
    danger = danger_of(hazard)
    index = hazard.operand if danger is None or hazard.operand is not None else danger.operand
    operand = step.operands[index] if index is not None and index < len(step.operands) else None
    op = REGISTRY.get(step.node.op)
    if operand is None or not _is_number(operand) or op is None or not isinstance(op.index_map, Elementwise):
        return first, None
    try:
        spread = np.broadcast_to(np.asarray(operand), candidates.shape)
    except ValueError:
        return first, None
    fits = candidates & _in_danger(danger, spread)
    if not fits.any():
        return None, None
    place = tuple(int(i) for i in np.argwhere(fits)[0])
    return place, float(spread[place])


def _in_danger(danger: Danger | None, x: NDArray[Any]) -> NDArray[np.bool_]:
    """Which elements a facet blames; all, if it names no set of operand elements."""
    wide = x.astype(np.float64)
    match danger:
        case Outside(safe):
            below = wide <= safe.low if safe.open_low else wide < safe.low
            above = wide >= safe.high if safe.open_high else wide > safe.high
            return np.asarray(below | above)
        case Near(point) | GradientAt(point):
            dtype = dtypes.of(x.dtype)
            reach = sqrt(dtype.smallest) if dtype.is_float else 0.0
            return np.asarray(np.abs(wide - point) <= reach)
        case Overflow() | AllAt() | None:
            return np.ones(x.shape, bool)


def _gradient(hazard: Hazard, step: Step) -> Failure | None:
    op = REGISTRY.get(step.node.op)
    operands = [operand for operand in step.operands if _is_float(operand)]
    if op is None or not operands or not all(_all_finite(operand) for operand in operands):
        return None
    danger = danger_of(hazard)
    guilty = hazard.operand if hazard.operand is not None else danger.operand if danger is not None else None
    for index in [guilty] if guilty is not None else range(len(step.operands)):
        if index >= len(step.operands) or not _is_float(step.operands[index]):
            continue
        slope = slope_along(step, index)
        if slope is None or _all_finite(slope):
            continue
        bad = ~np.isfinite(slope)
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        outcome = f"gradient {'NaN' if np.isnan(slope[place]) else 'inf'}"
        operand = np.asarray(step.operands[index])
        element = float(operand[place]) if operand.shape == slope.shape else None
        return Failure(hazard.node.outputs[0].name, element, outcome)
    return None


def slope_along(step: Step, index: int) -> NDArray[Any] | None:
    """The derivative of the result as one operand moves in all its elements; None if there is none to compute."""
    try:
        return _slope(REGISTRY[step.node.op], step, index)
    except REFUSALS:
        return None


def _slope(op: Op, step: Step, index: int) -> NDArray[Any] | None:
    directions = [None] * len(step.operands)
    match op.derivative:
        case Partials(of):
            partials = of(*step.operands, **step.node.attributes)
            slope = partials[index] if index < len(partials) else None
        case Jvp(along):
            directions[index] = np.ones_like(step.operands[index])
            slope = along(step.operands, directions, **step.node.attributes)
        case SameMap() | ProductRule():
            changed = list(step.operands)
            changed[index] = np.ones_like(changed[index])
            slope = op.reference(*changed, **step.node.attributes) if op.reference is not None else None
        case _:
            slope = None
    slope = slope[0] if isinstance(slope, tuple) else slope
    return None if slope is None else np.asarray(slope)


def _wrapped(hazard: Hazard, step: Step) -> Failure | None:
    """An integer result that is not what the numbers say: a float out of range, or arithmetic that went round."""
    value, result = hazard.node.outputs[0], np.asarray(step.results[0])
    target = dtypes.of(result.dtype)
    if not target.is_integer or not step.operands:
        return None
    index = hazard.operand or 0
    source = step.operands[index]
    if _is_float(source):
        exact = np.trunc(np.asarray(source).astype(np.float64))
        outside = np.isfinite(exact) & _outside(exact, target)
    else:
        exactly = _exactly(step)
        if exactly is None or exactly.shape != result.shape:
            return None
        source, outside = None, _outside(exactly, target)
    if not outside.any():
        return None
    place = tuple(int(i) for i in np.argwhere(outside)[0])
    return Failure(value.name, float(np.asarray(source)[place]) if source is not None else None, "out of range")


def _outside(exact: NDArray[Any], target: DType) -> NDArray[np.bool_]:
    """Ends that float64 cannot tell from the next power of two are taken for it."""
    return np.asarray((exact > float(target.largest)) | (exact < float(target.least))
                      | ((exact == float(target.largest)) & (float(target.largest) > target.largest)))  # fmt: skip


def _exactly(step: Step) -> NDArray[Any] | None:
    op = REGISTRY.get(step.node.op)
    if op is None or op.reference is None or not all(_is_number(operand) for operand in step.operands[:2]):
        return None
    wide = [np.asarray(operand).astype(np.float64) for operand in step.operands[:2]]
    try:
        return np.asarray(op.reference(*wide, *step.operands[2:], **step.node.attributes))
    except REFUSALS:
        return None


def _is_float(operand: Any) -> bool:
    return _is_number(operand) and dtypes.of(np.asarray(operand).dtype).is_float


def _is_inexact(operand: Any) -> bool:
    return _is_float(operand) or (isinstance(operand, np.ndarray | np.generic) and operand.dtype.kind == "c")


def _is_number(operand: Any) -> bool:
    return isinstance(operand, np.ndarray | np.generic) and np.asarray(operand).dtype.kind not in "OUScmM"


def _all_finite(operand: Any) -> bool:
    return bool(np.isfinite(operand).all())


def _spelled(element: Any) -> str:
    return "NaN" if np.isnan(element) else "-inf" if np.real(element) < 0 and np.isinf(np.real(element)) else "inf"
