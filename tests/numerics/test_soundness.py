"""Runs of random graphs never refute the analysis, and the check that says so can tell a refutation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS / "numerics")]

from force import Outcome, combinations, drawn, force  # noqa: E402
from random_graphs import shape_in_runs, vocabulary  # noqa: E402
from violations import violations  # noqa: E402
from watched_runs import watch  # noqa: E402

from mlvet.analyses.numerics.hazard import Verdict  # noqa: E402
from mlvet.domains.dtypes import f32  # noqa: E402
from mlvet.domains.intervals import ANY, Interval  # noqa: E402
from mlvet.domains.tensors import Tensor  # noqa: E402
from mlvet.ir.builder import Builder  # noqa: E402
from mlvet.ir.graph import Graph, Node, Value  # noqa: E402
from mlvet.ir.text import from_text, to_text  # noqa: E402
from mlvet.ir.verify import verify  # noqa: E402


@dataclass(frozen=True)
class Claim:
    """What an analysis might say."""

    intervals: Mapping[Value, Interval]
    verdicts: Mapping[Node, Verdict] = field(default_factory=dict)


def claim(graph: Graph, verdicts: Mapping[str, Verdict] | None = None, **intervals: Interval) -> Claim:
    """Everything safe and anything possible, but for what is said."""
    values = {*graph.inputs, *(value for region in graph.regions() for value in region.inputs)}
    values |= {value for node in graph.nodes() for value in node.outputs}
    said = {value: intervals.get(value.name, ANY) for value in values}
    return Claim(said, {node: (verdicts or {}).get(node.name, Verdict.SAFE) for node in graph.nodes()})


def kinds(graph: Graph, said: Claim, *, flushed: bool = False, **inputs: Any) -> list[tuple[str, bool]]:
    """The violations that one run shows, and whether they come after a foreseen failure."""
    run = watch(graph, {name: np.asarray(x, np.float32) for name, x in inputs.items()}, flushed=flushed)
    return [(violation.kind, violation.after) for violation in violations(graph, said, [run])]


def chain(*ops: str) -> Graph:
    build = Builder()
    value = build.input("x", Tensor(f32, (2,)))
    for op in ops:
        value = build.add(op, value)
    return build.graph([value])


def test_nan_out_of_a_node_called_safe_is_a_failure() -> None:
    graph = chain("log")
    assert kinds(graph, claim(graph), x=[1, -1]) == [("failure", False)]
    assert kinds(graph, claim(graph), x=[1, 2]) == []
    assert kinds(graph, claim(graph, {"log": Verdict.HAZARD}), x=[1, -1]) == []


def test_infinity_out_of_finite_numbers_is_a_failure() -> None:
    graph = chain("exp")
    assert kinds(graph, claim(graph), x=[1, 89]) == [("failure", False)]
    assert kinds(graph, claim(graph), x=[1, inf]) == []


def test_a_number_outside_the_interval_is_an_escape_even_at_a_hazard() -> None:
    graph = chain("log")
    narrow = claim(graph, {"log": Verdict.HAZARD}, log=Interval(0, 1))
    assert kinds(graph, narrow, x=[-1, 20]) == [("escape", False)]
    assert kinds(graph, narrow, x=[-1, 2]) == []


def test_operands_outside_their_interval_are_not_judged() -> None:
    graph = chain("log")
    assert kinds(graph, claim(graph, x=Interval(1, 2)), x=[1, -1]) == []


def test_what_follows_a_foreseen_failure_is_told_apart() -> None:
    graph = chain("exp", "relu6", "log")
    said = claim(graph, {"exp": Verdict.HAZARD}, exp=Interval(0, 3e38), log=Interval(0, 1))
    assert kinds(graph, said, x=[89, 1]) == [("escape", True)]
    assert kinds(graph, said, x=[5, 1]) == [("escape", False)]


def test_a_guarded_failure_must_not_reach_an_output() -> None:
    build = Builder()
    x = build.input("x", Tensor(f32, (2,)))
    risky = build.add("log", x)
    kept = build.add("where", build.add("greater", x, build.constant("c", 0.0)), risky, x)
    graph = build.graph([kept])
    said = claim(graph, {"log": Verdict.GUARDED}, log=Interval(-9, 9), where=Interval(-9, 9))
    assert kinds(graph, said, x=[-1, 2]) == []
    leaky = build.graph([kept, build.add("neg", risky)])
    said = claim(leaky, {"log": Verdict.GUARDED}, log=Interval(-9, 9), where=Interval(-9, 9), neg=Interval(-9, 9))
    assert kinds(leaky, said, x=[-1, 2]) == [("guard", False)]


def test_a_selection_that_lets_a_guarded_failure_through_is_an_escape() -> None:
    build = Builder()
    x = build.input("x", Tensor(f32, (2,)))
    condition = build.add("less", x, build.constant("c", 0.0))
    graph = build.graph([build.add("where", condition, build.add("log", x), x)])
    said = claim(graph, {"log": Verdict.GUARDED}, log=Interval(-9, 9), where=Interval(-9, 9))
    assert kinds(graph, said, x=[-1, 2]) == [("escape", False)]


def test_what_a_loop_carries_is_checked_in_every_iteration() -> None:
    build = Builder()
    x = build.input("x", Tensor(f32, ()))
    body = build.region("loop")
    body.input("turn")
    going = body.input("going")
    carried = body.input("carried", Tensor(f32, ()))
    region = body.close([going, body.add("add", carried, body.constant("one", 1.0))])
    limit = build.constant("limit", 3)
    graph = build.graph(build.node("loop", [limit, None, x], 1, regions=[region]).outputs)
    assert kinds(graph, claim(graph, carried=Interval(0, 2)), x=0) == []
    assert kinds(graph, claim(graph, carried=Interval(0, 1)), x=0) == [("entry", False)]


def test_subnormal_numbers_are_flushed_where_asked() -> None:
    graph = chain("reciprocal")
    said = claim(graph, x=Interval(1e-38, 1))
    assert kinds(graph, said, x=[1e-38, 1]) == []
    assert kinds(graph, said, flushed=True, x=[1e-38, 1]) == [("failure", False)]


def test_random_graphs_are_well_formed_and_can_be_written_down() -> None:
    for seed in range(40):
        graph, ranges, _ = drawn(seed)
        assert verify(graph) == []
        assert to_text(from_text(to_text(graph))) == to_text(graph)
        for value in graph.inputs:
            low, high = ranges[value.name]
            assert low <= high
            assert shape_in_runs(value.declared) is not None


def test_random_graphs_use_the_vocabulary_and_regions() -> None:
    ops = {node.op for seed in range(600) for node in drawn(seed)[0].nodes()}
    text = {"regex_full_match", "string_concat", "string_normalizer", "string_split"}
    missing = {op.name for op in vocabulary()} - ops - text
    assert len(missing) < 20, missing
    assert {"if", "loop", "while", "scan"} <= ops


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return force(range(60), list(combinations()))


@pytest.mark.parametrize("combination", list(combinations()))
def test_no_run_refutes_the_analysis(outcome: Outcome, combination: str) -> None:
    tally = outcome.tallies[combination]
    assert not tally.crashes, "\n".join(tally.reports)
    assert not tally.refuted, "\n".join(tally.reports)
    assert tally.safe > tally.nodes / 2
