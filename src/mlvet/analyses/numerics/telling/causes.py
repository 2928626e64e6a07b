"""The cause behind a hazard, where the operands tell it: an epsilon that vanishes, a difference that rounding ruins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite, log2
from typing import Any

from mlvet.analyses.numerics.checks import ANYTHING, HALF_OVERFLOW, OVERFLOW
from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.telling.hazard_rule import number
from mlvet.analyses.shapes.inference import Inference
from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.danger import Near, Outside, Overflow
from mlvet.ops.numeric import Range

LOST = "lost-epsilon"
CANCELLED = "cancellation"
_STEPS = 8
_ULPS = 64
_PASSING = frozenset("identity cast reshape expand squeeze unsqueeze broadcast_to transpose flatten".split())
_SQUARES = frozenset(("square", "mul", "pow"))
_MEANS = frozenset(("reduce_mean",))


@dataclass(frozen=True, slots=True)
class Cause:
    """The rule that a hazard falls under, and why in words."""

    rule: str
    because: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the values of a graph come from and what they can be."""

    makers: Mapping[Value, Node]
    intervals: Mapping[Value, Interval]
    inference: Inference
    stored: Mapping[Value, Any]

    @staticmethod
    def of(
        graph: Graph, makers: Mapping[Value, Node], intervals: Mapping[Value, Interval], inference: Inference
    ) -> Sources:
        stored = {item.value: item.data for region in graph.regions() for item in region.constants}
        return Sources(makers, intervals, inference, stored)

    def maker(self, value: Value | None) -> Node | None:
        return None if value is None else self.makers.get(value)

    def interval(self, value: Value | None) -> Interval:
        return Interval(-inf, inf, True) if value is None else self.intervals.get(value, Interval(-inf, inf, True))

    def constant(self, value: Value | None) -> float | None:
        """The number that all elements of a value are, if it is known."""
        interval = self.interval(value)
        return interval.low if interval.low == interval.high and isfinite(interval.low) and not interval.nan else None

    def dtype(self, value: Value) -> DType:
        return self.inference.type_of(value).dtype or dtypes.f32

    def same_elements(self, left: Value | None, right: Value | None) -> bool:
        """Whether two operands are one value or hold the same stored integers."""
        if left is right:
            return True
        if left is None or right is None or left not in self.stored or right not in self.stored:
            return False
        try:
            return bool(self.stored[left].load().tolist() == self.stored[right].load().tolist())
        except (UnsupportedInput, OSError, ValueError):
            return False


def refined(hazard: Hazard, sources: Sources, known: frozenset[str]) -> Cause:
    """The rule of a hazard: a finer cause if one is found, its own if `known` has it, else one by what arises."""
    safe = safe_numbers(hazard)
    if safe is not None and hazard.operand is not None and not hazard.backward:
        operand = hazard.node.inputs[hazard.operand]
        if operand is not None and sources.dtype(operand).is_float:
            because = _lost(operand, hazard, safe, sources) or ""
            if because:
                return Cause(LOST, because)
            because = _cancelled(operand, hazard, safe, sources) or ""
            if because:
                return Cause(CANCELLED, because)
    if _only_overflows(hazard, sources):
        narrow = sources.dtype(hazard.node.outputs[0]).bits <= 16
        return Cause(HALF_OVERFLOW if narrow else OVERFLOW)
    softmax = hazard.node.op in ("softmax", "log_softmax") and hazard.rule == "outside-domain"
    rule = "softmax-of-infinity" if softmax else hazard.rule
    return Cause(rule if rule in known else _by_outcome(hazard))


def _only_overflows(hazard: Hazard, sources: Sources) -> bool:
    """Whether it can only be an overflow, though not named so.

    NaN of finite operands comes of sums or products that overflow on the way; infinity of powers that are not negative.
    """
    node = hazard.node
    if node.op == "pow":
        return hazard.outcome is Outcome.INFINITY and not hazard.backward and sources.interval(node.inputs[1]).low >= 0
    op = REGISTRY.get(node.op)
    adds = op is not None and any(
        isinstance(danger, Overflow) and danger.rule == OVERFLOW for danger in op.danger or ()
    )
    finite = all(sources.interval(value).finite for value in node.inputs if value is not None)
    return hazard.rule == ANYTHING and adds and finite


def safe_numbers(hazard: Hazard) -> Range | None:
    """The numbers that the guilty operand should be, if the operator tells them; a pole leaves out its point."""
    op = REGISTRY.get(hazard.node.op)
    for danger in (op.danger or ()) if op is not None else ():
        match danger:
            case Outside(safe=safe, operand=operand) if operand == hazard.operand:
                return safe
            case Near(point=point, operand=operand) if operand == hazard.operand:
                above = abs(hazard.interval.high - point) >= abs(hazard.interval.low - point)
                return Range(low=point, open_low=True) if above else Range(high=point, open_high=True)
            case _:
                pass
    return None


def _by_outcome(hazard: Hazard) -> str:
    if hazard.backward:
        return "infinite-gradient"
    if hazard.operand is not None and not hazard.rule.endswith("overflow"):
        return "outside-domain"
    return "not-a-number" if hazard.outcome is Outcome.NAN else "arithmetic-overflow"


def excess(interval: Interval, safe: Range) -> float:
    """How far an interval reaches beyond the safe numbers: 0 at an open end, infinite if it has no limit."""
    return max(
        safe.low - interval.low if isfinite(safe.low) else 0.0,
        interval.high - safe.high if isfinite(safe.high) else 0.0,
    )


