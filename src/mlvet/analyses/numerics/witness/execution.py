"""Runs a graph with the reference and looks at what happens at some of its nodes, in every iteration of a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from mlvet.ir.graph import Graph, Node, Region, Value
from mlvet.ir.slice import backward
from mlvet.ops.folding import REFUSALS as ARGUMENT_ERRORS
from mlvet.runtime.reference import _Run

REFUSALS = (*ARGUMENT_ERRORS, AssertionError)
"""What the references and derivatives of operators raise on operands that do not fit."""


class OutOfTime(Exception):
    """The deadline of a search passed during an execution."""


@dataclass(frozen=True, slots=True)
class Step:
    """One application of an operator: what went in and what came out."""

    node: Node
    operands: tuple[Any, ...]
    results: tuple[Any, ...]


Watch: TypeAlias = Callable[[Step], None]


def execute(
    graph: Graph,
    arrays: Mapping[Value, Any],
    stored: Mapping[Value, Any],
    watched: Mapping[Node, Watch] | None,
    deadline: float,
    *,
    keep: bool = False,
) -> list[Step]:
    """Run a graph on arrays and stored elements; each watch is called whenever its node has run, None watches nothing.

    With `keep` the answer is every step that was taken. Raises OutOfTime, and whatever references raise.
    """
    run = _Watched(graph, watched or {}, deadline, [] if keep else None)
    run.table.update(stored)
    run.table.update(arrays)
    with np.errstate(all="ignore"):
        run.region(graph.body)
    return run.tape or []


def needed_part(graph: Graph, nodes: Iterable[Node]) -> Graph:
    """What some nodes need; the whole graph if one of them is in a function."""
    within_body: set[Node] = set()
    pending = [graph.body]
    while pending:
        region = pending.pop()
        within_body.update(region.nodes)
        pending += [inner for node in region.nodes for inner in node.regions]
    wanted = list(nodes)
    if any(node not in within_body for node in wanted):
        return graph
    return backward(graph, [value for node in wanted for value in node.outputs])


def stored_elements(graph: Graph, loaded: dict[Value, Any] | None = None) -> dict[Value, Any]:
    """The elements of the parameters that have some, and the constants of the body; `loaded` keeps them for others."""
    loaded = {} if loaded is None else loaded
    held = [(parameter.value, parameter.data) for parameter in graph.parameters if parameter.data is not None]
    held += [(constant.value, constant.data) for constant in graph.body.constants]
    for value, data in held:
        if value not in loaded:
            loaded[value] = data.load()
    return {value: loaded[value] for value, _ in held}


class _Watched(_Run):
    def __init__(self, graph: Graph, watched: Mapping[Node, Watch], deadline: float, tape: list[Step] | None) -> None:
        super().__init__(graph, keep=False)
        self.watched = watched
        self.deadline = deadline
        self.tape = tape

    def _results(self, node: Node) -> Sequence[Any]:
        if monotonic() > self.deadline:
            raise OutOfTime
        results = super()._results(node)
        watch = self.watched.get(node)
        if watch is not None or (self.tape is not None and not node.regions):
            step = Step(
                node, tuple(None if value is None else self.table[value] for value in node.inputs), tuple(results)
            )
            if watch is not None:
                watch(step)
            if self.tape is not None and not node.regions:
                self.tape.append(step)
        return results

    def _function(self, region: Region, operands: list[Any]) -> list[Any]:
        inner = _Watched(self.graph, self.watched, self.deadline, self.tape)
        inner.table.update((p.value, self.table[p.value]) for p in self.graph.parameters)
        return inner.call(region, operands)
