"""Runs a graph on a witness again and tells what happens at the hazard's node."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.witness.execution import Step, execute, needed_part, stored_elements
from mlvet.analyses.numerics.witness.failure import Failure, failure, flushed
from mlvet.core.errors import UsageError
from mlvet.domains.intervals import ANY
from mlvet.ir.graph import Graph, Node


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
    found = happens(graph, Hazard(named, rule, operand, ANY, what, what is Outcome.GRADIENT), inputs, flush=flush)
    if found is None:
        return f"{named.op} of node `{node}` does not fail"
    because = "" if found.operand is None else f" where an operand is {found.operand!r}"
    return f"{named.op} of node `{node}`: {found.outcome} in `{found.value}`{because}"


def happens(
    graph: Graph, hazard: Hazard, inputs: Mapping[str, Any], *, whole: bool = False, flush: bool = False,
    deadline: float = inf,
) -> Failure | None:  # fmt: skip
    """What happens at the hazard's node in a run of what it needs, or of the whole graph."""
    part = graph if whole else needed_part(graph, [hazard.node])
    free = [*part.inputs, *(p.value for p in part.parameters if p.data is None)]
    arrays = {}
    for value in free:
        if value.name not in inputs:
            raise UsageError(f"no value was given for `{value.name}`")
        given = np.asarray(inputs[value.name])
        dtype = value.declared.dtype
        arrays[value] = given if dtype is None else given.astype(dtype.numpy)
    seen: list[Failure] = []

    def watch(step: Step) -> None:
        step = flushed(step) or step if flush else step
        found = failure(hazard, step)
        if found is not None:
            seen.append(found)

    watched: dict[Node, Any] = {hazard.node: watch}
    execute(part, arrays, stored_elements(part), watched, deadline)
    return seen[0] if seen else None
