"""Operators of TensorFlow one by one, as public programs use them: their shapes, and no finding where it runs."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.frontends.models import AMBIGUOUS, SUFFIXES, read_model
from mlvet.frontends.tensorflow import read_tensorflow
from mlvet.ir.graph import OPAQUE, Graph


def attribute(key: str, value: str) -> str:
    return f'attr {{ key: "{key}" value {{ {value} }} }} '


def node(name: str, op: str, *inputs: str, **attributes: str) -> str:
    listed = "".join(f'input: "{item}" ' for item in inputs)
    return f'node {{ name: "{name}" op: "{op}" {listed}{"".join(attribute(*item) for item in attributes.items())}}}\n'


def dims(*sizes: int) -> str:
    return "shape { " + " ".join(f"dim {{ size: {size} }}" for size in sizes) + " }"


def given(name: str, *sizes: int, dtype: str = "DT_FLOAT") -> str:
    """A tensor of a known shape; its identity, which declares nothing, is what operators take."""
    return node(name + "_", "Placeholder", dtype=f"type: {dtype}", shape=dims(*sizes)) + node(
        name, "Identity", name + "_", T=f"type: {dtype}"
    )


def ints(name: str, *numbers: int) -> str:
    values = " ".join(f"int_val: {number}" for number in numbers)
    tensor = f"tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: {len(numbers)} }} }} {values} }}"
    return node(name, "Const", dtype="type: DT_INT32", value=tensor)


def number(name: str, value: int) -> str:
    tensor = f"tensor {{ dtype: DT_INT32 tensor_shape {{ }} int_val: {value} }}"
    return node(name, "Const", dtype="type: DT_INT32", value=tensor)


FLOAT, INT, TEXT = "type: DT_FLOAT", "type: DT_INT32", 's: "VALID"'
STEPS = "list { i: 1 i: 1 i: 1 i: 1 }"
SHAPES = given("x", -1, 4) + given("y", 4) + node("sx", "Shape", "x", T=FLOAT) + node("sy", "Shape", "y", T=FLOAT)


def inferred(folder: Path, *nodes: str) -> tuple[Graph, Inference]:
    path = folder / "graph.pbtxt"
    path.write_text("".join(nodes), encoding="utf-8")
    graph = read_tensorflow(path, "graph.pbtxt")
    return graph, infer(graph)


def shape(graph: Graph, found: Inference, name: str) -> str:
    values = {value.name: value for item in graph.nodes() for value in item.outputs}
    return str(found.type_of(values[name]).without_value())


def conv(kernel: str) -> str:
    return given("i", 1, 8, 8, 6) + kernel + node("r", "Conv2D", "i", "k", T=FLOAT, strides=STEPS, padding=TEXT)


CASES = {
    "a kernel for a third of the channels": (conv(given("k", 3, 3, 2, 9)), "f32[1, 6, 6, 9]"),
    "the gradient of such a kernel": (
        ints("s", 2, 8, 8, 6) + given("k", 3, 3, 2, 9) + given("g", 2, 6, 6, 9)
        + node("r", "Conv2DBackpropInput", "s", "k", "g", T=FLOAT, strides=STEPS, padding=TEXT),
        "f32[2, 8, 8, 6]",
    ),
    "integer images become floats": (
        given("i", 1, 4, 4, 3, dtype="DT_UINT8") + ints("s", 8, 9)
        + node("r", "ResizeBilinear", "i", "s", T="type: DT_UINT8"),
        "f32[1, 8, 9, 3]",
    ),
    "repeated integers stay": (
        given("i", 1, 4, 4, 3, dtype="DT_UINT8") + ints("s", 8, 9)
        + node("r", "ResizeNearestNeighbor", "i", "s", T="type: DT_UINT8"),
        "u8[1, 8, 9, 3]",
    ),
    "unlike shapes are different": (
        given("a", 3) + given("b", 7) + node("r", "Equal", "a", "b", T=FLOAT, incompatible_shape_error="b: false"),
        "bool[]",
    ),
    "a product of two element types": (
        given("a", 2, 3, 4, dtype="DT_INT8") + given("b", 2, 4, 5, dtype="DT_UINT8")
        + node("r", "BatchMatMulV3", "a", "b", Ta="type: DT_INT8", Tb="type: DT_UINT8", Tout=INT),
        "i32[...]",
    ),
    "one truth per row": (
        given("c", 5, dtype="DT_BOOL") + given("a", 5, 2, 3) + given("b", 5, 2, 3)
        + node("r", "Select", "c", "a", "b", T=FLOAT),
        "f32[5, 2, 3]",
    ),
    "gathering per batch": (
        given("a", 2, 5, 3) + given("j", 2, 4, dtype="DT_INT32") + number("axis", 1)
        + node("r", "GatherV2", "a", "j", "axis", Tparams=FLOAT, Tindices=INT, Taxis=INT, batch_dims="i: 1"),
        "f32[2, 4, 3]",
    ),
    "a slice of sizes that the graph computes": (
        SHAPES + given("b", 2, dtype="DT_INT32") + node("r", "Slice", "x", "b", "sx", T=FLOAT, Index=INT),
        "f32[x_.0, 4]",
    ),
    "a slice up to an end that is not known": (
        given("a", 6, 7) + given("b", 2, dtype="DT_INT32") + ints("s", 3, -1)
        + node("r", "Slice", "a", "b", "s", T=FLOAT, Index=INT),
        "f32[3, r.1]",
    ),
    "a matrix of a diagonal": (
        given("a", 2, 3) + number("k", 1) + number("n", -1)
        + node("z", "Const", dtype=FLOAT, value="tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0 }")
        + node("r", "MatrixDiagV3", "a", "k", "n", "n", "z", T=FLOAT),
        "f32[2, 4, 4]",
    ),
    "the diagonals of matrices": (
        given("a", 2, 3, 5) + number("k", -1)
        + node("z", "Const", dtype=FLOAT, value="tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0 }")
        + node("r", "MatrixDiagPartV3", "a", "k", "z", T=FLOAT),
        "f32[2, 2]",
    ),
    "a permutation undone": (
        given("a", 2, 3, 4) + ints("p", 2, 0, 1) + node("q", "InvertPermutation", "p", T=INT)
        + node("r", "Transpose", "a", "q", T=FLOAT, Tperm=INT),
        "f32[3, 4, 2]",
    ),
    "the gradient of a broadcast": (
        given("a", 3, 4) + given("b", 4) + node("sa", "Shape", "a", T=FLOAT) + node("sb", "Shape", "b", T=FLOAT)
        + node("w", "BroadcastGradientArgs", "sa", "sb", T=INT) + node("r", "Sum", "a", "w:1", T=FLOAT, Tidx=INT),
        "f32[4]",
    ),
    "the gradient of a join": (
        SHAPES + number("last", -1) + number("rank", 2) + node("axis", "FloorMod", "last", "rank", T=INT)
        + node("o", "ConcatOffset", "axis", "sx", "sx", N="i: 2")
        + node("r", "Slice", "x", "o:1", "sx", T=FLOAT, Index=INT),
        "f32[x_.0, 4]",
    ),
    "a shape stitched together": (
        ints("i", 1) + ints("j", 0, 2) + ints("a", 5) + ints("b", 2, 3)
        + node("s", "DynamicStitch", "i", "j", "a", "b", N="i: 2", T=INT)
        + given("v", 30) + node("r", "Reshape", "v", "s", T=FLOAT, Tshape=INT),
        "f32[2, 5, 3]",
    ),
    "the gradient of a pool": (
        given("a", 2, 8, 8, 3) + given("b", 2, 4, 4, 3) + node("r", "MaxPoolGrad", "a", "b", "b", T=FLOAT),
        "f32[2, 8, 8, 3]",
    ),
    "the gradient of an average": (
        ints("s", 2, 8, 8, 3) + given("g", 2, 4, 4, 3) + node("r", "AvgPoolGrad", "s", "g", T=FLOAT),
        "f32[2, 8, 8, 3]",
    ),
    "the gradient by a kernel": (
        given("a", 2, 8, 8, 3) + ints("s", 3, 3, 3, 5) + given("g", 2, 6, 6, 5)
        + node("r", "Conv2DBackpropFilter", "a", "s", "g", T=FLOAT, strides=STEPS, padding=TEXT),
        "f32[3, 3, 3, 5]",
    ),
    "the gradient of a slice": (
        ints("s", 6, 7) + ints("b", 0, 0) + given("g", 2, 3)
        + node("r", "StridedSliceGrad", "s", "b", "b", "b", "g", T=FLOAT),
        "f32[6, 7]",
    ),
    "the gradient by the scale": (
        given("g", 2, 8, 8, 3) + given("s", 3)
        + node("n", "FusedBatchNormGradV3", "g", "g", "s", "s", "s", "s", T=FLOAT, U=FLOAT)
        + node("r", "Identity", "n:1", T=FLOAT),
        "f32[3]",
    ),
    "crops of boxes": (
        given("i", 1, 9, 9, 2, dtype="DT_UINT8") + given("b", 3, 4) + given("j", 3, dtype="DT_INT32") + ints("s", 5, 6)
        + node("r", "CropAndResize", "i", "b", "j", "s", T="type: DT_UINT8"),
        "f32[3, 5, 6, 2]",
    ),
    "elements of an array": (
        number("n", 3) + ints("j", 0, 2) + node("t", "TensorArrayV3", "n", dtype=FLOAT)
        + node("r", "TensorArrayGatherV3", "t", "j", "t:1", dtype=FLOAT, element_shape=dims(-1, 4)),
        "f32[2, r.1, 4]",
    ),
    "an element popped from a list": (
        ints("e", 2, 3) + number("n", 9) + node("l", "EmptyTensorList", "e", "n", element_dtype=FLOAT, shape_type=INT)
        + node("p", "TensorListPopBack", "l", "e", element_dtype=FLOAT) + node("r", "Identity", "p:1", T=FLOAT),
        "f32[2, 3]",
    ),
    "a step of an optimiser": (
        node("v", "VariableV2", shape=dims(3, 4), dtype=FLOAT) + given("g", 3, 4) + given("b")
        + node("r", "ApplyAdam", "v", "v", "v", "b", "b", "b", "b", "b", "b", "g", T=FLOAT),
        "f32[3, 4]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_shape_of_a_result_and_no_finding(case: str, tmp_path: Path) -> None:
    text, expected = CASES[case]
    graph, found = inferred(tmp_path, text)
    assert shape(graph, found, "r") == expected
    assert (found.violated, found.disagreements, found.failures) == ([], [], [])


@pytest.mark.parametrize("op", ["Relu6Grad", "LeakyReluGrad", "EluGrad", "SoftplusGrad", "SqrtGrad", "RsqrtGrad"])
def test_gradients_by_the_element_have_a_canonical_form(op: str, tmp_path: Path) -> None:
    graph, found = inferred(tmp_path, given("a", -1, 4), given("b", -1, 4), node("r", op, "a", "b", T=FLOAT))
    assert OPAQUE not in {item.op for item in graph.nodes()}
    assert found.violated == []


@pytest.mark.parametrize(("kernel", "rule"), [((3, 3, 4, 8), "conv-channels"), ((3, 3, 2, 8), "not-divisible")])
def test_a_kernel_that_fits_no_number_of_groups_is_found(kernel: tuple[int, ...], rule: str, tmp_path: Path) -> None:
    _, found = inferred(tmp_path, conv(given("k", *kernel)))
    assert [demand.constraint.rule for demand in found.violated] == [rule]


def test_what_a_read_declares_is_the_shape_of_a_variable_known_by_its_handle(tmp_path: Path) -> None:
    told = "list { shape { dim { size: 4 } dim { size: 5 } } }"
    graph, found = inferred(
        tmp_path,
        node("h", "Placeholder", dtype="type: DT_RESOURCE", shape="shape { }"),
        node("v", "ReadVariableOp", "h", dtype=FLOAT, _output_shapes=told),
        given("x", -1, 4), node("r", "MatMul", "x", "v", T=FLOAT),
    )  # fmt: skip
    assert shape(graph, found, "r") == "f32[x_.0, 5]"


def test_a_meta_graph_is_a_model_by_its_name_and_may_be_another_file(tmp_path: Path) -> None:
    path = tmp_path / "model.ckpt.meta"
    path.write_text("graph_def { " + given("x", 2, 3) + " }", encoding="utf-8")
    assert [value.name for value in read_model(path, path.name).inputs] == ["x_"]
    assert ".meta" in SUFFIXES & AMBIGUOUS


@pytest.mark.parametrize("before", [True, False])
def test_collection_of_garbage_goes_on_as_before_after_reading(before: bool, tmp_path: Path) -> None:
    was = gc.isenabled()
    (gc.enable if before else gc.disable)()
    try:
        inferred(tmp_path, given("x", 2))
        assert gc.isenabled() is before
    finally:
        (gc.enable if was else gc.disable)()
