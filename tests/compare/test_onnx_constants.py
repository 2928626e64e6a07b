"""Constants of an ONNX model belong to the nodes that take them, as what the model stores does."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser

from mlvet.runtime.onnx_parts import OnnxParts
from tests.compare.conftest import Compare

SLICED = """<ir_version: 9, opset_import: ["": 17]>
model (float[n, 6] x) => (float[n, m] z) {
  one = Constant <value_ints = [1]> ()
  end = Constant <value_ints = [9223372036854775807]> ()
  rest = Slice (x, one, end, one)
  two = Constant <value_float = 2.0> ()
  half = Mul (rest, two)
  z = Tanh (half)
}"""


def test_a_part_has_the_constants_that_it_takes(tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(SLICED), str(tmp_path / "model.onnx"))
    parts = OnnxParts(tmp_path / "model.onnx", tmp_path)
    assert [(node.name, node.inputs) for node in parts.nodes] == [
        ("Slice_2", ("x",)), ("Mul_4", ("rest",)), ("Tanh_5", ("half",)),
    ]  # fmt: skip
    part = onnx.load(str(parts.alone("Slice_2")))
    assert {each.name for each in part.graph.initializer} == {"one", "end"}
    assert [each.name for each in part.graph.input] == ["x"]


def test_an_output_that_is_a_constant_stays_a_node(tmp_path: Path) -> None:
    text = SLICED.replace("=> (float[n, m] z)", "=> (float[n, m] z, float two)")
    onnx.save(onnx.parser.parse_model(text), str(tmp_path / "model.onnx"))
    assert "Constant_3" in [node.name for node in OnnxParts(tmp_path / "model.onnx", tmp_path).nodes]


def test_the_end_of_all_numbers_blames_nobody(compare: Compare, tmp_path: Path) -> None:
    """OpenVINO holds whole numbers in 32 bits where they are not stored in the model."""
    onnx.save(onnx.parser.parse_model(SLICED), str(tmp_path / "model.onnx"))
    code, report, _ = compare("model.onnx", "--backends", "onnxruntime,openvino", "--mutate", "0.05")
    assert (code, report["findings"]) == (0, [])
    assert not [note for note in report["summary"]["notes"] if "cannot be" in note]


SOUGHT = """<ir_version: 9, opset_import: ["": 17]>
model (int64[n, 4] ids) => (float[n, 4, 2] y)
  <float[5, 2] table = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}>
{
  y = Gather <axis = 0> (table, ids)
}"""


def test_made_tokens_are_those_of_the_table(compare: Compare, tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(SOUGHT), str(tmp_path / "model.onnx"))
    code, report, _ = compare("model.onnx", "--backends", "onnxruntime,onnx-reference")
    assert (code, report["findings"]) == (0, [])
    assert len(report["summary"]["analyses"]["compare"]["pairs"]) == 1


def test_a_single_backend_that_runs_is_told(compare: Compare, tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(SLICED.replace("Tanh", "Hardmax")), str(tmp_path / "model.onnx"))
    code, report, _ = compare("model.onnx", "--backends", "onnxruntime,torch")
    assert code == 0
    assert any("only `onnxruntime` runs the model" in note for note in report["summary"]["notes"])
