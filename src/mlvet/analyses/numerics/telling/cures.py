"""Cures: what removes a hazard, told only if the analysis of the changed graph agrees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import floor, isfinite, log, log10
from typing import Any

import numpy as np

from mlvet.analyses.numerics.analysis import Analysis
from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.analyses.numerics.checks import OVERFLOW
from mlvet.analyses.numerics.hazard import Hazard, Verdict
from mlvet.analyses.numerics.telling.causes import CANCELLED, LOST, Cause, safe_numbers
from mlvet.analyses.numerics.telling.hazard_rule import number
from mlvet.analyses.numerics.telling.sensitivity import LADDER, narrowed
from mlvet.analyses.shapes.inference import Inference
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Constant, Data, Graph, Node, Value
from mlvet.ir.slice import backward
from mlvet.ir.walk import users
from mlvet.ops import REGISTRY
from mlvet.ops.folding import REFUSALS
from mlvet.ops.require import Require

RECHECKED = "re-checked: the analysis finds no hazard there then"
_FAR = 1e4
"""A score that is as good as infinite for a softmax."""

Analyse = Callable[[Graph, Inference, Mapping[Value, Assumed]], Analysis]


@dataclass(frozen=True, slots=True)
class Cure:
    """What to do in words, with the operators that were put in to check it."""

    words: str
    operators: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.words} ({RECHECKED})"

    def to_json(self) -> dict[str, Any]:
        return {"words": self.words, "operators": list(self.operators), "rechecked": True}


@dataclass(slots=True)
class Draft:
    """A changed node under construction: what stands before it, and what that is."""

    inference: Inference
    nodes: list[Node] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    types: dict[Value, Tensor] = field(default_factory=dict)

    def constant(self, element: float, dtype: DType) -> Value:
        array = np.asarray(element).astype(dtype.numpy)
        value = Value(f"cure.{len(self.types)}", Tensor(dtype, ()))
        self.constants.append(Constant(value, Data(dtype, (), lambda: array)))
        self.types[value] = value.declared
        return value

    def add(self, op: str, *inputs: Value | None, **attributes: Any) -> Value:
        infer = REGISTRY[op].infer
        assert infer is not None
        operands = [None if each is None else self.types.get(each) or self.inference.type_of(each) for each in inputs]
        inferred = infer(*operands, require=Require(op), **attributes)
        tensor = (inferred[0] if isinstance(inferred, tuple) else inferred).without_value()
        value = Value(f"cure.{len(self.types)}", tensor)
        self.nodes.append(Node(value.name, op, inputs, (value,), attributes, source_op=op))
        self.types[value] = tensor
        return value


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that might help: the words for it, what is put in, and the node in its new form."""

    words: str
    draft: Draft
    node: Node


