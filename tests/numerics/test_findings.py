"""From hazards to findings: certainty, words, evidence, notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.numerics.assumptions.ranges import Given
from mlvet.analyses.numerics.request import NumericsRequest
from mlvet.analyses.numerics.telling.judgement import Judged, findings
from mlvet.analyses.shapes.inference import infer
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text
from mlvet.report.strict_json import dumps


def read(body: str, *parameters: str) -> Graph:
    return from_text("\n".join(['mlvet-graph 1 "net"', *parameters, body.strip(), ""]))


def judged(graph: Graph, seconds: float = 3.0, keep: Path | None = None, **ranges: tuple[float, float]) -> Judged:
    return findings(graph, infer(graph), catalogue(), NumericsRequest(Given(ranges), witness_seconds=seconds), keep)


def only(result: Judged) -> Finding:
    (finding,) = result.findings
    return finding


def data(finding: Finding) -> Any:
    assert finding.evidence is not None
    return finding.evidence.data


LOG_SOFTMAX = """
graph(%x: f32[2, 4]) {
  %p = softmax(%x) @probabilities
  %l = log(%p) @loss
  return %l
}
"""


class TestCertainty:
    def test_what_was_run_is_observed(self) -> None:
        finding = only(judged(read(LOG_SOFTMAX), x=(-200, 200)))
        assert (finding.rule, finding.certainty) == ("log-of-nonpositive", Certainty.OBSERVED)
        assert finding.severity is Severity.ERROR
        assert finding.assumptions == ()
        assert finding.location.node == "loss"

    def test_without_a_search_it_is_possible(self) -> None:
        finding = only(judged(read(LOG_SOFTMAX), seconds=0, x=(-200, 200)))
        assert finding.certainty is Certainty.POSSIBLE
        assert data(finding)["witness"] is None

    def test_what_is_safe_is_no_finding(self) -> None:
        assert judged(read(LOG_SOFTMAX), x=(-10, 10)).findings == []


class TestWords:
    def test_the_message_quotes_both_sides_and_ends_with_the_consequence(self) -> None:
        finding = only(judged(read(LOG_SOFTMAX), x=(-200, 200)))
        assert finding.message == "`log` receives [0, 1], which reaches 0, so the result can be -inf"

    def test_notes_tell_the_producer_the_range_and_that_it_hangs_on_it(self) -> None:
        notes = [related.message for related in only(judged(read(LOG_SOFTMAX))).related]
        assert "`p` is [0, 1], made by `softmax`" in notes
        assert "`x` is assumed to be [-3.40282e+38, 3.40282e+38], the full range of f32: give --range x=LO:HI" in notes
        assert any(note.startswith("it vanishes while |x| <= ") for note in notes)

    def test_a_given_range_is_not_called_assumed(self) -> None:
        notes = [related.message for related in only(judged(read(LOG_SOFTMAX), x=(-200, 200))).related]
        assert "`x` is [-200, 200], as given" in notes
        assert not any("vanishes" in note or "stays" in note for note in notes)

    def test_a_hazard_of_any_range_is_said_to_stay(self) -> None:
        graph = read("graph(%x: f32[3]) {\n  %t = tanh(%x) @t\n  %y = sqrt(%t) @y\n  return %y\n}")
        notes = [related.message for related in only(judged(graph)).related]
        assert "it stays even if `x` is within [-1, 1]" in notes


class TestEvidence:
    def test_it_holds_ranges_interval_and_slice(self) -> None:
        found = data(only(judged(read(LOG_SOFTMAX), x=(-200, 200))))
        assert (found["operator"], found["operand"], found["backward"]) == ("log", 0, False)
        assert found["interval"] == [0.0, 1.0, False]
        assert found["ranges"] == [{"name": "x", "low": -200.0, "high": 200.0, "origin": "given", "why": "given"}]
        assert [(edge["value"], edge["made_by"], edge["op"]) for edge in found["slice"]] == [
            ("x", None, "input"), ("p", "probabilities", "softmax"), ("l", "loss", "log"),
        ]  # fmt: skip

    def test_what_it_hangs_on(self) -> None:
        assert data(only(judged(read(LOG_SOFTMAX))))["hangs_on"]["values"] == ["x"]

    def test_small_inputs_of_the_witness_are_inline(self) -> None:
        witness = data(only(judged(read(LOG_SOFTMAX), x=(-200, 200))))["witness"]
        assert np.shape(witness["inputs"]["x"]["elements"]) == (2, 4)
        assert witness["outcome"] == "-inf"

    def test_it_is_strict_json_even_with_infinities(self) -> None:
        graph = read(
            "graph(%x: f32[3], %m: bool[3]) {\n  constant %o: f32[] = f32[] [-inf]\n  %t = tanh(%x) @t\n"
            "  %s = where(%m, %t, %o) @s\n  %y = softmax(%s) @y\n  return %y\n}"
        )
        finding = only(judged(graph))
        assert finding.rule == "all-masked-softmax"

        def refuse(word: str) -> None:
            pytest.fail(f"{word} is no JSON")

        assert json.loads(dumps(finding.to_json()), parse_constant=refuse)["evidence"]["interval"][0] == "-Infinity"

    def test_the_slice_of_a_deep_graph_has_the_nearest_nodes(self) -> None:
        lines = [f"  %v{i + 1} = tanh(%v{i}) @n{i}" for i in range(100)]
        graph = read("\n".join(["graph(%v0: f32[2]) {", *lines, "  %y = log(%v100) @y", "  return %y", "}"]))
        edges = data(only(judged(graph)))["slice"]
        assert len(edges) <= 65
        assert edges[-2]["value"] == "v100"


class TestWitnessFiles:
    def test_they_are_kept_and_replaced(self, tmp_path: Path) -> None:
        for _ in range(2):
            witness = data(only(judged(read(LOG_SOFTMAX), keep=tmp_path / "kept", x=(-200, 200))))["witness"]
        with np.load(witness["file"]) as arrays:
            assert np.abs(arrays["x"]).max() <= 200
        assert Path(witness["script"]).is_file()
        assert len(list((tmp_path / "kept").glob("*.npz"))) == 1

    def test_where_nothing_can_be_written_it_is_observed_all_the_same(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        finding = only(judged(read(LOG_SOFTMAX), keep=tmp_path / "file" / "kept", x=(-200, 200)))
        assert finding.certainty is Certainty.OBSERVED
        assert data(finding)["witness"]["file"] is None


class TestRemoteOverflows:
    def test_an_overflow_near_the_limits_of_the_dtype_is_a_note(self) -> None:
        graph = read(
            "graph(%x: f32[3], %z: f32[3]) {\n  %y = add(%x, %z) @total\n  %w = add(%y, %y) @twice\n  return %w\n}"
        )
        result = judged(graph)
        assert result.findings == []
        (note,) = result.notes
        assert note.startswith("2 operators overflow f32 only if")
        assert "total, twice" in note
        assert "no overflow up to 1e+16" in note
        assert "--range" in note

    def test_an_overflow_within_a_given_range_is_a_finding(self) -> None:
        graph = read("graph(%x: f32[3]) {\n  %y = mul(%x, %x) @y\n  return %y\n}")
        finding = only(judged(graph, x=(0, 1e30)))
        assert (finding.rule, finding.certainty) == ("arithmetic-overflow", Certainty.OBSERVED)

    def test_half_precision_is_never_remote(self) -> None:
        graph = read("graph(%x: f16[3]) {\n  %y = mul(%x, %x) @y\n  return %y\n}")
        assert only(judged(graph)).rule == "half-precision-overflow"


class TestCauses:
    def test_an_epsilon_added_to_one_is_lost(self) -> None:
        graph = read(
            "graph(%x: f32[3]) {\n  constant %e: f32[] = f32[] [1e-10]\n  constant %o: f32[] = f32[] [1.0]\n"
            "  %p = sigmoid(%x) @p\n  %s = add(%e, %o) @s\n  %d = sub(%s, %p) @d\n  %y = log(%d) @y\n  return %y\n}"
        )
        finding = only(judged(graph))
        assert finding.rule == "lost-epsilon"
        assert "the 1e-10 that `add` adds is lost beside 1 in f32" in finding.message

    def test_one_that_survives_is_not_blamed(self) -> None:
        graph = read(
            "graph(%x: f32[3]) {\n  constant %e: f32[] = f32[] [0.001]\n  constant %o: f32[] = f32[] [1.0]\n"
            "  %t = tanh(%x) @t\n  %s = add(%e, %o) @s\n  %d = sub(%s, %t) @d\n  %f = sub(%d, %o) @f\n"
            "  %y = log(%f) @y\n  return %y\n}"
        )
        assert only(judged(graph)).rule == "log-of-nonpositive"

    def test_a_count_less_one_is_no_cancellation(self) -> None:
        graph = read(
            "graph(%x: f32[3]) {\n  constant %o: f32[] = f32[] [1.0]\n  %d = sub(%x, %o) @d\n  %y = sqrt(%d) @y\n"
            "  return %y\n}"
        )
        assert only(judged(graph, x=(0, 1e7))).rule == "sqrt-of-negative"


def test_stored_nan_is_proved() -> None:
    graph = read(
        "graph(%x: f32[2]) {\n  constant %w: f32[2] = f32[2] [1.0, nan]\n  %y = add(%x, %w) @y\n  return %y\n}"
    )
    (finding,) = (each for each in judged(graph, x=(0, 1)).findings if each.rule == "nan-in-weights")
    assert finding.certainty is Certainty.PROVED
    assert finding.location.node == "w"


def test_operators_without_a_rule_are_counted() -> None:
    graph = read('graph(%x: f32[2]) {\n  %y = opaque(%x) @y source="Mystery"\n  %z = relu(%y) @z\n  return %z\n}')
    result = judged(graph)
    assert result.analysed == 1
    assert result.unanalysed == {"Mystery": 1}
