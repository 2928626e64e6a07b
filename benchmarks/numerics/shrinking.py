"""Makes a graph that shows a violation smaller, as long as it still shows one at the same operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from random_boxes import Box
from violations import Violation

from mlvet.domains.dtypes import of
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Graph, Node, Region, Value
from mlvet.ir.slice import backward
from mlvet.ir.walk import needs
from mlvet.runtime.reference import evaluate


@dataclass(frozen=True, slots=True)
class Case:
    """A graph, the boxes of its inputs, and one point of them, with the violation that it shows."""

    graph: Graph
    ranges: dict[str, Box]
    point: Mapping[str, NDArray[Any]]
    violation: Violation


Shows = Callable[[Graph, dict[str, Box], Mapping[str, NDArray[Any]]], Violation | None]
"""The violation that a graph shows at a point, if it shows one that is like the first."""

TRIES = 200
"""Graphs that are tried on the way to the smallest."""


def shrunk(case: Case, shows: Shows) -> Case:
    """The smallest case that was found: fewer nodes, values made inputs, narrower boxes."""
    left = TRIES
    while left:
        for graph, ranges, point in _smaller(case):
            left -= 1
            violation = shows(graph, ranges, point)
            if violation is not None:
                case = Case(graph, ranges, point, violation)
                break
            if not left:
                return case
        else:
            return case
    return case


def _smaller(case: Case) -> Iterator[tuple[Graph, dict[str, Box], Mapping[str, NDArray[Any]]]]:
    part = backward(case.graph, [_outer(case.graph, case.violation).outputs[0]])
    if _size(part) < _size(case.graph):
        names = {value.name for value in (*part.inputs, *(parameter.value for parameter in part.parameters))}
        ranges = {name: box for name, box in case.ranges.items() if name in names}
        yield part, ranges, {name: array for name, array in case.point.items() if name in names}
    yield from _without_dead(case)
    yield from _cut(case)
    yield from _narrowed(case)


def _size(graph: Graph) -> int:
    inner = sum(len(region.nodes) + len(region.inputs) + len(region.constants) for region in graph.regions())
    return inner + len(graph.parameters)


def _outer(graph: Graph, violation: Violation) -> Node:
    """The node of the body in or at which the violation is."""
    for node in graph.body.nodes:
        if node is violation.node or violation.value in node.outputs or violation.value in _inner(node):
            return node
    return graph.body.nodes[-1]


def _inner(node: Node) -> set[Value]:
    found: set[Value] = set()
    for region in node.regions:
        found.update(region.inputs)
        for inner in region.nodes:
            found |= {*inner.outputs, *_inner(inner)}
    return found


def _without_dead(case: Case) -> Iterator[tuple[Graph, dict[str, Box], Mapping[str, NDArray[Any]]]]:
    """Regions without a node whose results nothing reads."""
    keep = case.violation.node

    def pruned(region: Region) -> Region:
        nodes = tuple(
            replace(node, regions=tuple(map(pruned, node.regions))) if node.regions else node for node in region.nodes
        )
        used = {*region.outputs, *(value for node in nodes for value in needs(node))}
        kept = tuple(node for node in nodes if node is keep or node.regions or used & set(node.outputs))
        constants = tuple(constant for constant in region.constants if constant.value in used)
        return replace(region, nodes=kept, constants=constants)

    body = pruned(case.graph.body)
    graph = replace(case.graph, body=body)
    if _size(graph) < _size(case.graph):
        yield graph, case.ranges, case.point


def _cut(case: Case) -> Iterator[tuple[Graph, dict[str, Box], Mapping[str, NDArray[Any]]]]:
    """A node replaced by inputs that hold what it yielded, in a box that just holds it."""
    try:
        held = evaluate(case.graph, case.point, values=True)
    except Exception:
        return
    body = case.graph.body
    for index, node in enumerate(body.nodes[:-1]):
        arrays = [np.asarray(held[value.name]) for value in node.outputs]
        if any(array.dtype.kind not in "fiub" or not np.isfinite(array.astype(float)).all() for array in arrays):
            continue
        new = {v: Value(v.name, Tensor(of(a.dtype), a.shape)) for v, a in zip(node.outputs, arrays, strict=True)}
        nodes = tuple(_renamed(other, new) for other in (*body.nodes[:index], *body.nodes[index + 1 :]))
        inputs = (*body.inputs, *new.values())
        outputs = tuple(new.get(value, value) for value in body.outputs)
        used = {value for other in nodes for value in needs(other)}
        graph = replace(case.graph, body=replace(body, nodes=nodes, inputs=inputs, outputs=outputs))
        ranges, point = dict(case.ranges), dict(case.point)
        for value, array in zip(new.values(), arrays, strict=True):
            if value in used:
                ranges[value.name] = (array.min().item(), array.max().item()) if array.size else (0.0, 0.0)
            else:
                ranges[value.name] = (0.0, 0.0)
            point[value.name] = array
        yield graph, ranges, point


def _renamed(node: Node, new: Mapping[Value, Value]) -> Node:
    inputs = tuple(value if value is None else new.get(value, value) for value in node.inputs)
    regions = tuple(_renamed_region(region, new) for region in node.regions)
    return replace(node, inputs=inputs, regions=regions)


def _renamed_region(region: Region, new: Mapping[Value, Value]) -> Region:
    nodes = tuple(_renamed(node, new) for node in region.nodes)
    return replace(region, nodes=nodes, outputs=tuple(new.get(value, value) for value in region.outputs))


def _narrowed(case: Case) -> Iterator[tuple[Graph, dict[str, Box], Mapping[str, NDArray[Any]]]]:
    """One box shrunk to what the point needs, or one of its ends moved half-way there."""
    for name, (low, high) in case.ranges.items():
        array = case.point.get(name)
        if array is None or not array.size or low == high:
            continue
        least, most = array.min().item(), array.max().item()
        for box in ((least, most), (least, high), (low, most)):
            if box != (low, high):
                yield case.graph, {**case.ranges, name: box}, case.point
