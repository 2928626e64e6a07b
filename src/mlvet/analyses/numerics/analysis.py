"""The abstract interpretation of a graph: what every value can be, and which operators can fail.

After a hazard the interpretation goes on as if it had not struck, so that each operator is judged by itself and one
cause yields one hazard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mlvet.analyses.numerics import checks, containers, correlated
from mlvet.analyses.numerics.aftermath import survivors
from mlvet.analyses.numerics.assumptions.ranges import Assumed
from mlvet.analyses.numerics.guards import SELECTIONS, Guards
from mlvet.analyses.numerics.hazard import Hazard, Outcome, Verdict
from mlvet.analyses.numerics.settings import Settings
from mlvet.analyses.numerics.values import maxima, norms, sizes, spans
from mlvet.analyses.numerics.values.abstract import Abstract, of_array, shape_of, uniform
from mlvet.analyses.numerics.values.refusals import REFUSED, NoRule
from mlvet.analyses.numerics.values.transfer import UNKNOWN_SIZE, Transfer
from mlvet.analyses.shapes.inference import Inference
from mlvet.core.errors import UnsupportedInput
from mlvet.domains import boxes, dtypes
from mlvet.domains.boxes import Box
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import Kind
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import CALL, OPAQUE, Constant, Graph, Node, Parameter, Region, Value
from mlvet.ir.walk import needs
from mlvet.ops import REGISTRY, Op

STORED = 1 << 26
"""Stored tensors of more elements than this are not read; they can be anything."""


@dataclass(slots=True)
class Analysis:
    """What was found out. `intervals` has all elements of a value together, in loops those of all rounds."""

    intervals: dict[Value, Interval] = field(default_factory=dict)
    hazards: list[Hazard] = field(default_factory=list)
    verdicts: dict[Node, Verdict] = field(default_factory=dict)
    analysed: int = 0
    unanalysed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    not_finite: list[tuple[Value, Interval]] = field(default_factory=list)


def analyse(
    graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], settings: Settings | None = None
) -> Analysis:
    """Interpret a graph whose inputs and free parameters lie within the ranges."""
    run = Run(graph, inference, ranges, settings or Settings())
    run.start()
    run.region(graph.body)
    run.finish()
    return run.result


class Run:
    """One interpretation under way."""

    def __init__(self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed], settings: Settings) -> None:
        self.graph = graph
        self.inference = inference
        self.ranges = ranges
        self.transfer = Transfer(settings, COUNTED if any(map(_counts, graph.nodes())) else UNKNOWN_SIZE)
        self.table: dict[Value, Abstract] = {}
        self.producers: dict[Value, Node] = {}
        self.result = Analysis()
        self.recording = True
        self.guards = Guards(self)
        self.contents: dict[str, Interval] = {}
        self.raws: dict[Value, Interval] = {}
        self.facts: dict[int, Interval] = {}
        self._hazards: dict[tuple[Node, bool], Hazard] = {}
        self._trained: set[Value] = set()
        self._written = {node.inputs[0] for node in graph.nodes() if node.op in _WRITES and node.inputs}
        self._spoilt: dict[Value, Hazard] = {}
        self._depth = 0

    def start(self) -> None:
        for parameter in self.graph.parameters:
            self.bind(parameter.value, self._parameter(parameter))
            if parameter.trainable and _floats(parameter.value.declared):
                self._trained.add(parameter.value)
        for value in self.graph.inputs:
            self.bind(value, self._assumed(value))

    def finish(self) -> None:
        """Take back what guards excuse, and count."""
        for (node, backward), hazard in self._hazards.items():
            if not backward and self.guards.excuse(node):
                self.result.verdicts[node] = Verdict.GUARDED
                if any(value in self._trained for value in node.inputs if value is not None):
                    self.result.hazards.append(
                        replace(hazard, rule="gradient-through-where", outcome=Outcome.GRADIENT, backward=True)
                    )
                continue
            self.result.hazards.append(hazard)
        known = [verdict for verdict in self.result.verdicts.values() if verdict is not Verdict.UNKNOWN]
        self.result.analysed = len(known)
        self.result.unanalysed = Counter(
            node.source_op or node.op for node, verdict in self.result.verdicts.items() if verdict is Verdict.UNKNOWN
        )

    def region(self, region: Region) -> list[Abstract]:
        """Interpret the nodes of a region whose inputs are bound, and return its outputs."""
        for item in region.constants:
            if item.value not in self.table:
                self.bind(item.value, self._stored(item))
        self._depth += 1
        for node in region.nodes:
            self.node(node)
        self._depth -= 1
        for value in region.outputs:
            self._blame(value)
        return [self.value(value) for value in region.outputs]

    def rehearse(self, region: Region) -> list[Abstract]:
        """Interpret a region without keeping what is found, because it will run again."""
        recording, self.recording = self.recording, False
        outputs = self.region(region)
        self.recording = recording
        return outputs

    def bind(self, value: Value, abstract: Abstract) -> None:
        """Say what a value is."""
        abstract = self.narrowed(abstract)
        self.table[value] = abstract
        if self.recording:
            seen = self.result.intervals.get(value)
            interval = abstract.interval
            self.result.intervals[value] = interval if seen is None else seen.join(interval)

    def narrowed(self, abstract: Abstract) -> Abstract:
        """A tensor under what the condition of the branch says of it."""
        fact = self.facts.get(abstract.number)
        return abstract if fact is None else self.guards.within(abstract, fact)

    def value(self, value: Value) -> Abstract:
        if value not in self.table:
            self.table[value] = self.transfer.unknown(self.type_of(value))
        return self.table[value]

    def type_of(self, value: Value) -> Tensor:
        return self.inference.type_of(value)

    def node(self, node: Node) -> None:
        from mlvet.analyses.numerics import control

        for value in node.outputs:
            self.producers[value] = node
        operands = [None if value is None else self.value(value) for value in node.inputs]
        outs = [self.type_of(value) for value in node.outputs]
        if not node.regions:
            outs = [_typed(out, operands) for out in outs]
        self._train(node)
        if node.regions and node.op in control.RULES:
            results = control.RULES[node.op](self, node, operands, outs)
            self._settle(node, results, outs, Verdict.SAFE)
            if node.op == CALL:
                yielded = zip(node.outputs, node.regions[0].outputs, strict=False)
                self._trained.update(value for value, inner in yielded if inner in self._trained)
            return
        if outs and all(0 in (shape_of(out)[1] or ()) for out in outs):
            self._settle(node, [], outs, Verdict.SAFE)
            return
        if node.op in containers.RULES:
            self._settle(node, containers.RULES[node.op](self, node, operands, outs), outs, Verdict.SAFE)
            return
        op = REGISTRY.get(node.op)
        types = [self.type_of(value) for value in node.inputs if value is not None]
        if op is None or node.op == OPAQUE or not all(_is_number(tensor) for tensor in (*types, *outs)):
            self._settle(node, [], outs, Verdict.UNKNOWN)
            return
        try:
            raw = self.raw(op, node, operands, outs)
            hazards = checks.forward(op, node, operands, raw) or self._among_finite(op, node, operands, outs)
        except NoRule:
            self._settle(node, [], outs, Verdict.UNKNOWN)
            return
        except REFUSED as error:
            self.result.failures.append(f"the value rule of `{node.op}` does not take node `{node}`: {error!r}")
            self._settle(node, [], outs, Verdict.UNKNOWN)
            return
        if hazards and self._depth == 1 and all(each.exact is not None for each in raw):
            self._settle(node, raw, outs, Verdict.GUARDED)
            for value in node.outputs:
                self._spoilt[value] = hazards[0]
            return
        if self._use(node, raw):
            self.node(node)
            return
        for value, each in zip(node.outputs, raw if hazards else (), strict=False):
            self.raws[value] = each.interval.join(self.raws.get(value, each.interval))
        if self.recording:
            for hazard in hazards:
                self._hazards.setdefault((node, False), hazard)
            if not hazards and self._flows(node):
                for hazard in checks.backward(op, node, operands):
                    self._hazards.setdefault((node, True), hazard)
        cut = [survivors(op, operands, node.attributes, each) for each in raw] if hazards else raw
        self._settle(node, cut, outs, Verdict.HAZARD if hazards else Verdict.SAFE)

    def _train(self, node: Node) -> None:
        """Mark what hangs on trainable parameters, so that gradients flow through it."""
        if node.op == CALL and node.regions:
            given = [value for value in node.inputs if value is not None]
            entering = zip(given, node.regions[0].inputs, strict=False)
            self._trained.update(inner for value, inner in entering if value in self._trained)
        elif node.op not in _NO_GRADIENT and any(value in self._trained for value in needs(node)):
            inner = (value for region in node.regions for value in region.inputs)
            self._trained.update(value for value in (*node.outputs, *inner) if _floats(self.type_of(value)))

    def _among_finite(
        self, op: Op, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]
    ) -> list[Hazard]:
        """The hazards of finite elements beside which infinity is possible."""
        if not any(operand is not None and _may_be_infinite(operand) for operand in operands):
            return []
        finite = [
            replace(each, box=_finite_part(each), number=self.transfer.fresh(), exact=None)
            if each is not None and _may_be_infinite(each)
            else each
            for each in operands
        ]
        return checks.forward(op, node, finite, self.transfer.results(op, finite, node.attributes, outs))

    def _use(self, node: Node, raw: Sequence[Abstract]) -> bool:
        """Blame the origin of NaN or infinity that was computed from constants, once it is not merely selected from.

        Returns whether a value was blamed and is finite from now on.
        """
        spoilt = [value for value in node.inputs if value is not None and value in self._spoilt]
        finite = all(each.interval.finite for each in raw)
        if not spoilt or (finite and node.op in SELECTIONS):
            return False
        if all(each.exact is not None for each in raw):
            if not finite:
                self._spoilt.update(dict.fromkeys(node.outputs, self._spoilt[spoilt[0]]))
            return False
        for value in spoilt:
            self._blame(value)
            found = self.table[value]
            box = boxes.cut_to_finite(found.box, found.dtype)
            self.table[value] = replace(found, box=box, exact=None, number=self.transfer.fresh())
            self.result.intervals[value] = boxes.smashed(box)
            del self._spoilt[value]
        return True

    def _blame(self, value: Value) -> None:
        """A value that was computed from constants and is NaN or infinite is needed: its origin is a hazard.

        What follows from it is told as if the hazard had not struck.
        """
        hazard = self._spoilt.get(value)
        if hazard is None or not self.recording:
            return
        self._hazards.setdefault((hazard.node, False), hazard)
        self.result.verdicts[hazard.node] = Verdict.HAZARD
        for spoilt, origin in self._spoilt.items():
            if origin is hazard:
                found = self.table[spoilt]
                self.result.intervals[spoilt] = boxes.smashed(boxes.cut_to_finite(found.box, found.dtype))

    def raw(self, op: Op, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
        """What the operator yields, with guards taken into account."""
        guarded = self.guards.selected(node, operands, outs)
        if guarded is not None:
            return guarded
        found = self.transfer.results(op, operands, node.attributes, outs)
        if node.op in _READS and node.inputs[0] in self._written:
            found[0] = replace(found[0], number=self.transfer.fresh(), form=None)
        if node.op in ("mul", "div"):
            found[0] = correlated.refined(self, node, operands, outs[0], found[0])
        elif node.op == "add":
            found[0] = maxima.refined(self, node, outs[0], found[0])
        elif node.op == "reduce_sum":
            found[0] = norms.inner_sum(self, node, found[0])
        elif node.op == "nan_to_num":
            found[0] = self.guards.replaced(node, found[0])
        elif node.op == "sub":
            found[0] = spans.refined(self, node, outs[0], found[0])
        return found

    def _settle(self, node: Node, results: Sequence[Abstract], outs: Sequence[Tensor], verdict: Verdict) -> None:
        for index, (value, out) in enumerate(zip(node.outputs, outs, strict=True)):
            found = results[index] if index < len(results) else self.transfer.unknown(out)
            self.bind(value, sizes.known(found, out))
        if self.recording and node.outputs:
            before = self.result.verdicts.get(node)
            if before is None or before is Verdict.SAFE:
                self.result.verdicts[node] = verdict

    def _flows(self, node: Node) -> bool:
        return any(value in self._trained for value in node.inputs if value is not None)

    def _assumed(self, value: Value) -> Abstract:
        tensor = self.type_of(value)
        assumed = self.ranges.get(value)
        if not _is_number(tensor):
            return self.transfer.unknown(Tensor(dtypes.f32, tensor.shape))
        if assumed is None:
            return self.transfer.unknown(tensor)
        dtype, _ = shape_of(tensor)
        limits = boxes.smashed(boxes.finite(dtype))
        meant = assumed.interval.meet(limits)
        return uniform(tensor, boxes.smashed(boxes.fused(meant.low, meant.high, False, dtype)), self.transfer.fresh())

    def _parameter(self, parameter: Parameter) -> Abstract:
        stored = None if parameter.data is None else self._stored(parameter)
        given = self.ranges.get(parameter.value)
        return self._assumed(parameter.value) if stored is None or given is not None else stored

    def _stored(self, item: Constant | Parameter) -> Abstract:
        tensor = self.type_of(item.value)
        data = item.data
        if data is None or data.size > STORED or not _is_number(Tensor(data.dtype, data.shape)):
            return self._assumed(item.value)
        try:
            array = data.load()
        except (UnsupportedInput, OSError, ValueError):
            return self._assumed(item.value)
        found = of_array(array, data.dtype, self.transfer.number_of(array), self.transfer.most)
        if data.dtype.is_float and found.box.nan.any():
            self.result.not_finite.append((item.value, found.interval))
            found = _without_nan(tensor, found, self.transfer.fresh())
        return found if tensor.dtype in (None, data.dtype) else replace(found, dtype=tensor.dtype or data.dtype)


def _without_nan(tensor: Tensor, found: Abstract, number: int) -> Abstract:
    """Stored elements but for those that are NaN, which are a finding of their own."""
    interval = found.interval
    if interval.empty:
        interval = boxes.smashed(boxes.finite(found.dtype))
    return uniform(replace(tensor, dtype=found.dtype), replace(interval, nan=False), number)


COUNTED = symbol("numerics.counted", counted=True)
"""The size of an axis of which nothing is known, in a graph in which elements decide sizes."""
_COUNTING = frozenset("index compress nonzero masked_select unique non_max_suppression".split())


def _counts(node: Node) -> bool:
    return node.op in _COUNTING


_WRITES = frozenset(("assign", "assign_add", "assign_sub"))
_READS = frozenset(("read_variable", "identity"))
"""What a variable holds may differ from one of these to the next."""
_NO_GRADIENT = frozenset("stop_gradient shape size rank arg_max arg_min sign floor ceil round trunc".split())


def _finite_part(x: Abstract) -> Box:
    """The finite numbers of each cell, of all cells together where it has none; infinity itself if no cell has any."""
    some = np.isfinite(x.box.low) | np.isfinite(x.box.high) | (np.isneginf(x.box.low) & np.isposinf(x.box.high))
    if not some.any():
        return x.box
    box = boxes.cut_to_finite(x.box, x.dtype)
    least, most = box.low[some].min(), box.high[some].max()
    return Box(np.where(some, box.low, least), np.where(some, box.high, most), box.nan)


def _may_be_infinite(x: Abstract) -> bool:
    return x.dtype.is_float and bool(np.isinf(x.box.low).any() or np.isinf(x.box.high).any())


def _floats(tensor: Tensor) -> bool:
    return tensor.dtype is not None and tensor.dtype.is_float


def _is_number(tensor: Tensor) -> bool:
    return tensor.dtype is None or tensor.dtype.kind not in (Kind.TEXT, Kind.COMPLEX)


def _typed(out: Tensor, operands: Sequence[Abstract | None]) -> Tensor:
    """A result of unknown element type is taken to have that of the first operand."""
    if out.dtype is not None:
        return out
    first = next((operand for operand in operands if operand is not None), None)
    return out if first is None else replace(out, dtype=first.dtype)
