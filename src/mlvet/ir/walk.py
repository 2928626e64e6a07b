"""Orders over graphs: execution order through regions, sorting, fixpoints, who makes a value and who uses it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import eq
from typing import Generic, TypeVar

from mlvet.core.errors import UnsupportedInput
from mlvet.ir.graph import Graph, Node, Region, Value

State = TypeVar("State")


class Cycle(UnsupportedInput):
    """Nodes that wait for each other; `nodes` are those of one cycle, each needing the next."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)
        shown = [node.name for node in self.nodes[:10]] + (["..."] if len(self.nodes) > 10 else [])
        super().__init__(f"the nodes {', '.join(shown)} depend on each other in a cycle")


class Event(Enum):
    """What happens at a step of an execution: a region begins or ends, a node starts or has its results."""

    ENTER = "enter"
    START = "start"
    DONE = "done"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Fixpoint(Generic[State]):
    """The last state of an iteration, whether another round would leave it as it is, and how many rounds it took."""

    state: State
    reached: bool
    rounds: int


def steps(region: Region) -> Iterator[tuple[Event, Region, Node | None]]:
    """The events of running a region: a node starts, the regions within it run, it is done.

    The iterations of a loop region follow it.
    """
    running = [_begin(region)]
    while running:
        step = next(running[-1], None)
        if step is None:
            running.pop()
        elif isinstance(step, Region):
            running.append(_begin(step))
        else:
            yield step


def walk(graph: Graph) -> Iterator[tuple[Region, Node]]:
    """Every node in execution order with the region that it is in, functions last."""
    for outermost in (graph.body, *graph.functions.values()):
        for event, region, node in steps(outermost):
            if event is Event.START and node is not None:
                yield region, node


def within(node: Node) -> Iterator[Node]:
    """The nodes of the regions of a node, at any depth."""
    for region in node.regions:
        for event, _, inner in steps(region):
            if event is Event.START and inner is not None:
                yield inner


def needs(node: Node) -> list[Value]:
    """The values that a node uses: its operands, then what its regions take from outside."""
    found = dict.fromkeys(value for value in node.inputs if value is not None)
    if node.regions:
        inside: set[Value] = set()
        for outermost in node.regions:
            for event, region, inner in steps(outermost):
                if event is Event.ENTER:
                    inside.update(region.inputs, (constant.value for constant in region.constants))
                elif event is Event.DONE and inner is not None:
                    inside.update(inner.outputs)
        for outermost in node.regions:
            for event, region, inner in steps(outermost):
                used = (
                    region.outputs if event is Event.LEAVE else inner.inputs if event is Event.START and inner else ()
                )
                found.update(dict.fromkeys(value for value in used if value is not None and value not in inside))
    return list(found)


def topological(nodes: Iterable[Node], available: Collection[Value] = ()) -> list[Node]:
    """The nodes in an order in which each comes after those whose results it needs and those it must wait for.

    Nodes that are in such an order stay as they are. Values that are available, or that none of the nodes yields, are
    not waited for. Raises Cycle if there is no such order.
    """
    given = list(nodes)
    ready = set(available)
    maker = {value: node for node in given for value in node.outputs if value not in ready}
    members = set(given)
    done: set[Node] = set()
    ordered: list[Node] = []
    for first in given:
        if first in done:
            continue
        path = {first: None}
        pending = [iter(_awaited(first, maker, members))]
        while pending:
            node = next(pending[-1], None)
            if node is None:
                pending.pop()
                finished, _ = path.popitem()
                done.add(finished)
                ordered.append(finished)
            elif node in path:
                trail = list(path)
                raise Cycle(trail[trail.index(node) :])
            elif node not in done:
                path[node] = None
                pending.append(iter(_awaited(node, maker, members)))
    return ordered


def fixpoint(
    step: Callable[[State], State],
    start: State,
    join: Callable[[State, State], State],
    limit: int,
    same: Callable[[State, State], bool] = eq,
) -> Fixpoint[State]:
    """Join what one round makes of a state with the state until nothing changes, for at most `limit` rounds.

    `join` takes the old and the new state; a widening is such a join.
    """
    state = start
    for rounds in range(1, limit + 1):
        following = join(state, step(state))
        if same(following, state):
            return Fixpoint(state, True, rounds)
        state = following
    return Fixpoint(state, False, limit)


def users(graph: Graph) -> dict[Value, list[Node]]:
    """The nodes that take a value as an operand, in execution order; one that takes it twice is there once."""
    found: dict[Value, list[Node]] = {}
    for _, node in walk(graph):
        for value in dict.fromkeys(node.inputs):
            if value is not None:
                found.setdefault(value, []).append(node)
    return found


def producers(graph: Graph) -> dict[Value, Node]:
    """The node that yields a value; inputs, constants and parameters have none."""
    return {value: node for _, node in walk(graph) for value in node.outputs}


def _begin(region: Region) -> Iterator[tuple[Event, Region, Node | None] | Region]:
    yield Event.ENTER, region, None
    for node in region.nodes:
        yield Event.START, region, node
        yield from node.regions
        yield Event.DONE, region, node
    yield Event.LEAVE, region, None
    yield from region.iterations


def _awaited(node: Node, maker: dict[Value, Node], members: set[Node]) -> list[Node]:
    found = [maker[value] for value in needs(node) if value in maker]
    found += [other for other in node.control if other in members]
    return found
