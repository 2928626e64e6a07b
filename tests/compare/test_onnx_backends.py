"""ONNX models on their real backends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from mlvet.runtime.onnx_parts import OnnxParts
from tests.compare.conftest import Compare, written

FAST = "onnxruntime,onnxruntime-noopt,onnx-reference,mlvet"


def test_backends_that_agree_yield_no_finding(compare: Compare, onnx_model: Path) -> None:
    code, report, errors = compare(onnx_model.name, "--backends", f"{FAST},openvino")
    assert (code, report["findings"], errors) == (0, [], "")
    told = report["summary"]["analyses"]["compare"]
    assert set(told["backends"]) == {*FAST.split(","), "openvino"}
    assert told["inconsistencies"] == {"total": 0, "unique": 0}
    assert {each["layer"] for each in told["layers"]} == {"conv", "relu", "pool", "rows_of", "dense", "softmax"}
    assert all(each["times_noise"] < 4 for each in told["layers"])


def test_places_of_the_greatest_by_columns_are_wrong_on_openvino(compare: Compare, tmp_path: Path) -> None:
    written(tmp_path / "model.onnx", storage_order=1)
    code, report, _ = compare("model.onnx", "--backends", f"{FAST},openvino")
    (finding,) = report["findings"]
    assert code == 1
    assert finding["location"] == {"path": "model.onnx", "node": "pool"}
    assert finding["evidence"]["blamed"] == "openvino"
    assert finding["certainty"] == "observed"


def test_the_users_examples_and_labels_are_used(compare: Compare, onnx_model: Path) -> None:
    folder = onnx_model.parent
    random = np.random.default_rng(1)
    np.savez(folder / "data.npz", image=random.normal(size=(20, 3, 10, 10)).astype(np.float32))
    np.save(folder / "labels.npy", random.integers(0, 5, 20))
    options = ("--data", "data.npz", "--labels", "labels.npy", "--backends", "onnxruntime,onnx-reference")
    code, report, _ = compare(onnx_model.name, *options)
    told = report["summary"]["analyses"]["compare"]
    assert code == 0
    assert (told["truth"], told["examples"], told["pairs"][0]["metric"]) == ("labels", 20, "class")
    assert told["pairs"][0]["pattern"][0] == 20


def test_a_size_below_zero_is_open(onnx_model: Path, tmp_path: Path) -> None:
    model = onnx.load(onnx_model)
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_value = -1
    onnx.save(model, tmp_path / "open.onnx")
    ((_, dims, _),) = OnnxParts(tmp_path / "open.onnx", tmp_path).inputs()
    assert dims == (None, 3, None, 10)
