"""Parts of a graph: what some values need, and what some values reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from types import MappingProxyType

from mlvet.ir.graph import CALL, Graph, HostLoop, Node, Region, Value
from mlvet.ir.walk import Event, needs, steps, users, walk, within


def backward(graph: Graph, outputs: Iterable[Value]) -> Graph:
    """The graph that yields these values of the body and holds only what they need.

    Control dependencies are needs, and so is what regions take from outside; a node with regions is kept whole. For a
    value within a region, the outermost node around it is kept. Executions stay if all that they run is still there,
    loops of the host program with what they still carry; what a loop carries from one iteration to the next is given.
    """
    wanted = list(outputs)
    top = {value: node for node in graph.body.nodes for value in node.outputs}
    holder: dict[Node, Node] = {node: node for node in graph.body.nodes}
    for node in graph.body.nodes:
        for inner in within(node):
            holder[inner] = node
            top.update(dict.fromkeys(inner.outputs, node))
        for region in _regions(node):
            entering = (*region.inputs, *(constant.value for constant in region.constants))
            top.update(dict.fromkeys(entering, node))
    values: set[Value] = set(wanted)
    kept: set[Node] = set()
    pending = [top[value] for value in wanted if value in top]
    while pending:
        node = pending.pop()
        if node in kept:
            continue
        kept.add(node)
        used = needs(node)
        values.update(used)
        pending += [top[value] for value in used if value in top]
        pending += [holder[other] for member in (node, *within(node)) for other in member.control if other in holder]
    functions = _called(graph, kept)
    for region in functions.values():
        values.update(_used_in(region))
    body = Region(
        graph.body.kind, tuple(value for value in graph.body.inputs if value in values),
        tuple(node for node in graph.body.nodes if node in kept),
        tuple(value for value in wanted if value not in top or value in top[value].outputs), graph.body.name,
        tuple(constant for constant in graph.body.constants if constant.value in values),
    )  # fmt: skip
    there = {holder[node] for node in holder if holder[node] in kept}
    executions = tuple(
        execution
        for execution in graph.executions
        if all(value in values or top.get(value) in kept for value in execution.fetches)
        and all(holder.get(node) in there for node in execution.targets)
        and all(value in values or top.get(value) in kept for value in execution.feeds)
    )
    return Graph(
        graph.name, body, tuple(parameter for parameter in graph.parameters if parameter.value in values),
        MappingProxyType(functions), executions, graph.path, graph.format, graph.producer, graph.notes,
        loops=_loops(graph, [body, *functions.values()], lambda value: value in values or top.get(value) in kept),
    )  # fmt: skip


def forward(graph: Graph, values: Iterable[Value]) -> set[Node]:
    """The nodes whose results or whose turn can depend on these values.

    A node with regions passes what reaches it to all their inputs, a call to those of its function; what reaches the
    outputs of a region reaches the node that holds it. Nodes that wait for a reached node are reached, and so is what a
    loop of the host program carries into its next iteration.
    """
    consumers = users(graph)
    waiting: dict[Node, list[Node]] = {}
    owners: dict[Value, list[Node]] = {}
    carried: dict[Value, list[Value]] = {}
    for loop in graph.loops:
        for before, after in loop.carried:
            carried.setdefault(after, []).append(before)
    for _, node in walk(graph):
        for other in node.control:
            waiting.setdefault(other, []).append(node)
        for region in _entered(graph, node):
            for value in region.outputs:
                owners.setdefault(value, []).append(node)
    reached: set[Node] = set()
    met: set[Value] = set()
    pending: list[Node | Value] = list(values)
    while pending:
        item = pending.pop()
        if isinstance(item, Value):
            if item not in met:
                met.add(item)
                pending += consumers.get(item, ())
                pending += [owner for owner in owners.get(item, ()) if owner not in reached]
                pending += carried.get(item, ())
        elif item not in reached:
            reached.add(item)
            pending += item.outputs
            pending += waiting.get(item, ())
            for region in _entered(graph, item):
                pending += region.inputs
    return reached


def _loops(graph: Graph, regions: Iterable[Region], there: Callable[[Value], bool]) -> tuple[HostLoop, ...]:
    """The host loops that nodes of some regions run in and those around them, with what they carry that is there."""
    parents = {loop.name: loop.parent for loop in graph.loops}
    met: set[str] = set()
    for outermost in regions if graph.loops else ():
        for _, _, node in steps(outermost):
            for iteration in node.loops if node is not None else ():
                name = iteration.loop
                while name and name not in met:
                    met.add(name)
                    name = parents.get(name, "")
    return tuple(
        replace(loop, carried=tuple(pair for pair in loop.carried if there(pair[0]) and there(pair[1])))
        for loop in graph.loops
        if loop.name in met
    )


def _entered(graph: Graph, node: Node) -> list[Region]:
    """The regions of a node with their iterations, and the function that it calls."""
    found = [unrolled for region in node.regions for unrolled in (region, *region.iterations)]
    function = graph.functions.get(str(node.attributes.get("function"))) if node.op == CALL else None
    return found if function is None else [*found, function]


def _regions(node: Node) -> list[Region]:
    return [region for outermost in node.regions for event, region, _ in steps(outermost) if event is Event.ENTER]


def _called(graph: Graph, nodes: Iterable[Node]) -> dict[str, Region]:
    found: set[str] = set()
    pending = [member for node in nodes for member in (node, *within(node))]
    while pending:
        node = pending.pop()
        name = str(node.attributes.get("function")) if node.op == CALL else ""
        if name in graph.functions and name not in found:
            found.add(name)
            pending += [
                inner for event, _, inner in steps(graph.functions[name]) if event is Event.START and inner is not None
            ]
    return {name: region for name, region in graph.functions.items() if name in found}


def _used_in(region: Region) -> set[Value]:
    return {
        value
        for event, inner, node in steps(region)
        for value in (inner.outputs if event is Event.LEAVE else node.inputs if node is not None else ())
        if value is not None
    }