def spacing(magnitude: float, dtype: DType) -> float:
    """The gap between neighbouring numbers of that size."""
    if not dtype.is_float:
        return 1.0
    if magnitude < dtype.smallest or not isfinite(magnitude):
        return dtype.smallest * dtype.epsilon if magnitude < dtype.smallest else inf
    return float(dtype.epsilon * 2.0 ** min(floor(log2(magnitude)), 1023))


def _lost(operand: Value, hazard: Hazard, safe: Range, sources: Sources) -> str | None:
    """A constant that was added in vain, so that the operand has lost its distance to the danger."""
    for node, later in _additions(operand, sources):
        dtype = sources.dtype(node.outputs[0])
        for position, other in ((0, 1), (1, 0)):
            constant = sources.constant(node.inputs[position])
            beside = sources.interval(node.inputs[other])
            if not constant or beside.empty or not beside.finite:
                continue
            least = 0.0 if beside.low <= 0 <= beside.high else min(abs(beside.low), abs(beside.high))
            magnitude = max(abs(beside.low), abs(beside.high)) if later else least
            gap = spacing(magnitude, dtype)
            if abs(constant) < gap / 2 and abs(constant) < magnitude and excess(hazard.interval, safe) <= 4 * gap:
                verb = "adds" if node.op == "add" else "subtracts" if position == 1 else "starts from"
                name = node.source_op or node.op
                return f"the {number(constant)} that `{name}` {verb} is lost beside {number(magnitude)} in {dtype}"
    return None


def _additions(operand: Value, sources: Sources) -> Iterator[tuple[Node, bool]]:
    """Sums and differences that the operand is made of, and whether another one follows on the way to it."""
    waiting: list[tuple[Value | None, bool]] = [(operand, False)]
    for _ in range(_STEPS):
        if not waiting:
            return
        value, later = waiting.pop(0)
        node = sources.maker(value)
        if node is None:
            continue
        if node.op in ("add", "sub") and len(node.inputs) == 2:
            yield node, later
            waiting += [(each, True) for each in node.inputs]
        elif node.op in _PASSING or node.op == "neg":
            waiting.append((node.inputs[0], later))
        elif node.op == "mul":
            waiting += [(each, later) for each in node.inputs if sources.constant(each) is None][:1]


def _cancelled(operand: Value, hazard: Hazard, safe: Range, sources: Sources) -> str | None:
    """A difference that in real numbers is safe, but not after rounding."""
    node, added = _difference(operand, sources)
    if node is None or safe.low != 0:
        return None
    name = node.source_op or node.op
    if node.op == "sub" and _is_variance(node, sources) and (added > 0 or not safe.open_low):
        return f"the mean of squares less the square of the mean is not negative, but `{name}` can round it below 0"
    left, right = (sources.interval(each) for each in node.inputs)
    if hazard.interval.low < 0 and left.finite and right.finite and not left.empty and not right.empty:
        magnitude = max(abs(left.low), abs(right.high if node.op == "sub" else right.low))
        if excess(hazard.interval, safe) <= _ULPS * spacing(magnitude, sources.dtype(node.outputs[0])):
            return f"in real numbers it is not negative, but `{name}` can round it below 0"
    return None


def _difference(operand: Value, sources: Sources) -> tuple[Node | None, float]:
    """The difference that the operand is, apart from constants that are added to it and their sum."""
    value: Value | None = operand
    added = 0.0
    for _ in range(_STEPS):
        node = sources.maker(value)
        if node is None:
            return None, added
        constants = [sources.constant(each) for each in node.inputs]
        if node.op in _PASSING:
            value = node.inputs[0]
        elif node.op == "add" and any(each is not None for each in constants):
            index = 0 if constants[0] is not None else 1
            if (constants[index] or 0.0) < 0 and len(constants) == 2:
                return node, added
            added += constants[index] or 0.0
            value = node.inputs[1 - index]
        elif node.op == "sub" or (node.op == "add" and any(sources.interval(each).low < 0 for each in node.inputs)):
            return node, added
        else:
            return None, added
    return None, added


def _is_variance(node: Node, sources: Sources) -> bool:
    """Whether a difference is E[x*x] - E[x]*E[x] over the same axes."""
    mean, square = (_through(sources.maker(each), sources) for each in node.inputs)
    if mean is None or square is None or mean.op not in _MEANS:
        return False
    squared = _square_of(_through(sources.maker(mean.inputs[0]), sources), sources)
    other = _through(sources.maker(_square_of(square, sources)), sources)
    if squared is None or other is None or other.op != mean.op or other.inputs[0] is not squared:
        return False
    axes = [each.inputs[1] if len(each.inputs) > 1 else None for each in (mean, other)]
    return sources.same_elements(*axes) and _without_keepdims(mean) == _without_keepdims(other)


def _through(node: Node | None, sources: Sources) -> Node | None:
    for _ in range(_STEPS):
        if node is None or node.op not in _PASSING:
            return node
        node = sources.maker(node.inputs[0])
    return node


def _square_of(node: Node | None, sources: Sources) -> Value | None:
    """What a node squares."""
    if node is None or node.op not in _SQUARES:
        return None
    if node.op == "mul":
        return node.inputs[0] if node.inputs[0] is node.inputs[1] else None
    if node.op == "pow":
        return node.inputs[0] if sources.constant(node.inputs[1]) == 2 else None
    return node.inputs[0]


def _without_keepdims(node: Node) -> dict[str, Any]:
    return {key: value for key, value in node.attributes.items() if key != "keepdims"}
