"""What onnxruntime runs is no error, and has the shape that onnxruntime gives it; what it refuses is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest

from mlvet.analyses.shapes.inference import Inference, infer
from mlvet.frontends.onnx import from_onnx
from mlvet.ir.graph import Graph


def inferred(
    op: str, shapes: Sequence[Sequence[int] | None], stored: Mapping[int, Any] = {}, results: int = 1, **attributes: Any
) -> tuple[Graph, Inference]:
    """One node on inputs of these shapes, a shape of None leaving the operand out; some operands are stored."""
    helper, floats = onnx.helper, onnx.TensorProto.FLOAT
    names = ["" if shape is None and place not in stored else f"x{place}" for place, shape in enumerate(shapes)]
    node = helper.make_node(op, names, [f"y{place}" for place in range(results)], name="node", **attributes)
    inputs = [
        helper.make_tensor_value_info(name, floats, shape)
        for place, (name, shape) in enumerate(zip(names, shapes, strict=True))
        if shape is not None and place not in stored
    ]
    weights = [onnx.numpy_helper.from_array(np.asarray(array), f"x{place}") for place, array in stored.items()]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    graph = helper.make_graph([node], "one", inputs, outputs, weights)
    found = from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
    return found, infer(found)


def shape(op: str, *args: Any, **kwargs: Any) -> Any:
    """The shape of the first result, of which nothing is demanded that does not hold."""
    graph, inference = inferred(op, *args, **kwargs)
    assert not inference.violated
    return inference.type_of(graph.outputs[0]).shape


def rules(op: str, *args: Any, **kwargs: Any) -> list[str]:
    return [demand.constraint.rule for demand in inferred(op, *args, **kwargs)[1].violated]


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(
    ("length", "size", "stride", "steps"), [(1, 2, 2, 1), (1, 2, 1, 0), (1, 3, 2, 0), (3, 6, 4, 1), (5, 2, 2, 2)]
)
def test_a_pooling_window_larger_than_the_input_takes_what_there_is(
    op: str, length: int, size: int, stride: int, steps: int
) -> None:
    assert shape(op, [(1, 1, length)], kernel_shape=[size], strides=[stride]) == (1, 1, steps)


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool"])
def test_a_pooling_window_much_larger_than_the_input_is_an_error(op: str) -> None:
    assert rules(op, [(1, 1, 1)], kernel_shape=[3], strides=[1]) == ["kernel-larger-than-input"]


def test_a_kernel_larger_than_the_input_is_an_error() -> None:
    assert rules("Conv", [(1, 1, 1), (1, 1, 2)], strides=[2]) == ["kernel-larger-than-input"]


def test_operands_without_elements_need_not_match_in_a_concat() -> None:
    assert shape("Concat", [(2, 3), (0, 4)], axis=1) == (2, 7)
    assert rules("Concat", [(2, 3), (1, 4)], axis=1) == ["concat-dims"]


def test_a_single_number_can_be_reduced_over_any_axis() -> None:
    assert shape("ReduceMean", [(), None], {1: np.array([1, 2])}) == ()


@pytest.mark.parametrize("weights", [4, 5, 8])
def test_weights_are_needed_only_for_classes_that_occur(weights: int) -> None:
    assert shape("SoftmaxCrossEntropyLoss", [(3, 5), None, (weights,)], {1: np.zeros(3, np.int64)}) == ()


def test_weights_of_classes_have_one_dim() -> None:
    assert rules("SoftmaxCrossEntropyLoss", [(3, 5), None, (5, 1)], {1: np.zeros(3, np.int64)}) == ["rank-differs"]


def test_an_axis_named_twice_is_squeezed_once() -> None:
    assert shape("Squeeze", [(1, 3, 1), None], {1: np.array([0, 0])}) == (3, 1)


def test_an_odd_number_of_features_can_be_rotated() -> None:
    caches = [(50, 2), (50, 2)]
    found = rules(
        "RotaryEmbedding", [(2, 4, 3, 8), *caches, None], {3: np.zeros((2, 3), np.int64)}, rotary_embedding_dim=5
    )
    assert found == []


def test_a_split_has_as_many_parts_as_results() -> None:
    assert shape("Split", [(2, 8)], results=2, axis=1, num_outputs=4) == (2, 4)


@pytest.mark.parametrize(
    ("op", "shapes"),
    [("Relu", [None]), ("MatMul", [(2, 3), None]), ("Concat", [(2, 3), None, (2, 3)]), ("Relu", [(2,), (2,)])],
)
def test_a_node_needs_its_operands_and_no_more(op: str, shapes: Any) -> None:
    assert rules(op, shapes, **({"axis": 0} if op == "Concat" else {})) == ["illegal-argument"]


def test_an_optional_operand_may_be_left_out() -> None:
    assert shape("Clip", [(2, 3), None, ()]) == (2, 3)
    assert shape("Conv", [(1, 1, 4), (1, 1, 2), None]) == (1, 1, 3)


def test_wrong_heads_of_an_attention_are_a_finding_with_a_rule() -> None:
    from mlvet.analyses.catalogue import catalogue
    from mlvet.analyses.shapes.judgement import findings

    graph, inference = inferred("Attention", [(2, 3, 4, 8), (2, 2, 6, 8), (2, 2, 6, 8)])
    assert [finding.rule for finding in findings(graph, inference, catalogue())] == ["not-divisible"]


def test_a_normalisation_over_axes_that_are_not_there_keeps_the_shape() -> None:
    assert shape("MeanVarianceNormalization", [(3, 3, 1)]) == (3, 3, 1)


def test_a_crop_to_a_negative_size_is_left_open() -> None:
    found = shape("CenterCropPad", [(20, 8, 3), None], stored={1: np.array([-10, 9])}, axes=[0, 1])
    assert isinstance(found, tuple)
    assert found[1:] == (9, 3)
