"""TFLite files by their operators, each cut out as a file of its own."""

from __future__ import annotations

from pathlib import Path

from tests.compare.conftest import PADDING_COUNTED, Compare, faulty, skip_without

skip_without("ai_edge_litert")


def test_the_deviation_rises_at_the_pooling_that_counts_padding(
    compare: Compare, saved_models: Path, tmp_path: Path
) -> None:
    env = ("--env", f"faulty={faulty(tmp_path, PADDING_COUNTED)}")
    backends = ("--backends", "litert,litert-reference,openvino@faulty")
    code, report, _ = compare(str(saved_models / "model.tflite"), *backends, *env)
    (finding,) = report["findings"]
    assert (code, finding["rule"], finding["certainty"]) == (1, "inconsistent-backends", "likely")
    assert finding["location"]["node"].endswith("pool")
    assert {*finding["evidence"]["pairs"][0]["backends"]} & {"openvino@faulty"}


def test_operators_that_agree_yield_no_finding(compare: Compare, saved_models: Path) -> None:
    code, report, _ = compare(str(saved_models / "model.tflite"))
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (0, [])
    assert set(told["backends"]) == {"litert", "litert-reference", "openvino"}
    assert set(told["unjudged"].values()) == {"no oracle knows such a layer"}
    assert any(name.endswith("pool") for name in told["unjudged"])
