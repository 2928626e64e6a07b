"""A graph as logic atoms for a Datalog or answer-set engine, one attribute a fact.

Nodes, values, conditions and paths are strings; regions are "r0", "r1" and so on with the body first; executions are
numbered from 0; loops of the host program have names. Positions count from 0. A size is a whole number or the text of
an expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Unranked
from mlvet.ir.graph import CALL, Graph, HostLoop, Node, Region, Value
from mlvet.ops import REGISTRY, Effects

VERSION = 3
SCHEMA = {
    "schema/1": "version of this list",
    "node/1": "node",
    "op/2": "node, canonical operator",
    "source_op/2": "node, operator as the file calls it",
    "node_effect/2": "node, pure random state host or unknown",
    "attribute/3": "node, name, value as a number or text",
    "input/3": "node, position, value",
    "output/3": "node, position, value",
    "control/2": "node, node that must run before it",
    "guard/3": "node, condition, 1 if it must hold and 0 if it must not",
    "in_loop/3": "node, position with 0 outermost, loop of the host program that it runs in",
    "loop_index/3": "node, loop, number of the iteration; a node without one stands for all iterations",
    "module/2": "node, path of its layer",
    "device/2": "node, device",
    "span/2": "node, path of the source",
    "node_line/2": "node, line",
    "node_column/2": "node, column",
    "node_end_line/2": "node, last line",
    "node_end_column/2": "node, column after the last",
    "node_cell/2": "node, cell of the notebook",
    "frame/3": "node, position in the stack with 0 outermost, function entered",
    "frame_line/3": "node, position in the stack, line of the call",
    "region/2": "region, kind",
    "region_name/2": "region, name",
    "contains/2": "region, node",
    "holds/3": "node, position, region",
    "region_input/3": "region, position, value",
    "region_output/3": "region, position, value",
    "iteration/3": "template region, position, region of the unrolled iteration",
    "function/2": "function, region",
    "calls/2": "node, function",
    "value/1": "value",
    "dtype/2": "value, declared element type",
    "rank/2": "value, declared number of dims",
    "dim/3": "value, position, declared size",
    "constant/1": "value",
    "parameter/2": "value, qualified name",
    "parameter_module/2": "value, path of its layer",
    "trainable/1": "value",
    "execution/2": "execution, kind",
    "fetch/2": "execution, value",
    "feed/2": "execution, value",
    "target/2": "execution, node",
    "execution_line/2": "execution, line",
    "host_loop/1": "loop of the host program",
    "loop_parent/2": "loop, loop around it",
    "loop_trips/2": "loop, how often it runs as a number or the text of an expression",
    "loop_carried/4": "loop, position, value before an iteration, what it is after it",
    "loop_span/2": "loop, path of the source",
    "loop_line/2": "loop, line",
}
"""Every predicate with its number of arguments, and what the arguments are."""

Argument: TypeAlias = int | str

_LARGEST = 2**31 - 1
_PLACE = ("line", "column", "end_line", "end_column", "cell")


class Fact(NamedTuple):
    """A ground atom. Its text is in the syntax of answer-set programs, with the full stop."""

    predicate: str
    arguments: tuple[Argument, ...]

    @property
    def signature(self) -> str:
        return f"{self.predicate}/{len(self.arguments)}"

    def __str__(self) -> str:
        return f"{self.predicate}({','.join(map(_spelled, self.arguments))})."


def facts(graph: Graph) -> Iterator[Fact]:
    """All facts of a graph, each once."""
    yield Fact("schema", (VERSION,))
    for parameter in graph.parameters:
        yield from _value(parameter.value)
        yield Fact("parameter", (parameter.value.name, parameter.name))
        if parameter.module:
            yield Fact("parameter_module", (parameter.value.name, parameter.module))
        if parameter.trainable:
            yield Fact("trainable", (parameter.value.name,))
    numbers = {region: f"r{index}" for index, region in enumerate(graph.regions())}
    for region, number in numbers.items():
        yield from _region(region, number, numbers)
    for name, region in graph.functions.items():
        yield Fact("function", (name, numbers[region]))
    for index, execution in enumerate(graph.executions):
        yield Fact("execution", (index, execution.kind))
        for value in dict.fromkeys(execution.fetches):
            yield Fact("fetch", (index, value.name))
        for value in dict.fromkeys(execution.feeds):
            yield Fact("feed", (index, value.name))
        for node in dict.fromkeys(execution.targets):
            yield Fact("target", (index, node.name))
        if execution.location is not None and execution.location.line is not None:
            yield Fact("execution_line", (index, execution.location.line))
    for loop in graph.loops:
        yield from _loop(loop)


def _loop(loop: HostLoop) -> Iterator[Fact]:
    yield Fact("host_loop", (loop.name,))
    if loop.parent:
        yield Fact("loop_parent", (loop.name, loop.parent))
    if loop.trips is not None:
        yield Fact("loop_trips", (loop.name, _size(loop.trips)))
    for position, (before, after) in enumerate(loop.carried):
        yield Fact("loop_carried", (loop.name, position, before.name, after.name))
    if loop.location is not None:
        yield Fact("loop_span", (loop.name, loop.location.path))
        if loop.location.line is not None:
            yield Fact("loop_line", (loop.name, loop.location.line))


def _region(region: Region, number: str, numbers: dict[Region, str]) -> Iterator[Fact]:
    yield Fact("region", (number, region.kind))
    if region.name:
        yield Fact("region_name", (number, region.name))
    for position, value in enumerate(region.inputs):
        yield from _value(value)
        yield Fact("region_input", (number, position, value.name))
    for constant in region.constants:
        yield from _value(constant.value)
        yield Fact("constant", (constant.value.name,))
    for node in region.nodes:
        yield Fact("contains", (number, node.name))
        yield from _node(node)
        for position, inner in enumerate(node.regions):
            yield Fact("holds", (node.name, position, numbers[inner]))
    for position, value in enumerate(region.outputs):
        yield Fact("region_output", (number, position, value.name))
    for position, iteration in enumerate(region.iterations):
        yield Fact("iteration", (number, position, numbers[iteration]))


def _node(node: Node) -> Iterator[Fact]:
    name = node.name
    yield Fact("node", (name,))
    yield Fact("op", (name, node.op))
    yield Fact("source_op", (name, node.source_op))
    known = REGISTRY.get(node.op)
    yield Fact("node_effect", (name, (known.effects if known else Effects.UNKNOWN).value))
    for key, value in node.attributes.items():
        yield Fact("attribute", (name, key, _argument(value)))
    if node.op == CALL:
        yield Fact("calls", (name, str(node.attributes.get("function"))))
    for position, operand in enumerate(node.inputs):
        if operand is not None:
            yield Fact("input", (name, position, operand.name))
    for position, result in enumerate(node.outputs):
        yield from _value(result)
        yield Fact("output", (name, position, result.name))
    for other in dict.fromkeys(node.control):
        yield Fact("control", (name, other.name))
    for guard in dict.fromkeys(node.guards):
        yield Fact("guard", (name, guard.condition, int(guard.holds)))
    for position, iteration in enumerate(node.loops):
        yield Fact("in_loop", (name, position, iteration.loop))
        if iteration.index is not None:
            yield Fact("loop_index", (name, iteration.loop, iteration.index))
    if node.module:
        yield Fact("module", (name, node.module))
    if node.device:
        yield Fact("device", (name, node.device))
    yield from _place(node)


def _place(node: Node) -> Iterator[Fact]:
    if node.location is not None:
        yield Fact("span", (node.name, node.location.path))
        for field in _PLACE:
            number = getattr(node.location, field)
            if number is not None:
                yield Fact(f"node_{field}", (node.name, number))
    for position, frame in enumerate(node.stack):
        yield Fact("frame", (node.name, position, frame.function))
        if frame.location.line is not None:
            yield Fact("frame_line", (node.name, position, frame.location.line))


def _value(value: Value) -> Iterator[Fact]:
    yield Fact("value", (value.name,))
    if value.declared.dtype is not None:
        yield Fact("dtype", (value.name, value.declared.dtype.name))
    if not isinstance(value.declared.shape, Unranked):
        yield Fact("rank", (value.name, len(value.declared.shape)))
        for position, dim in enumerate(value.declared.shape):
            yield Fact("dim", (value.name, position, _size(dim)))


def _size(dim: Dim) -> Argument:
    return dim if isinstance(dim, int) else str(dim)


def _argument(value: Any) -> Argument:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | str):
        return value
    return value.name if isinstance(value, DType) else repr(value)


def _spelled(argument: Argument) -> str:
    if isinstance(argument, int) and -_LARGEST - 1 <= argument <= _LARGEST:
        return str(int(argument))
    text = str(argument)
    if "\\" in text or '"' in text or "\n" in text:
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
