"""ONNX models on OpenVINO: inputs whose names it drops, and lengths that it does not look at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

from tests.compare.conftest import Compare

IDLE = """<ir_version: 9, opset_import: ["": 17]>
model (float[n, 4] x, float[n, 4] y) => (float[n, 4] z) {
  ratio = Constant <value_float = 0.5> ()
  sharp = Softmax <axis = 1> (x)
  kept = Dropout (sharp, ratio)
  z = Mul (kept, y)
}"""


def test_an_operator_that_does_nothing_keeps_its_input(compare: Compare, tmp_path: Path) -> None:
    """OpenVINO takes Dropout out, and gives its input the name of what it yields."""
    onnx.save(onnx.parser.parse_model(IDLE), str(tmp_path / "model.onnx"))
    code, report, _ = compare("model.onnx", "--backends", "onnxruntime,openvino")
    assert (code, report["findings"]) == (0, [])
    layers = report["summary"]["analyses"]["compare"]["layers"]
    assert ("Dropout", "openvino") in {(each["kind"], each["backend"]) for each in layers}


def recurrent(path: Path) -> None:
    """Two GRU of different sizes that take the lengths of their sequences."""
    random = np.random.default_rng(3)
    nodes = [helper.make_node("Transpose", ["x"], ["turned"], name="turn", perm=[1, 0, 2])]
    stored, entering, size = [], "turned", 3
    for number, hidden in enumerate((4, 2)):
        arrays = {f"w{number}": (1, 3 * hidden, size), f"r{number}": (1, 3 * hidden, hidden)}
        stored += [
            numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name)
            for name, shape in arrays.items()
        ]
        nodes += [
            helper.make_node(
                "GRU", [entering, *arrays, "", "lengths"], [f"all{number}"], name=f"gru{number}", hidden_size=hidden
            ),
            helper.make_node("Squeeze", [f"all{number}", "axis"], [f"y{number}"], name=f"squeeze{number}"),
        ]
        entering, size = f"y{number}", hidden
    nodes.append(helper.make_node("Transpose", ["y1"], ["y"], name="turn_back", perm=[1, 0, 2]))
    stored.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "time", 3]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "time", 2])
    graph = helper.make_graph(nodes, "recurrent", inputs, [output], stored)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))


def test_lengths_of_sequences_that_a_backend_ignores_are_one_cause(compare: Compare, tmp_path: Path) -> None:
    """OpenVINO looks at them where sizes are fixed, and not where they are open."""
    recurrent(tmp_path / "model.onnx")
    random = np.random.default_rng(5)
    x = random.normal(size=(4, 5, 3)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=x, lengths=np.array([5, 3, 2, 1], np.int32))
    code, report, _ = compare("model.onnx", "--data", "data.npz", "--backends", "onnxruntime,openvino,mlvet")
    (finding,) = report["findings"]
    assert code == 1
    assert (finding["location"]["node"], finding["evidence"]["blamed"]) == ("gru0", "openvino")
    assert finding["evidence"]["layers"] == ["gru0", "gru1"]