class Pharmacy:
    """Proposes cures for the hazards of one graph and checks them."""

    def __init__(
        self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], analysis: Analysis, analyse: Analyse
    ) -> None:
        self._graph = graph
        self._inference = inference
        self._ranges = ranges
        self._analysis = analysis
        self._analyse = analyse
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._users = users(graph)
        self._body = set(graph.body.nodes)

    def cure(self, hazard: Hazard, cause: Cause) -> Cure | None:
        """The first proposal for a hazard of the graph's body that the analysis finds nothing wrong with."""
        if hazard.node not in self._body:
            return None
        try:
            for proposal in self._proposals(hazard, cause):
                if self._helps(hazard, proposal):
                    return Cure(proposal.words, tuple(node.op for node in (*proposal.draft.nodes, proposal.node)))
        except REFUSALS:
            return None
        return None

    def _helps(self, hazard: Hazard, proposal: Proposal) -> bool:
        """Whether nothing that was safe before, and nothing new, is a hazard after the change.

        An overflow that needs inputs near the limits of their element type does not count, as it is no finding.
        """
        body = self._graph.body
        rest = tuple(node for node in body.nodes if node is not hazard.node)
        changed = replace(
            body,
            nodes=(*rest, *proposal.draft.nodes, proposal.node),
            constants=(*body.constants, *proposal.draft.constants),
        )
        inference = replace(self._inference, types={**self._inference.types, **proposal.draft.types})
        part = backward(replace(self._graph, body=changed), proposal.node.outputs)
        new = {proposal.node, *proposal.draft.nodes}
        left = self._left(self._analyse(part, inference, self._ranges), new)
        if left is not None and left and all(each.rule == OVERFLOW for each in left):
            guessed = [value for value, assumed in self._ranges.items() if assumed.origin is Origin.DTYPE]
            left = self._left(self._analyse(part, inference, narrowed(self._ranges, guessed, LADDER[-1])), new)
        return left == []

    def _left(self, found: Analysis, new: Collection[Node]) -> list[Hazard] | None:
        """The hazards of new nodes and of those that were safe before; None if a new node has no rule."""
        if any(found.verdicts.get(node) in (None, Verdict.UNKNOWN) for node in new):
            return None
        safe = self._analysis.verdicts
        return [each for each in found.hazards if each.node in new or safe.get(each.node) is Verdict.SAFE]

    def _proposals(self, hazard: Hazard, cause: Cause) -> Iterator[Proposal]:
        node = hazard.node
        if cause.rule == "half-precision-overflow":
            yield self._wider(node)
        if hazard.operand is None or hazard.operand >= len(node.inputs):
            return
        operand = node.inputs[hazard.operand]
        dtype = self._inference.type_of(operand).dtype if operand is not None else None
        if operand is None or dtype is None:
            return
        case = _Operand(hazard, operand, self._inference, dtype)
        match cause.rule:
            case "log-of-nonpositive":
                yield from self._log_space(node, operand)
                yield case.at_least_safe()
            case "sqrt-of-negative":
                yield case.at_least(0.0)
                yield case.at_least(epsilon(dtype))
            case "rsqrt-of-nonpositive" | "infinite-gradient":
                yield from case.plus_epsilon()
                yield case.at_least_safe()
            case "division-by-zero":
                yield from case.plus_epsilon()
                yield case.not_zero()
                yield from self._by_square(node, operand, case)
            case "exp-overflow":
                yield from self._less_maximum(node, operand, case)
                yield case.at_most(floor(log(self._largest(node))) - 1)
            case "all-masked-softmax":
                yield case.at_least(-_FAR, f"mask with {number(-_FAR)} or so in place of -inf")
            case "softmax-of-infinity":
                yield case.at_most(_FAR)
            case "cast-overflow":
                yield case.within(*self._holds(node, dtype))
            case "outside-domain":
                yield from case.in_domain()
            case "gradient-through-where":
                yield from self._selected_before(node, operand, case)
                yield case.at_least_safe()
            case _ if cause.rule in (LOST, CANCELLED):
                if cause.rule == LOST:
                    yield case.plus(epsilon(dtype), "add an epsilon last, after the difference")
                yield case.at_least_safe()
            case _:
                return

    def _largest(self, node: Node) -> float:
        return float((self._inference.type_of(node.outputs[0]).dtype or dtypes.f32).largest)

    def _holds(self, node: Node, dtype: DType) -> tuple[float, float]:
        """The integers that the result holds, as floats of the operand that do not round beyond them."""
        target = self._inference.type_of(node.outputs[0]).dtype or dtypes.i64
        low, high = float(target.least), float(target.largest)
        rounded = float(np.asarray(high).astype(dtype.numpy))
        if rounded > target.largest:
            rounded = float(np.nextafter(np.asarray(high).astype(dtype.numpy), np.asarray(0).astype(dtype.numpy)))
        return low, rounded

    def _wider(self, node: Node) -> Proposal:
        """The operator in float32."""
        draft = Draft(self._inference)
        inputs: list[Value | None] = []
        for value in node.inputs:
            tensor = self._inference.type_of(value) if value is not None else None
            if value is None or tensor is None or tensor.dtype is None or not tensor.dtype.is_float:
                inputs.append(value)
                continue
            inputs.append(draft.add("cast", value, to=dtypes.f32))
        for value in node.outputs:
            draft.types[value] = Tensor(dtypes.f32, self._inference.type_of(value).shape)
        attributes = {**node.attributes, **({"to": dtypes.f32} if "to" in node.attributes else {})}
        words = f"compute `{node.source_op or node.op}` in float32"
        return Proposal(words, draft, replace(node, inputs=tuple(inputs), attributes=attributes))

    def _log_space(self, node: Node, operand: Value) -> Iterator[Proposal]:
        """The logarithm of a softmax or sigmoid as one operator."""
        maker = self._makers.get(operand)
        for op, joint in (("softmax", "log_softmax"), ("sigmoid", "log_sigmoid")):
            if node.op == "log" and maker is not None and maker.op == op and maker.inputs[0] is not None:
                source = maker.inputs[0].name
                changed = replace(node, op=joint, inputs=maker.inputs, attributes=maker.attributes)
                yield Proposal(
                    f"take {joint}({source}) in place of log({op}({source}))", Draft(self._inference), changed
                )

    def _less_maximum(self, node: Node, operand: Value, case: _Operand) -> Iterator[Proposal]:
        """Subtract the maximum, where the exponentials are divided by their sum or the sum's logarithm is taken."""
        for total in self._users.get(node.outputs[0], ()):
            if total.op != "reduce_sum":
                continue
            after = {user.op for user in self._users.get(total.outputs[0], ())}
            name = operand.name
            if "div" in after:
                words = f"subtract the maximum first: exp({name} - max({name}))"
            elif "log" in after:
                words = f"subtract the maximum and add it again: max({name}) + log(sum(exp({name} - max({name}))))"
            else:
                continue
            draft = Draft(self._inference)
            attributes = {**total.attributes, "keepdims": True}
            top = draft.add("reduce_max", operand, *total.inputs[1:], **attributes)
            yield case.proposal(words, draft, draft.add("sub", operand, top))

    def _by_square(self, node: Node, operand: Value, case: _Operand) -> Iterator[Proposal]:
        """A quotient by a square that is kept from 0: a/b as a*b/(b*b + epsilon)."""
        if node.op not in ("div", "reciprocal") or not case.dtype.is_float:
            return
        draft = Draft(self._inference)
        small = epsilon(case.dtype)
        square = draft.add("add", draft.add("mul", operand, operand), draft.constant(small, case.dtype))
        above = operand if node.op == "reciprocal" else draft.add("mul", node.inputs[0], operand)
        name = operand.name
        first = node.inputs[0].name if node.op == "div" and node.inputs[0] is not None else ""
        words = f"take {first}{'*' if first else ''}{name} / ({name}*{name} + {number(small)}) in place of the quotient"
        yield Proposal(words, draft, replace(node, op="div", inputs=(above, square), attributes={}))

    def _selected_before(self, node: Node, operand: Value, case: _Operand) -> Iterator[Proposal]:
        """A harmless operand where the result is discarded."""
        for user in self._users.get(node.outputs[0], ()):
            if user.op != "where" or len(user.inputs) != 3 or user.inputs[0] is None:
                continue
            draft = Draft(self._inference)
            safe = draft.constant(1.0, case.dtype)
            taken = (operand, safe) if user.inputs[1] is node.outputs[0] else (safe, operand)
            chosen = draft.add("where", user.inputs[0], *taken)
            name = node.source_op or node.op
            condition = user.inputs[0].name
            words = (
                f"select before `{name}` too: give it 1 in place of `{operand.name}` where `{condition}` discards it"
            )
            yield case.proposal(words, draft, chosen)


