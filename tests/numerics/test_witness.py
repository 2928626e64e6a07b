"""The search for executed witnesses: what it finds, and that it finds nothing where there is nothing."""

from __future__ import annotations

import numpy as np

from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.ranges import Assumed, Origin
from mlvet.analyses.numerics.witness import Witness, search
from mlvet.analyses.shapes.inference import infer
from mlvet.domains.intervals import ANY, Interval
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text
from mlvet.runtime import evaluate


def hazard(
    graph: Graph,
    node: str,
    rule: str,
    operand: int | None = 0,
    outcome: Outcome = Outcome.EITHER,
    backward: bool = False,
) -> Hazard:
    (found,) = (each for each in graph.nodes() if each.name == node)
    return Hazard(found, rule, operand, ANY, outcome, backward)


def found(
    graph: Graph,
    *hazards: Hazard,
    seconds: float = 5.0,
    origin: Origin = Origin.GIVEN,
    seed: int = 0,
    **ends: tuple[float, float],
) -> dict[Hazard, Witness]:
    free = [*graph.inputs, *(parameter.value for parameter in graph.parameters if parameter.data is None)]
    ranges = {value: Assumed(Interval(*ends[value.name]), origin, "a test") for value in free if value.name in ends}
    return search(graph, hazards, ranges, infer(graph).types, seconds=seconds, seed=seed)


def read(body: str, *parameters: str) -> Graph:
    return from_text("\n".join(['mlvet-graph 1 "net"', *parameters, body.strip(), ""]))


def shown(graph: Graph, one: Hazard, **options: object) -> Witness:
    """The witness of a hazard, checked by a fresh execution of the whole graph."""
    witness = found(graph, one, **options)[one]  # type: ignore[arg-type]
    values = evaluate(graph, witness.inputs, values=True)
    if witness.outcome in ("NaN", "inf", "-inf"):
        assert not np.isfinite(values[witness.value]).all()
    return witness


LOG_SOFTMAX = """
graph "net"(%x: f32[2, 4]) {
  constant %w: f32[4, 3] = f32[4, 3] [0.5, -1.0, 0.25, 1.0, 0.5, -0.5, -0.75, 0.5, 1.0, 0.25, -0.25, 0.5]
  %y = matmul(%x, %w) @y
  %p = softmax(%y) @p
  %l = log(%p) @l
  return %l
}
"""


def test_log_of_softmax() -> None:
    graph = read(LOG_SOFTMAX)
    witness = shown(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-100, 100))
    assert witness.outcome == "-inf"
    assert witness.operand == 0
    assert np.abs(witness.inputs["x"]).max() <= 100
    assert witness.inputs["x"].dtype == np.float32
    assert witness.executed_with == "numpy reference"


def test_log_of_softmax_of_a_narrow_range_has_none() -> None:
    graph = read(LOG_SOFTMAX)
    assert not found(graph, hazard(graph, "l", "log-of-nonpositive"), x=(-10, 10), seconds=1.0)
