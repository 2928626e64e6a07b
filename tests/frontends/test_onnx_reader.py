"""What the reader makes of a model, held against the onnx package's own reading of the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.external_data_helper
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.onnx import from_onnx, read_onnx
from mlvet.frontends.onnx.tensors import DTYPES
from mlvet.ir.graph import Graph
from mlvet.runtime import evaluate

ELEMENT_TYPES = {name: code for name, code in TensorProto.DataType.items() if name != "UNDEFINED"}


def held(graph: Graph, name: str) -> Any:
    """The elements of a constant or parameter."""
    for parameter in graph.parameters:
        if parameter.name == name and parameter.data is not None:
            return parameter.data.load()
    constants = {constant.value.name: constant.data for region in graph.regions() for constant in region.constants}
    return constants[name].load()


def with_weight(tensor: Any) -> Any:
    info = helper.make_tensor_value_info("y", tensor.data_type, list(tensor.dims))
    nodes = [helper.make_node("Identity", [tensor.name], ["y"])]
    return helper.make_model(helper.make_graph(nodes, "g", [], [info], initializer=[tensor]))


def test_every_element_type_of_onnx_is_known() -> None:
    assert set(ELEMENT_TYPES.values()) == set(DTYPES)


def numbers(name: str) -> Any:
    if name == "STRING":
        return np.asarray(["a", "ü", ""], dtype=object)
    dtype = DTYPES[ELEMENT_TYPES[name]].numpy
    return np.asarray([1, 0, 1, 1, 0, 1, 1] if name == "BOOL" else [0, 1, 1, 0, 2, 1, 3], np.float32).astype(dtype)


@pytest.mark.parametrize("name", sorted(ELEMENT_TYPES))
def test_elements_written_one_by_one(name: str) -> None:
    array = numbers(name)
    tensor = helper.make_tensor("w", ELEMENT_TYPES[name], array.shape, array.tolist())
    check(tensor)


@pytest.mark.parametrize("name", sorted(ELEMENT_TYPES.keys() - {"STRING"}))
def test_elements_written_as_bytes(name: str) -> None:
    tensor = numpy_helper.from_array(numbers(name), "w")
    tensor.data_type = ELEMENT_TYPES[name]
    assert tensor.HasField("raw_data")
    check(tensor)


def check(tensor: Any) -> None:
    expected = numpy_helper.to_array(tensor)
    if tensor.data_type == TensorProto.STRING:
        expected = np.asarray([e.decode() if isinstance(e, bytes) else e for e in expected], dtype=object)
    got = held(from_onnx(with_weight(tensor)), "w")
    assert dtypes.of(got.dtype) is DTYPES[tensor.data_type]
    assert got.shape == expected.shape
    assert list(map(str, got)) == list(map(str, expected.astype(got.dtype)))


def test_negative_elements_of_four_bits() -> None:
    tensor = helper.make_tensor("w", TensorProto.INT4, [5], [-8, 7, -1, 0, 3])
    assert held(from_onnx(with_weight(tensor)), "w").astype(int).tolist() == [-8, 7, -1, 0, 3]


def test_external_data_is_mapped_from_its_place(tmp_path: Path) -> None:
    big = np.arange(5000, dtype=np.float32)
    small = np.arange(7, dtype=np.int32)
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Identity", ["big"], ["y"])], "g", [],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5000])],
            initializer=[numpy_helper.from_array(big, "big"), numpy_helper.from_array(small, "small")],
        )
    )  # fmt: skip
    path = tmp_path / "model.onnx"
    onnx.save_model(model, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert path.stat().st_size < 1000
    graph = read_onnx(path, "model.onnx")
    assert held(graph, "big").tolist() == big.tolist()
    assert held(graph, "small").tolist() == small.tolist()


def parsed(text: str) -> Graph:
    return from_onnx(onnx.parser.parse_model(text))


HEADER = '<ir_version: 9, opset_import: ["" : 20, "local" : 1]>\n'


def test_declared_shapes_keep_the_names_of_dims() -> None:
    graph = parsed(HEADER + "g (float[N, 3, ?] x, float16[] s, int64 u) => (float[N, 3, M] y) { y = Identity(x) }")
    x, s, u = graph.inputs
    assert isinstance(x.declared.shape, tuple)
    assert x.declared.dtype is dtypes.f32
    assert x.declared.shape[:2] == (symbol("N"), 3)
    assert s.declared.dtype is dtypes.f16
    assert u.declared == Tensor(dtypes.i64, ()) or isinstance(u.declared.shape, Unranked)
    assert graph.outputs[0].declared.shape == (symbol("N"), 3, symbol("M"))


def test_attributes_of_every_kind() -> None:
    graph = from_onnx(
        helper.make_model(
            helper.make_graph(
                [
                    helper.make_node("Conv", ["x", "w"], ["a"], strides=[2, 1], auto_pad="SAME_UPPER", group=1),
                    helper.make_node("LeakyRelu", ["a"], ["b"], alpha=0.25),
                    helper.make_node("Cast", ["b"], ["c"], to=TensorProto.BFLOAT16),
                    helper.make_node("ConstantOfShape", ["s"], ["d"], value=helper.make_tensor("v", 6, [1], [7])),
                ],
                "g",
                [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in "xw"]
                + [helper.make_tensor_value_info("s", TensorProto.INT64, [2])],
                [helper.make_tensor_value_info("c", TensorProto.BFLOAT16, None)],
            ),
            opset_imports=[helper.make_opsetid("", 20)],
        )
    )
    conv, leaky, cast, filled = graph.nodes()
    assert dict(conv.attributes) == {"strides": (2, 1), "auto_pad": "SAME_UPPER", "group": 1}
    assert dict(leaky.attributes) == {"alpha": 0.25}
    assert dict(cast.attributes) == {"to": dtypes.bf16}
    assert dict(filled.attributes) == {"value": 7, "dtype": dtypes.i32}
    assert graph.notes == ()


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"value": numpy_helper.from_array(np.asarray([[1, 2]], np.int16))}, np.asarray([[1, 2]], np.int16)),
        ({"value_float": 1.5}, np.asarray(1.5, np.float32)),
        ({"value_floats": [1.5, 2.0]}, np.asarray([1.5, 2.0], np.float32)),
        ({"value_int": -3}, np.asarray(-3, np.int64)),
        ({"value_ints": [1, 2, 3]}, np.asarray([1, 2, 3], np.int64)),
        ({"value_string": "ü"}, np.asarray("ü", object)),
        ({"value_strings": ["a", "b"]}, np.asarray(["a", "b"], object)),
    ],
    ids=lambda v: next(iter(v)) if isinstance(v, dict) else "",
)
def test_constants_of_every_form(attribute: dict[str, Any], expected: Any) -> None:
    info = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = from_onnx(
        helper.make_model(helper.make_graph([helper.make_node("Constant", [], ["y"], **attribute)], "g", [], [info]))
    )
    got = held(graph, "y")
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert got.tolist() == expected.tolist()


def sparse(indices: list[Any]) -> Any:
    values = helper.make_tensor("w", TensorProto.FLOAT, [2], [5.0, 7.0])
    where = numpy_helper.from_array(np.asarray(indices, np.int64), "where")
    return helper.make_sparse_tensor(values, where, [2, 3])


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]], ids=["flat", "by dim"])
def test_sparse_tensors_are_spread_out(indices: list[Any]) -> None:
    info = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    nodes = [helper.make_node("Identity", ["w"], ["y"])]
    stored = from_onnx(
        helper.make_model(helper.make_graph(nodes, "g", [], [info], sparse_initializer=[sparse(indices)]))
    )
    assert held(stored, "w").tolist() == [[0, 5, 0], [0, 0, 7]]
    node = helper.make_node("Constant", [], ["y"], sparse_value=sparse(indices))
    constant = from_onnx(helper.make_model(helper.make_graph([node], "g", [], [info])))
    assert held(constant, "y").tolist() == [[0, 5, 0], [0, 0, 7]]


def test_initializers_that_are_inputs_too_are_weights() -> None:
    graph = parsed(HEADER + "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1.0, 2.0}> { y = Add(x, w) }")
    assert [value.name for value in graph.inputs] == ["x"]
    assert [parameter.name for parameter in graph.parameters] == ["w"]
    assert evaluate(graph, {"x": np.zeros(2, np.float32)})["y"].tolist() == [1, 2]


def test_nodes_need_not_be_in_order() -> None:
    graph = parsed(HEADER + "g (float[2] x) => (float[2] y) { y = Neg(b)\n b = Add(a, x)\n a = Relu(x) }")
    assert [node.op for node in graph.nodes()] == ["relu", "add", "neg"]


def test_missing_operands_and_results() -> None:
    graph = parsed(HEADER + "g (float[2] x, float m) => (float[2] y) { y = Clip(x, , m) }")
    (clip,) = graph.nodes()
    assert [value and value.name for value in clip.inputs] == ["x", None, "m"]


SUBGRAPH = (
    HEADER
    + """g (bool c, float[2] x) => (float[2] y) {
        h = Relu(x)
        y = If (c) <
            then_branch = inner () => (float[2] t) { h2 = Add(h, x)  t = Neg(h2) },
            else_branch = other () => (float[2] e) { h2 = Sub(h, x)  e = Exp(h2) }
        >
    }"""
)


def test_subgraphs_see_the_values_around_them() -> None:
    graph = parsed(SUBGRAPH)
    branch = next(node for node in graph.nodes() if node.op == "if")
    assert [region.name for region in branch.regions] == ["If_y.then_branch", "If_y.else_branch"]
    h = next(node for node in graph.nodes() if node.op == "relu").outputs[0]
    assert all(region.nodes[0].inputs[0] is h for region in branch.regions)
    x = np.asarray([1, -1], np.float32)
    assert evaluate(graph, {"c": np.asarray(True), "x": x})["y"].tolist() == [-2, 1]
    assert evaluate(graph, {"c": np.asarray(False), "x": x})["y"].tolist() == [1, np.exp(np.float32(1))]


def test_names_inside_hide_those_outside() -> None:
    text = (
        SUBGRAPH.replace("h2", "h").replace("h = Add(h, x)", "h = Add(x, x)").replace("h = Sub(h, x)", "h = Sub(x, x)")
    )
    graph = parsed(text)
    x = np.asarray([1, -1], np.float32)
    assert evaluate(graph, {"c": np.asarray(True), "x": x})["y"].tolist() == [-2, 2]
    names = [value.name for node in graph.nodes() for value in node.outputs]
    assert len(names) == len(set(names))


FUNCTION = (
    HEADER
    + """g (float[2] x) => (float[2] y, float[2] z) {
        y = local.scaled <slope = 0.5> (x)
        z = local.scaled (x, y)
    }
    <domain: "local", opset_import: ["" : 20]>
    scaled <slope: float = 0.25> (a, b) => (r) {
        n = LeakyRelu <alpha: float = @slope> (a)
        r = Clip (n, b)
    }"""
)


def test_functions_are_called_with_their_attributes_and_operands() -> None:
    graph = parsed(FUNCTION)
    first, second = (node for node in graph.body.nodes if node.op == "call")
    assert first.regions[0].nodes[0].attributes["alpha"] == 0.5
    assert second.regions[0].nodes[0].attributes["alpha"] == 0.25
    assert first.regions[0].nodes[1].inputs[1:] == (None,)
    results = evaluate(graph, {"x": np.asarray([-4, 2], np.float32)})
    assert results["y"].tolist() == [-2, 2]


def test_functions_of_one_name_differ_by_overload() -> None:
    imports = [helper.make_opsetid("", 20)]
    bodies = {"one": "Neg", "two": "Relu"}
    functions = [
        helper.make_function(
            "local", "f", ["a"], ["b"], [helper.make_node(op, ["a"], ["b"])], imports, overload=overload
        )
        for overload, op in bodies.items()
    ]
    nodes = [
        helper.make_node("f", ["x"], ["h"], domain="local", overload="two"),
        helper.make_node("f", ["h"], ["y"], domain="local", overload="one"),
    ]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:])
    model = helper.make_model(
        graph, opset_imports=[*imports, helper.make_opsetid("local", 1)], functions=functions, ir_version=10
    )
    assert evaluate(from_onnx(model), {"x": np.asarray([-1, 2], np.float32)})["y"].tolist() == [0, -2]


def test_where_a_node_is() -> None:
    graph = parsed(HEADER + "g (float[2] x) => (float[2] y) { [first] y = Relu(x) }")
    (node,) = graph.nodes()
    assert node.name == "first"
    assert node.source_op == "Relu"
    assert node.location is not None
    assert node.location.node == "first"


def test_operators_of_others_are_opaque() -> None:
    graph = parsed(HEADER + "g (float[2] x) => (float[2] y) { y = local.Mystery(x) }")
    (node,) = graph.nodes()
    assert (node.op, node.source_op) == ("opaque", "local:Mystery")
    assert node.outputs[0].declared == Tensor(dtypes.f32, (2,))
