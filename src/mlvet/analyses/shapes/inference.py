"""Shape inference over a whole graph.

Every operator's rule runs once on what is known of its operands; small integer values are followed by running the
operator's reference on them, symbolic sizes included, because shapes are computed by the graphs themselves. Regions are
interpreted by `control`. Nothing is written on the graph: the result is a map from values to tensors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mlvet.analyses.shapes.operands import complete, well_typed
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import (
    SMALL,
    Dims,
    Tensor,
    Unranked,
    constant,
    unifies,
    unknown,
)
from mlvet.ir.graph import OPAQUE, Constant, Graph, Node, Parameter, Region, Typing, Value
from mlvet.ops import REGISTRY
from mlvet.ops.folding import REFUSALS, folded
from mlvet.ops.require import Constraint, Require
from mlvet.ops.unranked import inferred


@dataclass(frozen=True, slots=True)
class Demand:
    """A constraint of one node that is violated, or that hangs on symbols.

    `assumed` lists the values whose shape was taken from the file's word because no rule could tell it.
    """

    node: Node
    constraint: Constraint
    operands: tuple[Tensor | None, ...]
    assumed: frozenset[Value] = frozenset()


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A value of which the file says what the operator that makes it cannot yield."""

    node: Node
    value: Value
    inferred: Tensor
    assumed: frozenset[Value] = frozenset()


@dataclass(slots=True)
class Inference:
    """What was found out about a graph."""

    types: dict[Value, Tensor] = field(default_factory=dict)
    violated: list[Demand] = field(default_factory=list)
    undecided: list[Demand] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    analysed: int = 0
    unanalysed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def type_of(self, value: Value) -> Tensor:
        return self.types.get(value, value.declared)


def infer(graph: Graph) -> Inference:
    """Infer the shape and element type of every value of a graph."""
    run = Run(graph.typings, counts_operands=graph.format == "onnx")
    for parameter in graph.parameters:
        run.result.types[parameter.value] = _stored(parameter)
    for value in graph.inputs:
        run.result.types[value] = value.declared
    run.region(graph.body)
    return run.result


class Run:
    """One inference under way. Operands are counted where a file lists them, not where a front end chose them."""

    def __init__(self, typings: Mapping[Value, Typing] = MappingProxyType({}), counts_operands: bool = False) -> None:
        self._typings = typings
        self._counts_operands = counts_operands
        self.result = Inference()
        self._assumed: dict[Value, frozenset[Value]] = {}
        self._counting = True

    def region(self, region: Region) -> list[Tensor]:
        """Infer the nodes of a region, whose inputs are known by now, and return its outputs."""
        for item in region.constants:
            self.result.types[item.value] = _stored(item)
        for node in region.nodes:
            self._node(node)
        return [self.result.type_of(value) for value in region.outputs]

    def rehearse(self, region: Region) -> list[Tensor]:
        """Infer a region without recording what it demands, because it will run again or never."""
        kept = len(self.result.violated), len(self.result.undecided), len(self.result.disagreements)
        counting, self._counting = self._counting, False
        outputs = self.region(region)
        self._counting = counting
        del self.result.violated[kept[0] :], self.result.undecided[kept[1] :], self.result.disagreements[kept[2] :]
        return outputs

    def bind(self, value: Value, tensor: Tensor) -> None:
        """Say what a region's input is."""
        self.result.types[value] = tensor

    def _node(self, node: Node) -> None:
        types = self.result.types
        operands = tuple(None if value is None else types.get(value, value.declared) for value in node.inputs)
        assumed = self._assumptions(node.inputs)
        require = Require(node.name)
        known, results = self._results(node, operands, require)
        if not require.violated and node.outputs and (typing := self._typings.get(node.outputs[0])) is not None:
            well_typed(typing, self.result.type_of, require)
        if self._counting:
            if known or not node.outputs:
                self.result.analysed += 1
            else:
                self.result.unanalysed[node.source_op] += 1
        for constraint in require.constraints:
            demand = Demand(node, constraint, operands, assumed)
            (self.result.violated if constraint.decided is False else self.result.undecided).append(demand)
        for index, value in enumerate(node.outputs):
            inferred = results[index] if index < len(results) else unknown(value.name)
            self._settle(node, value, inferred, assumed, believe=not known)

    def _results(
        self, node: Node, operands: tuple[Tensor | None, ...], require: Require
    ) -> tuple[bool, Sequence[Tensor]]:
        """Whether the operator has a rule, and what it yields."""
        from mlvet.analyses.shapes import control

        if node.regions and node.op in control.RULES:
            return True, control.RULES[node.op](self, node, operands, require)
        op = REGISTRY.get(node.op)
        if op is None or op.infer is None or node.op == OPAQUE:
            return False, ()
        if self._counts_operands and not complete(node.op, operands, require):
            return True, ()
        try:
            results = inferred(op, operands, node.attributes, require)
        except REFUSALS as error:
            self.result.failures.append(f"the shape rule of `{node.op}` does not take node `{node}`: {error}")
            require.constraints.clear()
            return False, ()
        if require.violated:
            return True, results
        return True, folded(op, operands, node.attributes, results)

    def _settle(self, node: Node, value: Value, inferred: Tensor, assumed: frozenset[Value], *, believe: bool) -> None:
        """Decide what a value is: what the rule says, and the file's word where there is no rule to believe instead."""
        said = value.declared
        if not unifies(inferred, said):
            self.result.disagreements.append(Disagreement(node, value, inferred, assumed))
        elif believe and not isinstance(said.shape, Unranked):
            inferred = replace(inferred, dtype=inferred.dtype or said.dtype, shape=_believed(value.name, said.shape))
            assumed |= {value}
        elif inferred.dtype is None and said.dtype is not None:
            inferred = replace(inferred, dtype=said.dtype)
        self.result.types[value] = inferred
        if assumed:
            self._assumed[value] = assumed

    def _assumptions(self, values: Iterable[Value | None]) -> frozenset[Value]:
        if not self._assumed:
            return frozenset()
        return frozenset().union(*(self._assumed.get(value, ()) for value in values if value is not None))


def _believed(name: str, dims: Dims) -> Dims:
    """The rank and the numbers of a declared shape; its symbols are guesses, so they get names of their own."""
    return tuple(dim if isinstance(dim, int) else symbol(f"{name}.{axis}") for axis, dim in enumerate(dims))


def _stored(item: Constant | Parameter) -> Tensor:
    """A constant, or a parameter that stays as it is stored, with its elements if they are few."""
    changes = isinstance(item, Parameter) and item.trainable
    if changes or item.data is None or item.data.size > SMALL:
        return item.value.declared
    return constant(item.data.load(), item.data.dtype)
