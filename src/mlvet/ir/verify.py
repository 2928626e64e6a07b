"""What is wrong with a graph, in sentences: a test of front ends and of passes, not of users."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mlvet.domains.tensors import unknown
from mlvet.ir.graph import CALL, OPAQUE, Graph, Node, Region, Value
from mlvet.ir.walk import Cycle, Event, steps, topological
from mlvet.ops import REGISTRY

STRUCTURAL = frozenset({CALL, "if", "loop", "scan", "while"})
"""Operators whose meaning is in their regions."""
_NOTHING = unknown("")


def verify(graph: Graph) -> list[str]:
    """The defects of a graph, each a sentence that names the node or value; empty for a sound graph."""
    check = _Check(graph)
    return [*check.bodies(), *check.recursion(), *check.executions(), *check.loops()]


class _Check:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.defined: dict[Value, str] = {}
        self.visible: set[Value] = set()
        self.value_names: dict[str, Value] = {}
        self.node_names: set[str] = set()
        self.seen: set[Node] = set()

    def bodies(self) -> Iterator[str]:
        for parameter in self.graph.parameters:
            yield from self.define([parameter.value], "the parameters")
        for region in (self.graph.body, *self.graph.functions.values()):
            yield from self.region(region)

    def region(self, outermost: Region) -> Iterator[str]:
        local: list[list[Value]] = []
        for event, region, node in steps(outermost):
            match event:
                case Event.ENTER:
                    entering = [*region.inputs, *(constant.value for constant in region.constants)]
                    local.append(entering)
                    yield from self.define(entering, f"the {_named(region)}")
                    yield from _arity(region)
                case Event.START if node is not None:
                    yield from self.node(node)
                case Event.DONE if node is not None:
                    local[-1] += node.outputs
                    yield from self.define(node.outputs, f"node {node}")
                case Event.LEAVE:
                    yield from self.used(region.outputs, f"the {_named(region)} yields")
                    self.visible.difference_update(local.pop())

    def define(self, values: Iterable[Value], where: str) -> Iterator[str]:
        for value in values:
            if value in self.defined:
                yield f"{value} is defined twice, by {self.defined[value]} and by {where}"
            elif self.value_names.setdefault(value.name, value) is not value:
                yield f"two values are named {value}, and one is defined by {where}"
            self.defined.setdefault(value, where)
            self.visible.add(value)

    def used(self, values: Iterable[Value | None], who: str) -> Iterator[str]:
        for value in values:
            if value is not None and value not in self.visible:
                where = "in a region that it cannot see" if value in self.defined else "nowhere before"
                yield f"{who} {value}, which is defined {where}"

    def node(self, node: Node) -> Iterator[str]:
        if node.name in self.node_names:
            yield f"two nodes are named {node}"
        self.node_names.add(node.name)
        if node.op != OPAQUE and node.op not in STRUCTURAL and node.op not in REGISTRY:
            yield f"node {node} has the unknown operator {node.op}"
        if node.op == CALL and not node.regions and node.attributes.get("function") not in self.graph.functions:
            yield f"node {node} calls {node.attributes.get('function')}, which is not a function of the graph"
        yield from self.used(node.inputs, f"node {node} uses")
        for other in node.control:
            if other not in self.seen:
                yield f"node {node} waits for node {other}, which does not come before it"
        self.seen.add(node)

    def recursion(self) -> Iterator[str]:
        callers = {name: Value(name, _NOTHING) for name in self.graph.functions}
        calls = []
        for name, region in self.graph.functions.items():
            called = {
                str(node.attributes.get("function"))
                for event, _, node in steps(region)
                if event is Event.START and node is not None and node.op == CALL
            }
            targets = tuple(callers[target] for target in sorted(called) if target in callers)
            calls.append(Node(name, CALL, targets, (callers[name],)))
        try:
            topological(calls)
        except Cycle as cycle:
            yield f"function {cycle.nodes[0]} calls itself through {' and '.join(node.name for node in cycle.nodes)}"

    def executions(self) -> Iterator[str]:
        for execution in self.graph.executions:
            for value in (*execution.fetches, *execution.feeds):
                if value not in self.defined:
                    yield f"execution {execution.kind} refers to {value}, which is not in the graph"
            for node in execution.targets:
                if node not in self.seen:
                    yield f"execution {execution.kind} runs node {node}, which is not in the graph"

    def loops(self) -> Iterator[str]:
        parents: dict[str, str] = {}
        for loop in self.graph.loops:
            if loop.name in parents:
                yield f"two loops are named {loop.name}"
            parents.setdefault(loop.name, loop.parent)
            for value in dict.fromkeys(value for pair in loop.carried for value in pair):
                if value not in self.defined:
                    yield f"loop {loop.name} carries {value}, which is not in the graph"
        for name, parent in parents.items():
            if parent and parent not in parents:
                yield f"loop {name} is within loop {parent}, which is not in the graph"
        yield from _circles(parents)
        for node in self.graph.nodes():
            around = ""
            for iteration in node.loops:
                if iteration.loop not in parents:
                    yield f"node {node} runs in loop {iteration.loop}, which is not in the graph"
                elif around != parents[iteration.loop]:
                    yield f"node {node} runs in loop {iteration.loop} within {around or 'none'}, not within its parent"
                around = iteration.loop


def _circles(parents: Mapping[str, str]) -> Iterator[str]:
    """The loops that lie within themselves, each circle once."""
    done: set[str] = set()
    for first in parents:
        path: dict[str, None] = {}
        name = first
        while name in parents and name not in done:
            done.add(name)
            path[name] = None
            name = parents[name]
        if name in path:
            yield f"loop {name} lies within itself"


def _arity(region: Region) -> Iterator[str]:
    for iteration in region.iterations:
        for what in ("inputs", "outputs"):
            wanted, found = len(getattr(region, what)), len(getattr(iteration, what))
            if wanted != found:
                yield f"an iteration of the {_named(region)} has {found} {what}, but the template has {wanted}"


def _named(region: Region) -> str:
    return f"{region.kind} region {region.name}".rstrip()
