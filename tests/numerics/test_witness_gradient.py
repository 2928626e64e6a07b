"""The reverse sweep that guides the search agrees with differences of executions."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from mlvet.analyses.numerics.witness.execution import execute, stored_elements
from mlvet.analyses.numerics.witness.gradient import sweep
from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Value

RNG = np.random.default_rng(7)


def numbers(*shape: int) -> Any:
    return RNG.uniform(-2, 2, shape)


def gradient_and_differences(graph: Graph, x: Value, at: Any) -> tuple[Any, Any]:
    """Of the sum of the first result weighted at random."""
    stored = stored_elements(graph)

    def result(given: Any) -> Any:
        steps = execute(graph, {x: given}, stored, None, inf, keep=True)
        return steps, np.asarray(steps[-1].results[0])

    steps, found = result(at)
    weights = RNG.uniform(-1, 1, found.shape)
    swept = sweep(steps, {id(steps[-1].results[0]): weights}, [id(at)])[id(at)]
    differences = np.zeros(at.size)
    for place in range(at.size):
        step = np.zeros(at.size)
        step[place] = 1e-6
        up, down = result(at + step.reshape(at.shape))[1], result(at - step.reshape(at.shape))[1]
        differences[place] = np.sum(weights * (up - down)) / 2e-6
    return swept, differences.reshape(at.shape)


CASES: dict[str, tuple[tuple[int, ...], Any]] = {
    "matmul": ((2, 3), lambda b, x: b.add("matmul", x, b.constant("w", numbers(3, 4)))),
    "matmul from the right": ((3,), lambda b, x: b.add("matmul", b.constant("w", numbers(2, 4, 3)), x)),
    "matmul of batches": ((2, 1, 3, 2), lambda b, x: b.add("matmul", x, b.constant("w", numbers(4, 2, 3)))),
    "batch_matmul": (
        (2, 3, 4),
        lambda b, x: b.add("batch_matmul", x, b.constant("w", numbers(2, 5, 3)), adj_x=True, adj_y=True),
    ),
    "gemm": (
        (3, 2),
        lambda b, x: b.add("gemm", x, b.constant("w", numbers(4, 3)), None, transA=True, transB=True, alpha=0.5),
    ),
    "gemm by its last operand": (
        (4,),
        lambda b, x: b.add("gemm", b.constant("v", numbers(2, 3)), b.constant("w", numbers(3, 4)), x, beta=2.0),
    ),
    "linear": ((2, 3), lambda b, x: b.add("linear", x, b.constant("w", numbers(4, 3)), b.constant("b", numbers(4)))),
    "linear by the weight": ((4, 3), lambda b, x: b.add("linear", b.constant("v", numbers(2, 3)), x)),
    "conv": (
        (1, 2, 5),
        lambda b, x: b.add("conv", x, b.constant("w", numbers(3, 2, 3)), None, strides=(2,), pads=(1, 0)),
    ),
    "conv with groups, dilated": (
        (1, 4, 5, 5),
        lambda b, x: b.add(
            "conv", x, b.constant("w", numbers(2, 2, 2, 2)), None, group=2, dilations=(2, 1), pads=(0, 1, 2, 0)
        ),
    ),
    "conv, channels last": (
        (1, 5, 6, 2),
        lambda b, x: b.add(
            "conv",
            x,
            b.constant("w", numbers(3, 3, 2, 3)),
            None,
            data_format="NHWC",
            kernel_format="HWIO",
            auto_pad="SAME_UPPER",
            strides=(2, 2),
        ),
    ),
    "conv by the kernel": (
        (4, 1, 2, 3),
        lambda b, x: b.add(
            "conv", b.constant("v", numbers(2, 2, 4, 5)), x, None, group=2, pads=(1, 0, 0, 1), strides=(1, 2)
        ),
    ),
    "conv by the kernel, channels last": (
        (3, 2, 2),
        lambda b, x: b.add("conv", b.constant("v", numbers(1, 6, 2)), x, None, data_format="NWC", kernel_format="WIO"),
    ),
    "conv by the kernel, depthwise": (
        (3, 2, 2),
        lambda b, x: b.add("conv", b.constant("v", numbers(1, 6, 2)), x, None, data_format="NWC", kernel_format="WCM"),
    ),
    "conv that crops": (
        (1, 1, 6),
        lambda b, x: b.add("conv", x, b.constant("w", numbers(1, 1, 2)), None, pads=(-1, 0)),
    ),
    "arithmetic": (
        (2, 3),
        lambda b, x: b.add("div", b.add("sub", b.add("mul", x, x), x), b.constant("d", numbers(3) + 4)),
    ),
    "softmax": ((2, 3, 2), lambda b, x: b.add("softmax", x, axis=1)),
    "log_softmax": ((2, 3), lambda b, x: b.add("log_softmax", x)),
    "sums": ((2, 3, 2), lambda b, x: b.add("reduce_sum", x, b.constant("a", [0, 2]), keepdims=False)),
    "means": ((2, 3, 2), lambda b, x: b.add("reduce_mean", x, b.constant("a", [-1]), keepdims=True)),
    "norms": ((2, 3), lambda b, x: b.add("reduce_l2", x, b.constant("a", [0]), keepdims=False)),
    "maxima": ((2, 3), lambda b, x: b.add("reduce_max", x, None)),
    "layout": (
        (2, 3, 4),
        lambda b, x: b.add("reshape", b.add("transpose", x, perm=(2, 0, 1)), b.constant("s", [4, 6])),
    ),
    "gather": ((3, 2), lambda b, x: b.add("gather", x, b.constant("i", [2, 0, 2]), axis=0)),
    "concat": ((2, 2), lambda b, x: b.add("concat", x, b.add("neg", x), x, axis=1)),
    "used twice": ((3,), lambda b, x: b.add("add", b.add("sin", x), b.add("mul", x, b.add("cos", x)))),
    "where": (
        (4,),
        lambda b, x: b.add("where", b.constant("c", np.asarray([True, False, True, False])), x, b.add("mul", x, x)),
    ),
    "average pool": ((1, 1, 6), lambda b, x: b.add("average_pool", x, kernel_shape=(2,), strides=(2,))),
    "average pool with pads": (
        (1, 4, 5, 2),
        lambda b, x: b.add(
            "average_pool", x, kernel_shape=(2, 3), strides=(1, 2), pads=(1, 0, 0, 1), data_format="NHWC"
        ),
    ),
    "average pool that counts pads": (
        (2, 2, 5),
        lambda b, x: b.add("average_pool", x, kernel_shape=(3,), pads=(1, 1), count_include_pad=True),
    ),
    "max pool": ((2, 6, 2), lambda b, x: b.add("max_pool", x, kernel_shape=(3,), pads=(1, 1), data_format="NWC")),
    "global average pool": ((2, 3, 4), lambda b, x: b.add("global_average_pool", x)),
    "layer normalisation": (
        (2, 2, 3),
        lambda b, x: b.add("layer_normalization", x, b.constant("s", numbers(2, 3)), axis=1),
    ),
    "rms normalisation": ((2, 3), lambda b, x: b.add("rms_normalization", x, b.constant("s", numbers(3)))),
    "batch normalisation": (
        (2, 3, 2),
        lambda b, x: b.add("batch_normalization", x, *(b.constant("p", np.abs(numbers(3)) + 0.1) for _ in range(4))),
    ),
    "running sum": ((2, 3), lambda b, x: b.add("cum_sum", x, b.constant("a", np.asarray(0)))),
    "stop_gradient": ((3,), lambda b, x: b.add("stop_gradient", b.add("mul", x, x))),
    "rnn": (
        (2, 1, 3),
        lambda b, x: b.add("rnn", x, b.constant("w", numbers(1, 2, 3)), b.constant("r", numbers(1, 2, 2))),
    ),
    "cast": ((3,), lambda b, x: b.add("cast", b.add("mul", x, x), to=dtypes.f64)),
}


@pytest.mark.parametrize("name", CASES)
def test_sweep(name: str) -> None:
    shape, built = CASES[name]
    builder = Builder()
    x = builder.input("x", Tensor(dtypes.f64, shape))
    graph = builder.graph([built(builder, x)])
    swept, differences = gradient_and_differences(graph, x, numbers(*shape))
    np.testing.assert_allclose(swept, differences, rtol=1e-3, atol=2e-3)


def test_a_dead_relu_keeps_a_direction() -> None:
    builder = Builder()
    x = builder.input("x", Tensor(dtypes.f64, (2,)))
    graph = builder.graph([builder.add("relu", x)])
    at = np.asarray([-1.0, 1.0])
    steps = execute(graph, {x: at}, {}, None, inf, keep=True)
    found = sweep(steps, {id(steps[-1].results[0]): np.ones(2)}, [id(at)])[id(at)]
    assert 0 < found[0] < 0.01
    assert found[1] == pytest.approx(1, abs=0.01)


def test_through_every_turn_of_a_loop() -> None:
    builder = Builder()
    x = builder.input("x", Tensor(dtypes.f64, (2,)))
    body = builder.region("loop")
    body.input("turn")
    going, carried = body.input("going"), body.input("carried")
    squared = body.add("mul", carried, carried)
    region = body.close([body.add("identity", going), squared])
    node = builder.node("loop", [builder.constant("n", np.asarray(3)), None, x], 1, regions=[region])
    graph = builder.graph(node.outputs)
    at = np.asarray([1.1, 0.5])
    steps = execute(graph, {x: at}, stored_elements(graph), None, inf, keep=True)
    last = [step for step in steps if step.node.op == "mul"][-1]
    found = sweep(steps, {id(last.results[0]): np.ones(2)}, [id(at)])[id(at)]
    np.testing.assert_allclose(found, 8 * at**7)
