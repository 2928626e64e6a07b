"""SavedModels: a runtime that pools wrongly is found by operators, and converters that are right are not blamed."""

from __future__ import annotations

from pathlib import Path

from tests.compare.conftest import PADDING_COUNTED, Compare, faulty, skip_without

skip_without("tensorflow")


def test_pooling_that_counts_padding_is_found_at_its_operator(
    compare: Compare, saved_models: Path, tmp_path: Path
) -> None:
    env = ("--env", f"faulty={faulty(tmp_path, PADDING_COUNTED)}")
    backends = ("--backends", "tensorflow,openvino,openvino@faulty")
    code, report, _ = compare(str(saved_models / "saved"), *backends, *env)
    (finding,) = report["findings"]
    assert (code, finding["evidence"]["blamed"], finding["evidence"]["oracle"]) == (1, "openvino@faulty", "mlvet")
    assert finding["location"]["node"].endswith("/pool")
    told = report["summary"]["analyses"]["compare"]
    assert {each["kind"] for each in told["layers"]} >= {"Conv2D", "Relu", "AvgPool", "MatMul", "Softmax", "Max"}
    assert (told["truth"], told["unjudged"]) == ("mlvet", {})


def test_converters_that_are_right_are_not_blamed(compare: Compare, saved_models: Path) -> None:
    skip_without("tf2onnx")
    backends = "tensorflow,onnxruntime,litert"
    code, report, _ = compare(str(saved_models / "saved"), "--backends", backends)
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"], set(told["backends"])) == (0, [], {*backends.split(",")})
    assert "by tf2onnx" in told["backends"]["onnxruntime"]


def test_a_folder_that_is_no_model(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, report, errors = compare("empty")
    assert (code, report) == (2, {})
    assert "no kind of model" in errors


def test_a_damaged_model(compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").write_bytes(b"nothing of a model")
    code, report, errors = compare("saved")
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert "no backend can open the model" in errors
