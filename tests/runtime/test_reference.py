"""The evaluator: regions, sequences, functions, what it keeps and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.core.errors import UsageError
from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.models import read_model
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Data, Graph, Value
from mlvet.runtime import NoReference, evaluate

VECTOR = Tensor(dtypes.f32, (2,))
NUMBER = Tensor(dtypes.i64, ())


def array(*numbers: float) -> Any:
    return np.asarray(numbers, np.float32)


def test_outputs_by_name() -> None:
    builder = Builder()
    x = builder.input("x", VECTOR)
    y = builder.add("add", builder.add("relu", x), x)
    results = evaluate(builder.graph([y]), {"x": array(-1, 2)})
    assert list(results) == [y.name]
    assert results[y.name].tolist() == [-1, 4]


def test_every_value_on_request() -> None:
    builder = Builder()
    x = builder.input("x", VECTOR)
    hidden = builder.add("relu", x)
    results = evaluate(builder.graph([builder.add("neg", hidden)]), {"x": array(-1, 2)}, values=True)
    assert results[hidden.name].tolist() == [0, 2]
    assert results["x"].tolist() == [-1, 2]


def test_parameters_come_from_the_file_or_from_the_caller() -> None:
    builder = Builder()
    x = builder.input("x", VECTOR)
    stored = builder.parameter("w", VECTOR, data=Data(dtypes.f32, (2,), lambda: array(1, 1)))
    graph = builder.graph([builder.add("add", x, builder.add("mul", stored, builder.parameter("v", VECTOR)))])
    (name,) = (value.name for value in graph.outputs)
    assert evaluate(graph, {"x": array(0, 0), "v": array(2, 3)})[name].tolist() == [2, 3]
    assert evaluate(graph, {"x": array(0, 0), "v": array(2, 3), "w": array(0, 1)})[name].tolist() == [0, 3]
    with pytest.raises(UsageError, match="no value was given for the parameter `v`"):
        evaluate(graph, {"x": array(0, 0)})
    with pytest.raises(UsageError, match="no value was given for the input `x`"):
        evaluate(graph, {"v": array(2, 3)})


def test_an_operator_without_reference_is_named() -> None:
    builder = Builder()
    node = builder.opaque("vendor:Mystery", [builder.input("x", VECTOR)], name="strange")
    with pytest.raises(NoReference, match="operator vendor:Mystery of node `strange` has no reference") as caught:
        evaluate(builder.graph(node.outputs), {"x": array(1, 2)})
    assert caught.value.op == "vendor:Mystery"


def test_dead_values_are_let_go() -> None:
    """A long chain of large values needs no more memory than a few of them."""
    import tracemalloc

    builder = Builder()
    value = builder.input("x", Tensor(dtypes.f32, (1 << 18,)))
    for _ in range(50):
        value = builder.add("neg", value)
    graph = builder.graph([value])
    given = np.zeros(1 << 18, np.float32)
    tracemalloc.start()
    evaluate(graph, {"x": given})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * given.nbytes


def counting(builder: Builder, *, name: str) -> tuple[Builder, Value]:
    """A region of one number, and the number."""
    region = builder.region("loop", name)
    return region, region.input(name, NUMBER)


def test_while() -> None:
    builder = Builder()
    start = builder.input("start", NUMBER)
    limit = builder.constant("limit", 100)
    condition, n = counting(builder, name="n")
    goes = condition.close([condition.add("less", n, limit)])
    body, m = counting(builder, name="m")
    doubled = body.close([body.add("add", m, m)])
    node = builder.node("while", [start], 1, regions=[goes, doubled])
    results = evaluate(builder.graph(node.outputs), {"start": np.asarray(3)})
    assert int(results[node.outputs[0].name]) == 192


def test_loop_carries_and_stacks() -> None:
    builder = Builder()
    count = builder.input("count", NUMBER)
    body = builder.region("loop", "body")
    turn, goes, total = body.input("turn", NUMBER), body.input("goes"), body.input("total", NUMBER)
    grown = body.add("add", total, turn)
    region = body.close([goes, grown, body.add("mul", grown, grown)])
    node = builder.node("loop", [count, None, builder.constant("zero", 0)], 2, regions=[region])
    graph = builder.graph(node.outputs)
    last, squares = (value.name for value in node.outputs)
    results = evaluate(graph, {"count": np.asarray(4)})
    assert int(results[last]) == 6
    assert results[squares].tolist() == [0, 1, 9, 36]
    assert evaluate(graph, {"count": np.asarray(0)})[squares].shape == (0,)


def test_scan_along_axes_and_backwards() -> None:
    builder = Builder()
    x = builder.input("x", Tensor(dtypes.f32, (2, 3)))
    body = builder.region("loop", "body")
    total, item = body.input("total", VECTOR), body.input("item", VECTOR)
    grown = body.add("add", total, item)
    node = builder.node(
        "scan", [builder.constant("zero", np.zeros(2, np.float32)), x], 2,
        {"num_scan_inputs": 1, "scan_input_axes": (1,), "scan_input_directions": (1,), "scan_output_axes": (1,)},
        regions=[body.close([grown, grown])],
    )  # fmt: skip
    given = np.asarray([[1, 2, 3], [10, 20, 30]], np.float32)
    results = evaluate(builder.graph(node.outputs), {"x": given})
    last, sums = (results[value.name].tolist() for value in node.outputs)
    assert last == [6, 60]
    assert sums == [[3, 5, 6], [30, 50, 60]]


def test_functions_of_the_graph_may_call_themselves() -> None:
    """Factorial, by a function that the graph names."""
    builder = Builder()
    function = builder.region("function", "factorial")
    n = function.input("n", NUMBER)
    one = function.constant("one", 1)
    small, large = function.region("branch", "small"), function.region("branch", "large")
    ends = small.close([one])
    less = large.node("call", [large.add("sub", n, one)], 1, {"function": "factorial"}).outputs[0]
    goes = large.close([large.add("mul", n, less)])
    outcome = function.node("if", [function.add("less_or_equal", n, one)], 1, regions=[ends, goes])
    body = function.close(outcome.outputs)
    call = builder.node("call", [builder.input("x", NUMBER)], 1, {"function": "factorial"})
    graph: Graph = builder.graph(call.outputs, functions={"factorial": body})
    assert int(evaluate(graph, {"x": np.asarray(6)})[call.outputs[0].name]) == 720


def test_sequences_and_optionals_pass_through() -> None:
    builder = Builder()
    xs = builder.input("xs")
    body = builder.region("loop", "body")
    mapped = builder.node("sequence_map", [xs], 1, regions=[body.close([body.add("neg", body.input("x", VECTOR))])])
    graph = builder.graph([mapped.outputs[0], builder.add("identity", xs)])
    negated, same = evaluate(graph, {"xs": [array(1, 2), array(3)]}).values()
    assert [item.tolist() for item in negated] == [[-1, -2], [-3]]
    assert isinstance(same, list)


def test_a_variable_holds_what_was_written_last() -> None:
    builder = Builder()
    x = builder.input("x", VECTOR)
    held = builder.parameter("v", VECTOR, data=Data(dtypes.f32, (2,), lambda: array(1, 2)))
    first = builder.add("read_variable", held)
    builder.add("assign_add", held, x)
    second = builder.add("read_variable", held)
    builder.add("assign", held, x)
    third = builder.add("read_variable", held)
    results = evaluate(builder.graph([first, second, third]), {"x": array(10, 20)})
    assert [results[value.name].tolist() for value in (first, second, third)] == [[1, 2], [11, 22], [10, 20]]


def test_the_precision_of_a_layer_normalisation_is_read_from_onnx(tmp_path: Path) -> None:
    import onnx
    import onnx.parser

    text = """
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x, float[4] scale) => (float[n, 4] y) {
          y = LayerNormalization <axis = -1, stash_type = 1> (x, scale)
        }
    """
    onnx.save(onnx.parser.parse_model(text), str(tmp_path / "model.onnx"))
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for double, dtype in ((False, np.float32), (True, np.float64)):
        given = {"x": x, "scale": np.ones(4, np.float32)}
        found = evaluate(read_model(tmp_path / "model.onnx", "model.onnx"), given, double=double)["y"]
        assert found.dtype == dtype
        assert found == pytest.approx((x - x.mean(1, keepdims=True)) / np.sqrt(1.25 + 1e-5), abs=1e-6)
