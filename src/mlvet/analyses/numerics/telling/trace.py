"""The data that show a finding: ranges, witness, and the part of the graph that leads to the unsafe operator."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.assumptions.ranges import Assumed
from mlvet.analyses.numerics.telling.sensitivity import LADDER, Dependence
from mlvet.analyses.numerics.witness.found import Witness
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Data, Graph, Node, Value
from mlvet.ir.walk import needs

NEAREST = 60
"""The most nodes that a slice shows."""
_OPERANDS = 20
_DIMS = 8
INLINE = 16
"""Arrays of a witness with at most this many elements are shown whole."""


class Trail:
    """Who makes the values of one graph, and what each can be."""

    def __init__(self, graph: Graph, intervals: Mapping[Value, Interval]) -> None:
        self.makers = {value: node for node in graph.nodes() for value in node.outputs}
        self._owners = {value: node for node in graph.nodes() for region in node.regions for value in region.inputs}
        self._intervals = intervals
        self._parameters = {parameter.value for parameter in graph.parameters}
        self._inputs = set(graph.inputs)
        self._structure: set[Value | None] = {
            constant.value
            for region in graph.regions()
            for constant in region.constants
            if _is_structure(constant.data)
        }
        self._needs: dict[Node, list[Value]] = {}

    def slice(self, node: Node, guilty: Value | None = None) -> list[dict[str, Any]]:
        """The values that lead to a node, its own results last; those of the nearest nodes if there are many.

        Axes, dims and the like are left out, unless they are the operand to blame.
        """
        near: dict[Value, None] = {}
        for reached, value in islice(self._led_by(node), NEAREST * _OPERANDS):
            if reached > NEAREST:
                break
            near[value] = None
        left_out = self._structure - {guilty}
        return [self._edge(value, left_out) for value in (*reversed(near), *node.outputs) if value not in left_out]

    def leading(self, node: Node) -> int:
        """How many nodes lead to a node, itself included."""
        return max((reached for reached, _ in self._led_by(node)), default=1)

    def origins(self, node: Node) -> list[Value]:
        """The inputs and parameters that lead to a node, nearest first."""
        found = dict.fromkeys(value for _, value in self._led_by(node))
        return [value for value in found if value in self._inputs or value in self._parameters]

    def _led_by(self, node: Node) -> Iterator[tuple[int, Value]]:
        """The values that a node needs, nearest first, each with how many nodes are known by then.

        What enters a region, such as the state of a loop, comes from the node that has the region.
        """
        seen = {node}
        waiting = deque([node])
        while waiting:
            for value in self._needed(waiting.popleft()):
                maker = self._source(value)
                if maker is not None and maker not in seen:
                    seen.add(maker)
                    waiting.append(maker)
                yield len(seen), value

    def _source(self, value: Value) -> Node | None:
        return self.makers.get(value) or self._owners.get(value)

    def _needed(self, node: Node) -> list[Value]:
        if node not in self._needs:
            self._needs[node] = needs(node)
        return self._needs[node]

    def _edge(self, value: Value, left_out: Collection[Value | None]) -> dict[str, Any]:
        maker = self._source(value)
        kind = "input" if value in self._inputs else "parameter" if value in self._parameters else "constant"
        return {
            "value": value.name,
            "made_by": maker.name if maker is not None else None,
            "op": (maker.source_op or maker.op) if maker is not None else kind,
            "interval": ends(self._intervals[value]) if value in self._intervals else None,
            "inputs": [each.name for each in self._needed(maker) if each not in left_out] if maker else [],
        }


def _is_structure(data: Data) -> bool:
    """Whether constant elements look like axes or dims: a short vector of integers."""
    return not data.dtype.is_float and len(data.shape) == 1 and data.shape[0] <= _DIMS


def ends(interval: Interval) -> list[Any]:
    return [interval.low, interval.high, interval.nan]


def range_data(name: str, assumed: Assumed) -> dict[str, Any]:
    return {
        "name": name,
        "low": assumed.interval.low,
        "high": assumed.interval.high,
        "origin": assumed.origin.value,
        "why": assumed.why,
    }


def dependence_data(dependence: Dependence, guessed: bool) -> dict[str, Any] | None:
    """What a hazard hangs on, or the magnitude within which it stays; nothing if no range is a guess."""
    if not guessed:
        return None
    return {
        "values": [value.name for value in dependence.values],
        "magnitude": dependence.magnitude,
        "stays_within": LADDER[0] if dependence.magnitude is None else None,
    }


def witness_data(witness: Witness, files: tuple[Path, Path] | None) -> dict[str, Any]:
    inputs, script = files or (None, None)
    return {
        "inputs": {name: _summary(array) for name, array in witness.inputs.items()},
        "value": witness.value,
        "operand": witness.operand,
        "outcome": witness.outcome,
        "executed_with": witness.executed_with,
        "tries": witness.tries,
        "file": None if inputs is None else str(inputs),
        "script": None if script is None else str(script),
    }


def _summary(array: NDArray[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.size <= INLINE:
        return {**found, "elements": array.astype(np.float64).tolist() if array.dtype.kind == "V" else array.tolist()}
    numbers = array.astype(np.float64)
    return {**found, "low": float(numbers.min()), "high": float(numbers.max())}
