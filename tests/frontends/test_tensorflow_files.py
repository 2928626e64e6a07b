"""Graphs that TensorFlow 1.15 and 2 wrote: what is in them, and what shapes and values come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.tensorflow import read_tensorflow
from mlvet.ir.graph import OPAQUE, Graph, Initialiser, Node
from mlvet.ir.verify import verify
from mlvet.runtime.reference import evaluate

FILES = Path(__file__).parent / "tensorflow_files"
ALL = sorted(
    path
    for path in FILES.iterdir()
    if path.suffix in (".pb", ".pbtxt", ".meta") or (path.is_dir() and path.name.startswith("saved"))
)


def read(name: str) -> Graph:
    return read_tensorflow(FILES / name, name)


def operators(graph: Graph) -> Counter[str]:
    return Counter(node.op for node in graph.nodes())


def opaque(graph: Graph) -> set[str]:
    return {node.source_op for node in graph.nodes() if node.op == OPAQUE}


def only(graph: Graph, op: str) -> Node:
    (found,) = (node for node in graph.nodes() if node.op == op)
    return found


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_every_file_is_a_valid_graph_without_shape_errors(path: Path) -> None:
    graph = read_tensorflow(path, path.name)
    inference = infer(graph)
    assert verify(graph) == []
    assert inference.violated == []
    assert inference.disagreements == []
    assert inference.failures == []


@pytest.mark.parametrize(
    ("name", "output", "shape"),
    [
        ("nested_while.pb", "result", "f32[x.0, 4]"),
        ("nested_while_text.pbtxt", "result", "f32[x.0, 4]"),
        ("conditional.pb", "result", "f32[3, 4]"),
        ("cond_in_while.pbtxt", "result", "f32[5]"),
        ("while_in_cond.pb", "result", "f32[5]"),
        ("conv_net.pb", "loss", "f32[]"),
        ("frozen_conv.pb", "Identity", "f32[x.0, 5]"),
        ("operators.pbtxt", "Identity", "f32[4, 1]"),
        ("functions.pbtxt", "Identity#2", "f32[2, 4]"),
        ("saved_v1", "y", "f32[x.0, 2]"),
        ("saved_v2", "StatefulPartitionedCall_1", "f32[serving_default_x.0, 4]"),
        ("saved_keras", "StatefulPartitionedCall_1", "f32[serving_default_keras_tensor.0, 5]"),
    ],
)
def test_the_shapes_of_the_results_are_inferred(name: str, output: str, shape: str) -> None:
    graph = read(name)
    inference = infer(graph)
    assert {value.name: str(inference.type_of(value)) for value in graph.outputs}[output] == shape


@pytest.mark.parametrize("name", ["nested_while.pb", "nested_while_text.pbtxt"])
def test_frames_within_frames_become_loops_within_loops(name: str) -> None:
    graph = read(name)
    (outer,) = (node for node in graph.body.nodes if node.op == "while")
    condition, body = outer.regions
    (inner,) = (node for node in body.nodes if node.op == "while")
    assert outer.name == "outer/while_context"
    assert [len(region.inputs) for region in outer.regions] == [2, 2]
    assert [node.op for node in condition.nodes] == ["less"]
    assert {node.op for node in inner.regions[1].nodes} >= {"matmul", "add"}
    assert opaque(graph) == set()


def test_a_loop_gives_what_it_computes() -> None:
    x = np.array([[1, -2, 3, -4]], np.float32)
    result = evaluate(read("nested_while.pb"), {"n": np.int32(2), "x": x})
    np.testing.assert_array_equal(result["result"], np.maximum(x, 0))


def test_switch_and_merge_become_conditionals_one_within_the_other() -> None:
    graph = read("conditional.pb")
    (outer,) = (node for node in graph.body.nodes if node.op == "if")
    then, otherwise = outer.regions
    assert [value.name for value in outer.inputs if value is not None] == ["flag"]
    assert Counter(node.op for node in then.nodes)["if"] == 1
    assert "sqrt" in {node.op for node in otherwise.nodes}
    assert then.inputs == otherwise.inputs == ()
    assert len(outer.outputs) == 2


@pytest.mark.parametrize(
    ("flag", "other", "expected"),
    [(True, True, lambda x: np.exp(x) + x.sum()), (True, False, lambda x: np.sin(x) + x.sum()),
     (False, True, lambda x: np.sqrt(x) + 2)],
)  # fmt: skip
def test_a_conditional_takes_the_right_side(flag: bool, other: bool, expected: Any) -> None:
    x = np.linspace(0.5, 2, 12, dtype=np.float32).reshape(3, 4)
    result = evaluate(read("conditional.pb"), {"flag": np.asarray(flag), "other": np.asarray(other), "x": x})
    np.testing.assert_allclose(result["result"], expected(x), rtol=1e-6)


def test_conditionals_in_loops_and_loops_in_conditionals() -> None:
    (loop,) = (node for node in read("cond_in_while.pbtxt").body.nodes if node.op == "while")
    assert "if" in {node.op for node in loop.regions[1].nodes}
    (branch,) = (node for node in read("while_in_cond.pb").body.nodes if node.op == "if")
    assert "while" in {node.op for node in branch.regions[0].nodes}


def test_the_gradient_of_a_loop_is_a_second_loop() -> None:
    graph = read("gradients_shapes.pb")
    assert operators(graph)["while"] == 2
    assert graph.notes == ()
    assert opaque(graph) == set()


def test_the_gradient_of_a_conditional_in_a_loop_has_a_conditional_in_its_loop() -> None:
    graph = read("cond_in_while_gradient.pb")
    loops = [node for node in graph.body.nodes if node.op == "while"]
    assert [sum(node.op == "if" for node in loop.regions[1].nodes) for loop in loops] == [1, 1]
    assert graph.notes == ()


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("q", [True, False])
def test_conditionals_that_depend_on_each_other_in_turn(p: bool, q: bool) -> None:
    graph = read("crossed_conditions.pb")
    x = np.array([1, 2, 3], np.float32)
    a = x + 1 if p else x - 1
    b, c = (a * 2, x * 3) if q else (x, x * 4)
    d = c + 10 if p else c
    result = evaluate(graph, {"x": x, "p": np.asarray(p), "q": np.asarray(q)})["result"]
    np.testing.assert_array_equal(result, a + b + c + d)
    assert operators(graph)["if"] == 4


def test_variables_have_shapes_initialisers_and_a_say_on_training() -> None:
    for name in ("conv_net.pb", "conv_net.meta", "conv_net_resource_shapes.pb"):
        parameters = {parameter.name: parameter for parameter in read(name).parameters}
        kernel = parameters["layer1/kernel"]
        assert str(kernel.value.declared) == "f32[5, 5, 4, 8]"
        assert kernel.module == "layer1"
        assert kernel.initialiser == Initialiser(
            "truncated_normal", (("mean", 0.0), ("stddev", float(np.float32(0.1))))
        )
        assert parameters["layer0/bias"].initialiser == Initialiser("zeros")
        (low, high) = dict(parameters["head/weights"].initialiser.figures).values()  # type: ignore[union-attr]
        assert -low == pytest.approx((6 / (392 + 10)) ** 0.5) == high
        trained = {name for name, parameter in parameters.items() if parameter.trainable}
        assert trained == {"layer0/kernel", "layer0/bias", "layer1/kernel", "layer1/bias", "head/weights"}


def test_a_recurrent_network_has_one_loop_around_the_cell() -> None:
    graph = read("dynamic_rnn.pb")
    loop = only(graph, "while")
    assert {"matmul", "sigmoid", "tanh"} <= {node.op for node in loop.regions[1].nodes}
    assert only(graph, "gather").attributes["axis"] == 0
    assert [node.attributes["perm"] for node in graph.nodes() if node.op == "transpose"] == [(1, 0, 2)] * 2
    assert all(name.startswith("TensorArray") for name in opaque(graph))


def test_a_saved_model_of_the_first_version_has_the_values_of_its_variables() -> None:
    graph = read("saved_v1")
    data = {parameter.name: parameter.data for parameter in graph.parameters}
    assert data["w"] is not None
    np.testing.assert_array_equal(data["w"].load(), np.arange(6, dtype=np.float32).reshape(3, 2))
    result = evaluate(graph, {"x": np.eye(3, dtype=np.float32)})["y"]
    np.testing.assert_allclose(result, [[1 / (1 + np.e), np.e / (1 + np.e)]] * 3, rtol=1e-6)


def test_a_saved_model_has_its_signatures_functions_and_variables() -> None:
    graph = read("saved_v2")
    assert [(run.kind, len(run.feeds), len(run.fetches)) for run in graph.executions] == [
        ("signature serving_default", 2, 1),
        ("signature pick", 2, 1),
    ]
    assert [value.name for value in graph.inputs][:2] == ["serving_default_n", "serving_default_x"]
    assert opaque(graph) == set()
    ops = operators(graph)
    assert (ops["while"], ops["if"], ops["assign_add"]) == (1, 3, 1)
    parameters = {parameter.name: parameter for parameter in graph.parameters}
    assert set(parameters) == {"w", "b", "calls"}
    assert not parameters["calls"].trainable
    assert parameters["w"].data is not None
    np.testing.assert_allclose(parameters["w"].data.load().ravel(), np.linspace(-1, 1, 16), rtol=1e-6)


def test_variables_are_used_within_calls_and_not_handed_in() -> None:
    graph = read("saved_v2")
    handles = {parameter.value for parameter in graph.parameters}
    for node in graph.nodes():
        if node.op == "call":
            assert not handles & set(node.inputs)
            assert len(node.inputs) == len(node.regions[0].inputs)
            assert node.regions[0].kind == "call"


def test_the_way_to_a_node_in_a_function_is_told() -> None:
    graph = read("saved_v2")
    (product, *_) = (node for node in graph.nodes() if node.op == "matmul")
    assert [frame.function.rstrip("0123456789_") for frame in product.stack][-1] == "__inference_step"
    assert product.location is not None
    assert product.location.node == "matmul"
    assert product.source_op == "MatMul"


def test_text_and_binary_of_one_saved_model_are_the_same_graph() -> None:
    binary, text = read("saved_v2"), read("saved_text")
    assert [str(node) for node in binary.nodes()] == [str(node) for node in text.nodes()]
    assert all(parameter.data is None for parameter in text.parameters)


@pytest.mark.parametrize(
    ("name", "inputs", "output", "checksum"),
    [("frozen_conv.pb", {"x": np.ones((1, 16, 16, 3), np.float32)}, "Identity", 1.0)],
)
def test_a_frozen_network_runs(name: str, inputs: Mapping[str, Any], output: str, checksum: float) -> None:
    result = evaluate(read(name), inputs)[output]
    assert result.sum() == pytest.approx(checksum, abs=1e-5)


def test_layouts_of_a_convolution_are_tensorflows() -> None:
    graph = read("saved_keras")
    kinds = {node.attributes["kernel_format"] for node in graph.nodes() if node.op == "conv"}
    assert kinds == {"HWIO", "HWCM"}
    strided = next(node for node in graph.nodes() if node.attributes.get("kernel_format") == "HWIO")
    assert strided.attributes["data_format"] == "NHWC"
    assert strided.attributes["strides"] == (2, 2)
    assert strided.attributes["auto_pad"] == "SAME_UPPER"
    assert opaque(graph) == set()


def test_keras_variables_get_their_own_values_although_names_repeat() -> None:
    for parameter in read("saved_keras").parameters:
        assert parameter.data is not None
        assert parameter.data.shape == parameter.value.declared.shape
        assert parameter.data.load().shape == parameter.data.shape


def test_lists_that_a_loop_fills_are_stacked_tensors() -> None:
    graph = read("tensor_list.pbtxt")
    loop = only(graph, "while")
    assert "scatter_nd" in {node.op for node in loop.regions[1].nodes}
    assert opaque(graph) == {"TensorListReserve"}
    assert str(infer(graph).type_of(graph.outputs[0])) == "f32[7, 2, 3]"