@dataclass(frozen=True, slots=True)
class _Operand:
    """The guilty operand of a hazard, and ways to put something safe in its place."""

    hazard: Hazard
    value: Value
    inference: Inference
    dtype: DType

    def taken(self, operand: str) -> str:
        """The operator applied to something else."""
        op = self.hazard.node.op
        return f"divide by {operand}" if op in ("div", "floor_div", "mod") else f"take {op}({operand})"

    def proposal(self, words: str, draft: Draft, instead: Value) -> Proposal:
        node = self.hazard.node
        inputs = list(node.inputs)
        inputs[self.hazard.operand or 0] = instead
        return Proposal(words, draft, replace(node, inputs=tuple(inputs)))

    def at_least(self, least: float, words: str = "") -> Proposal:
        draft = Draft(self.inference)
        value = draft.add("max", self.value, draft.constant(least, self.dtype))
        return self.proposal(words or self.taken(f"max({self.value.name}, {number(least)})"), draft, value)

    def at_most(self, most: float) -> Proposal:
        draft = Draft(self.inference)
        value = draft.add("min", self.value, draft.constant(most, self.dtype))
        return self.proposal(self.taken(f"min({self.value.name}, {number(most)})"), draft, value)

    def within(self, low: float, high: float) -> Proposal:
        draft = Draft(self.inference)
        above = draft.add("max", self.value, draft.constant(low, self.dtype))
        value = draft.add("min", above, draft.constant(high, self.dtype))
        return self.proposal(f"clip `{self.value.name}` to [{number(low)}, {number(high)}] before", draft, value)

    def at_least_safe(self) -> Proposal:
        """At least the first number that is safe with room for rounding."""
        safe = safe_numbers(self.hazard)
        low = safe.low if safe is not None and isfinite(safe.low) else 0.0
        return self.at_least(low + epsilon(self.dtype) * max(1.0, 8 * abs(low)) if _open(safe) else low)

    def in_domain(self) -> Iterator[Proposal]:
        safe = safe_numbers(self.hazard)
        if safe is None:
            return
        room = 8 * epsilon(self.dtype)
        low = safe.low + (room if safe.open_low else 0.0)
        high = safe.high - (room if safe.open_high else 0.0)
        if isfinite(low) and isfinite(high):
            yield self.within(low, high)
        elif isfinite(low):
            yield self.at_least(low)

    def plus(self, added: float, words: str) -> Proposal:
        draft = Draft(self.inference)
        value = draft.add("add", self.value, draft.constant(added, self.dtype))
        return self.proposal(f"{words}: {self.taken(self._sum(added))}", draft, value)

    def plus_epsilon(self) -> Iterator[Proposal]:
        """Away from zero, where the operand has one sign; an integer is at least 1."""
        interval = self.hazard.interval
        if not self.dtype.is_float:
            if interval.low >= 0:
                yield self.at_least(1.0, f"divide by max({self.value.name}, 1)")
            return
        small = epsilon(self.dtype)
        if interval.low >= 0:
            yield self.plus(small, "add an epsilon")
        elif interval.high <= 0:
            yield self.plus(-small, "subtract an epsilon")

    def not_zero(self) -> Proposal:
        """The operand, but a small number where it is near zero."""
        draft = Draft(self.inference)
        small = draft.constant(epsilon(self.dtype) if self.dtype.is_float else 1, self.dtype)
        size = draft.add("abs", self.value)
        tiny = draft.add("less", size, small)
        value = draft.add("where", tiny, small, self.value)
        name, least = self.value.name, number(epsilon(self.dtype) if self.dtype.is_float else 1)
        return self.proposal(f"divide by where(|{name}| < {least}, {least}, {name})", draft, value)

    def _sum(self, added: float) -> str:
        return f"{self.value.name} {'+' if added >= 0 else '-'} {number(abs(added))}"


def epsilon(dtype: DType) -> float:
    """A small power of ten that does not vanish beside numbers up to 1: 1e-7 in float32, 1e-4 in float16."""
    if not dtype.is_float:
        return 1.0
    return max(10.0 ** floor(log10(dtype.epsilon)), dtype.smallest)


def _open(safe: Any) -> bool:
    return safe is None or bool(safe.open_low)
