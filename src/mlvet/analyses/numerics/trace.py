"""The data that show a finding: ranges, witness, and the part of the graph that leads to the unsafe operator."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.ranges import Assumed
from mlvet.analyses.numerics.sensitivity import Dependence
from mlvet.analyses.numerics.witness.found import Witness
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ir.walk import needs

NEAREST = 60
"""The most nodes that a slice shows."""
INLINE = 16
"""Arrays of a witness with at most this many elements are shown whole."""


class Trail:
    """Who makes the values of one graph, and what each can be."""

    def __init__(self, graph: Graph, intervals: Mapping[Value, Interval]) -> None:
        self.makers = {value: node for node in graph.nodes() for value in node.outputs}
        self._intervals = intervals
        self._parameters = {parameter.value for parameter in graph.parameters}
        self._inputs = set(graph.inputs)

    def slice(self, node: Node) -> list[dict[str, Any]]:
        """The values that lead to a node, its own results last; those of the nearest nodes if there are many."""
        near: dict[Value, None] = {}
        seen = {node}
        waiting = deque([node])
        while waiting and len(seen) <= NEAREST:
            for value in needs(waiting.popleft()):
                maker = self.makers.get(value)
                near[value] = None
                if maker is not None and maker not in seen:
                    seen.add(maker)
                    waiting.append(maker)
        return [self._edge(value) for value in (*reversed(near), *node.outputs)]

    def origins(self, node: Node) -> list[Value]:
        """The inputs and parameters that lead to a node, nearest first."""
        found: dict[Value, None] = {}
        seen = {node}
        waiting = deque([node])
        while waiting:
            for value in needs(waiting.popleft()):
                maker = self.makers.get(value)
                if maker is None:
                    found[value] = None
                elif maker not in seen:
                    seen.add(maker)
                    waiting.append(maker)
        return [value for value in found if value in self._inputs or value in self._parameters]

    def _edge(self, value: Value) -> dict[str, Any]:
        maker = self.makers.get(value)
        kind = "input" if value in self._inputs else "parameter" if value in self._parameters else "constant"
        return {
            "value": value.name,
            "made_by": maker.name if maker is not None else None,
            "op": (maker.source_op or maker.op) if maker is not None else kind,
            "interval": ends(self._intervals[value]) if value in self._intervals else None,
            "inputs": [each.name for each in maker.inputs if each is not None] if maker is not None else [],
        }


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


def dependence_data(dependence: Dependence) -> dict[str, Any] | None:
    if dependence.magnitude is None:
        return None
    return {"values": [value.name for value in dependence.values], "magnitude": dependence.magnitude}


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
