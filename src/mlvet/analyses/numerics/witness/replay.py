"""Runs a graph on a witness again and tells what happens at the hazard's node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness.execution import Step, execute, needed_part, stored_elements
from mlvet.analyses.numerics.witness.failure import Failure, failure, flushed
from mlvet.core.errors import UsageError
from mlvet.domains.intervals import ANY
from mlvet.ir.graph import Graph, Value


def replay(
    graph: Graph, node: str, inputs: Mapping[str, Any], *, rule: str = "", outcome: str = Outcome.EITHER.value,
    operand: int | None = None, flush: bool = False,
) -> str:  # fmt: skip
    """One sentence on what a node yields for inputs given by name: which value becomes NaN or infinite, and why.

    With `flush` the node's operands have their subnormal elements taken for zero.
    """
    named = next((each for each in graph.nodes() if each.name == node), None)
    if named is None:
        raise UsageError(f"the graph has no node `{node}`")
    what = Outcome(outcome)
    hazard = Hazard(named, rule, operand, ANY, what, what is Outcome.GRADIENT)
    found = happens(graph, [hazard], inputs, flush=flush).get(hazard)
    if found is None:
        return f"{named.op} of node `{node}` does not fail"
    because = "" if found.operand is None else f" where an operand is {found.operand!r}"
    return f"{named.op} of node `{node}`: {found.outcome} in `{found.value}`{because}"


def happens(
    graph: Graph,
    hazards: Sequence[Hazard],
    inputs: Mapping[str, Any],
    *,
    whole: bool = False,
    flush: bool = False,
    deadline: float = inf,
    loaded: dict[Value, Any] | None = None,
) -> dict[Hazard, Failure]:
    """Which hazards happen, and how, in one run of what they need, or of the whole graph."""
    part = graph if whole else needed_part(graph, [hazard.node for hazard in hazards])
    arrays = {}
    for value in (*part.inputs, *(p.value for p in part.parameters if p.data is None)):
        if value.name not in inputs:
            raise UsageError(f"no value was given for `{value.name}`")
        given = np.asarray(inputs[value.name])
        dtype = value.declared.dtype
        arrays[value] = given if dtype is None else given.astype(dtype.numpy)
    seen: dict[Hazard, Failure] = {}

    def watch(step: Step) -> None:
        step = flushed(step) or step if flush else step
        for hazard in hazards:
            found = failure(hazard, step) if hazard.node is step.node and hazard not in seen else None
            if found is not None:
                seen[hazard] = found

    execute(part, arrays, stored_elements(part, loaded), {hazard.node: watch for hazard in hazards}, deadline)
    return seen
