"""Why an alarm that is not due was given, told from the operators that lead to the guilty operand.

Operators before one that maps everything to a fixed range, as a sigmoid does, are not to blame.

The first that holds: *loops*, the node is in a loop or what leads to it passes one; *missing shape*, a rank is
unknown on the way, or a sum runs over a dim of unknown size; *after an alarm*, on the way an operator had an alarm of
its own, so that its result is only known to be finite; *index merging*, elements are taken or put at indices that are
unknown, or tensors are cut or joined under an abstraction with one number per tensor; *non-linear operators*; *both*
of these; *other*, only linear operators are on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from benchmarks.numerics.subjects import Subject
from mlvet.analyses.numerics.analysis import Analysis
from mlvet.analyses.numerics.hazard import Hazard, Verdict
from mlvet.analyses.numerics.settings import Settings, TensorAbstraction
from mlvet.domains.tensors import Unranked
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops import numeric as kinds

LOOPS, SHAPE, AFTER, MERGING, NONLINEAR, BOTH, OTHER = CAUSES = (
    "loops", "missing shape", "after an alarm", "index merging", "non-linear", "both", "other",
)  # fmt: skip

_LOOPING = frozenset({"loop", "while", "scan"})
_INDEXING = {
    "gather": 1, "gather_elements": 1, "gather_nd": 1, "embedding": 1, "index": 1, "index_put": 1,
    "scatter_elements": 1, "scatter_nd": 1, "tensor_scatter": 1, "dynamic_slice": 1, "dynamic_update_slice": 2,
    "array_feature_extractor": 1,
    "select": 1, "masked_select": 1, "segment_sum": 1, "dynamic_stitch": 0, "store_put": 1, "store_take": 1,
    "list_at": 1, "sequence_at": 1,
}  # fmt: skip
"""Operators that take or put elements at indices, and the operand that has these."""
_PIECES = frozenset(
    "concat split slice strided_slice stack unstack pad flip roll concat_from_sequence split_to_sequence where".split()
)
_LINEAR = (kinds.Affine, kinds.Convex, kinds.Selection, kinds.Predicate)
_LINEAR_REDUCTIONS = frozenset({"sum", "mean", "count", "any", "all"})
_PLAIN = frozenset(
    "cast identity reshape shape size rank dim range linspace stop_gradient read_variable variable cum_sum segment_sum "
    "dft fft ifft rfft irfft stft real imag conj average_pool_grad".split()
)
"""Linear operators whose kind does not tell so."""


def _is_bounded(node: Node) -> bool:
    """Whether an operator maps everything to a fixed range."""
    image = getattr(getattr(REGISTRY.get(node.op), "numeric", None), "image", None)
    return node.op == "softmax" or (image is not None and isfinite(image.low) and isfinite(image.high))


class Reasons:
    """The causes of the alarms of one graph."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._producers: dict[Value, Node] = {}
        self._holders: dict[Value, Node] = {}
        self._looped: set[Node] = set()
        self._fixed = {parameter.value for parameter in subject.graph.parameters if parameter.data is not None}
        for region in subject.graph.regions():
            self._fixed |= {constant.value for constant in region.constants}
        for node in subject.graph.nodes():
            self._producers.update(dict.fromkeys(node.outputs, node))
            for region in node.regions:
                self._holders.update(dict.fromkeys(region.inputs, node))
                if node.op in _LOOPING or node in self._looped:
                    self._looped.update(region.nodes)
            if node.inputs and all(value in self._fixed for value in node.inputs if value is not None):
                self._fixed.update(node.outputs)

    def of(self, hazard: Hazard, analysis: Analysis, settings: Settings) -> str:
        """The cause of one alarm."""
        node = hazard.node
        guilty = node.inputs if hazard.operand is None else node.inputs[hazard.operand : hazard.operand + 1]
        way = self._way(value for value in guilty if value is not None)
        values = {value for each in (*way, node) for value in each.inputs if value is not None}
        if node in self._looped or any(each.op in _LOOPING for each in way):
            return LOOPS
        if any(isinstance(self._subject.inference.type_of(value).shape, Unranked) for value in values):
            return SHAPE
        if any(self._sums_unknown(each) for each in (*way, node)):
            return SHAPE
        if any(analysis.verdicts.get(each) in (Verdict.HAZARD, Verdict.UNKNOWN) for each in way):
            return AFTER
        merged = any(self._merges(each, settings) for each in way)
        bent = any(self._bends(each) for each in way) or (hazard.operand is None and self._bends(node))
        return BOTH if merged and bent else MERGING if merged else NONLINEAR if bent else OTHER

    def _way(self, values: Iterable[Value]) -> list[Node]:
        """The nodes that lead to some values, no further than to results that are bounded whatever comes before."""
        found: dict[Node, None] = {}
        pending = list(values)
        seen: set[Value] = set()
        while pending:
            value = pending.pop()
            if value in seen or value in self._fixed:
                continue
            seen.add(value)
            node = self._producers.get(value) or self._holders.get(value)
            if node is None or node in found:
                continue
            found[node] = None
            if _is_bounded(node):
                continue
            pending += [operand for operand in node.inputs if operand is not None]
            pending += [output for region in node.regions for output in region.outputs]
        return list(found)

    def _moving(self, node: Node) -> int:
        return sum(value is not None and value not in self._fixed for value in node.inputs)

    def _merges(self, node: Node, settings: Settings) -> bool:
        where = _INDEXING.get(node.op)
        if where is not None and len(node.inputs) > where:
            return any(value is not None and value not in self._fixed for value in node.inputs[where:])
        return settings.tensor is TensorAbstraction.SMASHING and node.op in _PIECES

    def _bends(self, node: Node) -> bool:
        op = REGISTRY.get(node.op)
        if op is None or node.op in _PLAIN or node.regions:
            return False
        kind = op.numeric
        if isinstance(kind, kinds.ByMode):
            kind = kind.of(**node.attributes)
        if isinstance(kind, kinds.Reduction):
            return kind.how not in _LINEAR_REDUCTIONS
        if isinstance(kind, kinds.Product | kinds.Bilinear | kinds.Multilinear):
            return self._moving(node) > 1
        if isinstance(kind, kinds.Quotient):
            return len(node.inputs) > 1 and node.inputs[1] not in self._fixed
        return not isinstance(kind, _LINEAR)

    def _sums_unknown(self, node: Node) -> bool:
        """Whether a node sums over a dim whose size is unknown."""
        op = REGISTRY.get(node.op)
        first = node.inputs[0] if node.inputs else None
        if op is None or first is None or not node.outputs:
            return False
        before = self._subject.inference.type_of(first).shape
        after = self._subject.inference.type_of(node.outputs[0]).shape
        if isinstance(before, Unranked) or isinstance(after, Unranked):
            return False
        if isinstance(op.numeric, kinds.Reduction) and op.numeric.how in ("sum", "mean", "product"):
            return any(not isinstance(dim, int) and dim not in after for dim in before)
        return node.op == "matmul" and bool(before) and not isinstance(before[-1], int)
