"""Graphs written by hand: operators, constants, variables, functions, control flow that is odd."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.shapes.inference import infer
from mlvet.core.errors import UsageError
from mlvet.domains import dtypes
from mlvet.frontends.tensorflow import from_tensorflow, read_tensorflow
from mlvet.ir.graph import OPAQUE, Graph
from mlvet.ir.verify import verify
from mlvet.runtime.reference import evaluate


def node(name: str, op: str, *inputs: str, **attributes: str) -> str:
    listed = "".join(f'input: "{item}" ' for item in inputs)
    pairs = "".join(f'attr {{ key: "{key}" value {{ {value} }} }} ' for key, value in attributes.items())
    return f'node {{ name: "{name}" op: "{op}" {listed}{pairs}}}\n'


def placeholder(name: str, dtype: str = "DT_FLOAT", shape: str = "dim { size: 2 }") -> str:
    return node(name, "Placeholder", dtype=f"type: {dtype}", shape=f"shape {{ {shape} }}")


def constant(name: str, tensor: str, *inputs: str) -> str:
    return node(name, "Const", *inputs, dtype="type: DT_FLOAT", value=f"tensor {{ {tensor} }}")


def ints(name: str, *numbers: int) -> str:
    values = " ".join(f"int_val: {number}" for number in numbers)
    return constant(name, f"dtype: DT_INT32 tensor_shape {{ dim {{ size: {len(numbers)} }} }} {values}")


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def build(*nodes: str) -> Graph:
        path = tmp_path / "graph.pbtxt"
        path.write_text("".join(nodes), encoding="utf-8")
        graph = read_tensorflow(path, "graph.pbtxt")
        assert verify(graph) == []
        return graph

    return build


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        ("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1.5, 2]", np.array([1.5, 2], np.float32)),
        ("dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 7", np.full(3, 7, np.float32)),
        ("dtype: DT_INT64 tensor_shape { dim { size: 4 } } int64_val: 1 int64_val: 2", np.array([1, 2, 2, 2])),
        ("dtype: DT_INT8 tensor_shape { dim { size: 2 } } int_val: -1 int_val: 5", np.array([-1, 5], np.int8)),
        ("dtype: DT_BOOL tensor_shape { } bool_val: true", np.array(True)),
        ("dtype: DT_FLOAT tensor_shape { dim { size: 2 } }", np.zeros(2, np.float32)),
        (r'dtype: DT_INT32 tensor_shape { dim { size: 1 } } tensor_content: "\001\002\000\000"',
         np.array([513], np.int32)),
        ("dtype: DT_HALF tensor_shape { dim { size: 1 } } half_val: 15360", np.array([1], np.float16)),
        ("dtype: DT_BFLOAT16 tensor_shape { } half_val: 16256", np.array(1, dtypes.bf16.numpy)),
        ("dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: 1 scomplex_val: -2", np.array(1 - 2j, np.complex64)),
        ("dtype: DT_UINT64 tensor_shape { } uint64_val: 18446744073709551615", np.array(2**64 - 1, np.uint64)),
        ('dtype: DT_STRING tensor_shape { } string_val: "text"', np.array(b"text", object)),
    ],
)  # fmt: skip
def test_constants_in_every_form(read: Any, tensor: str, expected: Any) -> None:
    (found,) = read(constant("c", tensor)).body.constants
    array = found.data.load()
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_a_huge_splat_costs_nothing(read: Any) -> None:
    graph = read(constant("c", "dtype: DT_FLOAT tensor_shape { dim { size: 1000000000000 } } float_val: 3"))
    array = graph.body.constants[0].data.load()
    assert array.shape == (10**12,)
    assert array.strides == (0,)


def test_an_unknown_operator_is_opaque_and_named(read: Any) -> None:
    graph = read(placeholder("x"), node("scope/y", "FancyNewOp", "x", "^x"))
    (found,) = graph.nodes()
    assert (found.op, found.source_op, found.module) == (OPAQUE, "FancyNewOp", "scope")
    assert found.location is not None
    assert str(found.location) == "graph.pbtxt:scope/y"


def test_control_inputs_and_devices_are_kept_and_noop_passes_control_on(read: Any) -> None:
    graph = read(
        placeholder("x"),
        node("a", "Neg", "x"),
        node("group", "NoOp", "^a"),
        'node { name: "b" op: "Abs" input: "x" input: "^group" device: "/gpu:0" }',
    )
    first, second = graph.nodes()
    assert second.control == (first,)
    assert second.device == "/gpu:0"


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "canonical", "expected"),
    [
        ("Transpose", ["x", "perm"], {}, "transpose", {"perm": (1, 0)}),
        ("Mean", ["x", "perm"], {"keep_dims": "b: true"}, "reduce_mean", {"keepdims": True}),
        ("MatMul", ["x", "x"], {"transpose_b": "b: true"}, "gemm", {"transA": False, "transB": True}),
        ("ArgMax", ["x", "one"], {}, "arg_max", {"axis": 1, "keepdims": False}),
        ("ConcatV2", ["x", "x", "one"], {}, "concat", {"axis": 1}),
        ("Concat", ["one", "x", "x"], {}, "concat", {"axis": 1}),
        ("GatherV2", ["x", "perm", "one"], {}, "gather", {"axis": 1}),
        ("LeakyRelu", ["x"], {"alpha": "f: 0.5"}, "leaky_relu", {"alpha": 0.5}),
        ("Cumsum", ["x", "one"], {"reverse": "b: true"}, "cum_sum", {"reverse": True, "exclusive": False}),
        ("Squeeze", ["x"], {}, "squeeze", {}),
        ("Cast", ["x"], {"DstT": "type: DT_INT32"}, "cast", {"to": dtypes.i32}),
        ("FloorMod", ["x", "x"], {}, "remainder", {}),
        ("RealDiv", ["x", "x"], {}, "div", {}),
        ("StridedSlice", ["x", "perm", "perm", "perm"], {"shrink_axis_mask": "i: 2"}, "strided_slice",
         {"shrink_axis_mask": 2, "begin_mask": 0}),
        ("MaxPool", ["x"], {"ksize": "list { i: 1 i: 2 i: 3 i: 1 }", "strides": "list { i: 1 i: 2 i: 2 i: 1 }",
                            "padding": 's: "VALID"'}, "max_pool",
         {"kernel_shape": (2, 3), "strides": (2, 2), "auto_pad": "VALID", "data_format": "NHWC"}),
        ("Conv2D", ["x", "x"], {"strides": "list { i: 1 i: 1 i: 2 i: 3 }", "padding": 's: "EXPLICIT"',
                                "explicit_paddings": "list { i: [0, 0, 0, 0, 1, 2, 3, 4] }",
                                "dilations": "list { i: 1 i: 1 i: 2 i: 2 }", "data_format": 's: "NCHW"'}, "conv",
         {"strides": (2, 3), "pads": (1, 3, 2, 4), "dilations": (2, 2), "data_format": "NCHW",
          "kernel_format": "HWIO"}),
    ],
)  # fmt: skip
def test_operators_take_their_canonical_form(
    read: Any, op: str, operands: list[str], attributes: dict[str, str], canonical: str, expected: dict[str, Any]
) -> None:
    one = constant("one", "dtype: DT_INT32 tensor_shape { } int_val: 1")
    graph = read(placeholder("x"), ints("perm", 1, 0), one, node("y", op, *operands, **attributes))
    found = [item for item in graph.nodes() if item.name == "y"]
    assert [item.op for item in found] == [canonical]
    assert found[0].source_op == op
    assert {name: found[0].attributes.get(name) for name in expected} == expected


def test_a_permutation_that_the_graph_computes_from_constants_is_known(read: Any) -> None:
    start = constant("start", "dtype: DT_INT32 tensor_shape { } int_val: 2")
    stop = constant("stop", "dtype: DT_INT32 tensor_shape { } int_val: 4")
    step = constant("step", "dtype: DT_INT32 tensor_shape { } int_val: 1")
    zero = constant("zero", "dtype: DT_INT32 tensor_shape { } int_val: 0")
    graph = read(
        placeholder("x"), ints("front", 1, 0), start, stop, step, zero,
        node("rest", "Range", "start", "stop", "step"),
        node("perm", "ConcatV2", "front", "rest", "zero"),
        node("y", "Transpose", "x", "perm"),
    )  # fmt: skip
    assert next(item for item in graph.nodes() if item.op == "transpose").attributes["perm"] == (1, 0, 2, 3)


def test_a_permutation_that_is_not_known_leaves_the_operator_opaque(read: Any) -> None:
    graph = read(placeholder("x"), placeholder("perm", "DT_INT32"), node("y", "Transpose", "x", "perm"))
    assert [item.op for item in graph.nodes()] == [OPAQUE]


def test_division_without_nan_is_safe_and_right(read: Any) -> None:
    graph = read(placeholder("x"), placeholder("y"), node("z", "DivNoNan", "x", "y"))
    result = evaluate(graph, {"x": np.array([1, 2], np.float32), "y": np.array([0, 4], np.float32)})
    np.testing.assert_array_equal(result["z"], [0, 0.5])


FUNCTION = """
library { function {
  signature { name: "double" input_arg { name: "v" type: DT_FLOAT } output_arg { name: "out" type: DT_FLOAT } }
  node_def { name: "sum" op: "AddV2" input: "v" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "out" value: "sum:z:0" }
} }
"""


def test_a_function_is_written_out_at_every_call(read: Any) -> None:
    call = {"f": 'func { name: "double" }', "Tout": "list { type: DT_FLOAT }"}
    graph = read(
        placeholder("x"),
        node("once", "PartitionedCall", "x", **call),
        node("twice", "double", "once"),
        FUNCTION,
    )
    assert [item.op for item in graph.body.nodes] == ["call", "call"]
    assert evaluate(graph, {"x": np.array([1, 2], np.float32)})["twice"].tolist() == [4, 8]


def test_a_function_that_calls_itself_is_told_and_not_followed(read: Any) -> None:
    recursive = FUNCTION.replace('op: "AddV2" input: "v" input: "v"', 'op: "double" input: "v"').replace("z:0", "out:0")
    graph = read(placeholder("x"), node("y", "double", "x"), recursive)
    assert [item.op for item in graph.nodes()] == ["call", OPAQUE]
    assert graph.notes == ("the function `double` calls itself; the inner call is left opaque",)


def test_a_missing_function_is_told(read: Any) -> None:
    graph = read(placeholder("x"), node("y", "PartitionedCall", "x", f='func { name: "nowhere" }'))
    assert [item.op for item in graph.nodes()] == [OPAQUE]
    assert graph.notes == ("`y` calls the function `nowhere`, which the file does not have",)


def test_a_merge_of_unrelated_values_stays_opaque_with_a_note(read: Any) -> None:
    graph = read(
        placeholder("x"), placeholder("p", "DT_BOOL", ""), placeholder("q", "DT_BOOL", ""),
        node("s", "Switch", "x", "p"), node("t", "Switch", "x", "q"), node("m", "Merge", "s", "t:1"),
    )  # fmt: skip
    assert sorted(item.source_op for item in graph.nodes()) == ["Merge", "Switch", "Switch"]
    assert all(item.op == OPAQUE for item in graph.nodes())
    assert graph.notes == ("conditionals are left opaque: `m` does not merge the two outcomes of one condition",)


def test_a_loop_without_a_condition_stays_opaque_with_a_note(read: Any) -> None:
    graph = read(
        placeholder("x"),
        node("enter", "Enter", "x", frame_name='s: "frame"'),
        node("merge", "Merge", "enter", "next"),
        node("next", "NextIteration", "merge"),
        node("exit", "Exit", "merge"),
        node("y", "Neg", "exit"),
    )
    assert [item.op for item in graph.nodes()] == [OPAQUE, "neg"]
    assert graph.notes == ("the loop `frame` is left opaque: its operators do not form a loop",)


def test_conditionals_of_one_condition_one_after_the_other_stay_apart(read: Any) -> None:
    parts = [placeholder("x"), placeholder("p", "DT_BOOL", "")]
    before = "x"
    for turn in range(3):
        parts += [
            node(f"s{turn}", "RefSwitch", before, "p"),
            node(f"no{turn}", "Neg", f"s{turn}"),
            node(f"yes{turn}", "Square", f"s{turn}:1"),
            node(f"m{turn}", "RefMerge", f"no{turn}", f"yes{turn}"),
        ]
        before = f"m{turn}"
    graph = read(*parts, node("y", "Identity", before))
    assert [item.op for item in graph.body.nodes] == ["if", "if", "if", "identity"]
    x = np.array([2, 3], np.float32)
    assert evaluate(graph, {"x": x, "p": np.asarray(True)})["y"].tolist() == [256, 6561]
    assert evaluate(graph, {"x": x, "p": np.asarray(False)})["y"].tolist() == [-2, -3]


def test_what_only_one_side_does_stays_on_that_side(read: Any) -> None:
    graph = read(
        placeholder("x"), placeholder("p", "DT_BOOL", ""),
        node("s", "Switch", "x", "p"), node("say", "PrintV2", "s:1"),
    )  # fmt: skip
    (branch,) = graph.body.nodes
    assert branch.op == "if"
    assert [[item.op for item in region.nodes] for region in branch.regions] == [["print"], []]


def test_a_chain_of_a_hundred_thousand_nodes_is_no_trouble(read: Any) -> None:
    count = 100_000
    parts = [placeholder("n0")] + [f'node{{name:"n{i}" op:"Relu" input:"n{i - 1}"}}\n' for i in range(count, 0, -1)]
    graph = read(*parts)
    assert len(graph.body.nodes) == count
    assert graph.outputs[0].name == f"n{count}"


def test_only_paths_and_graphs_are_taken() -> None:
    with pytest.raises(UsageError, match="a path or a TensorFlow graph is needed, not int"):
        from_tensorflow(3)


def test_a_live_graph_is_asked_for_its_definition() -> None:
    class Definition:
        def SerializeToString(self) -> bytes:  # noqa: N802
            return b"\n\x19\n\x01x\x12\x0bPlaceholder*\x07\n\x05dtype"

    class Live:
        name = "live"

        def as_graph_def(self) -> Definition:
            return Definition()

    graph = from_tensorflow(Live())
    assert (graph.name, [value.name for value in graph.inputs]) == ("live", ["x"])


@pytest.mark.parametrize(("producer", "shape"), [(23, "f32[...]"), (24, "f32[]")])
def test_a_placeholder_without_dims_is_a_number_only_in_newer_graphs(read: Any, producer: int, shape: str) -> None:
    graph = read(placeholder("x", shape=""), f"versions {{ producer: {producer} }}")
    assert str(graph.inputs[0].declared) == shape


def test_a_product_that_does_not_fit_is_found_at_its_node(read: Any) -> None:
    graph = read(
        placeholder("a", shape="dim { size: 2 } dim { size: 3 }"),
        placeholder("b", shape="dim { size: 4 } dim { size: 5 }"),
        node("layer/product", "MatMul", "a", "b", T="type: DT_FLOAT"),
    )
    (found,) = infer(graph).violated
    assert found.node.location is not None
    assert found.node.location.node == "layer/product"
