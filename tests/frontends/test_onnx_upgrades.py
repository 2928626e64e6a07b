"""Nodes of older opsets mean today what they meant then: the old form is run, and held against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import erf
from typing import Any

import numpy as np
import onnx.defs
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor
from mlvet.frontends.onnx import from_onnx
from mlvet.frontends.onnx.lowering import canonical_name, parameters
from mlvet.frontends.onnx.upgrades.upgrade import registered_since
from mlvet.ir.graph import Graph
from mlvet.ops import REGISTRY
from mlvet.runtime import evaluate

CHANCE = np.random.default_rng(0)


def floats(*dims: int) -> Any:
    return CHANCE.standard_normal(dims).astype(np.float32)


def model(
    op: str,
    opset: int,
    operands: list[Any],
    outputs: int = 1,
    *,
    ranks: bool = False,
    domain: str = "",
    **attributes: Any,
) -> Any:
    """A model of one node. The operands are inputs, whose shape is declared only if wanted."""
    names = [f"x{i}" if operand is not None else "" for i, operand in enumerate(operands)]
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(x.dtype), [f"{name}_{i}" for i in range(x.ndim)] if ranks else None
        )
        for name, x in zip(names, operands, strict=True)
        if name
    ]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, domain=domain, name="node", **attributes)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
    imports = [helper.make_opsetid("", opset), *([helper.make_opsetid(domain, 1)] if domain else [])]
    return helper.make_model(helper.make_graph([node], "g", infos, ends), opset_imports=imports, ir_version=8)


def run(made: Any, operands: list[Any]) -> tuple[list[Any], Graph]:
    graph = from_onnx(made)
    values = evaluate(graph, {f"x{i}": x for i, x in enumerate(operands) if x is not None})
    return [values[value.name] for value in graph.outputs], graph


@dataclass(frozen=True)
class Old:
    """A node as it once was, its operands, and what it yields."""

    op: str
    opset: int
    operands: list[Any]
    expected: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1

    def __str__(self) -> str:
        shown = ",".join(f"{name}={value}" for name, value in self.attributes.items())
        return f"{self.op}-{self.opset}({shown})"[:60]


def softmax_of_matrix(x: Any, axis: int) -> Any:
    matrix = x.reshape(int(np.prod(x.shape[:axis])), -1)
    powers = np.exp(matrix - matrix.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).reshape(x.shape)


def hardmax_of_matrix(x: Any, axis: int) -> Any:
    matrix = x.reshape(int(np.prod(x.shape[:axis])), -1)
    return np.eye(matrix.shape[1], dtype=x.dtype)[matrix.argmax(axis=1)].reshape(x.shape)


def normalised(x: Any, scale: Any, shift: Any, mean: Any, variance: Any) -> Any:
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift


def per_channel(x: Any, *figures: Any) -> Any:
    return normalised(x, *(f.reshape(-1, *[1] * (x.ndim - 2)) for f in figures))


def grouped(x: Any, scale: Any, shift: Any, groups: int) -> Any:
    apart = x.reshape(x.shape[0], groups, -1)
    centred = (apart - apart.mean(-1, keepdims=True)) / np.sqrt(apart.var(-1, keepdims=True) + 1e-5)
    return (centred * scale.reshape(1, -1, 1) + shift.reshape(1, -1, 1)).reshape(x.shape)


def two_parts(x: Any) -> Any:
    return np.stack([x.real, x.imag], -1)


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def rms(x: Any) -> Any:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def layer(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


X = floats(2, 3, 4, 5)
ROW = floats(3)
CHANNELS = [floats(3), floats(3), floats(3), np.abs(floats(3)) + 1]
ELEMENTS = [floats(3, 4), floats(3, 4), floats(3, 4), np.abs(floats(3, 4)) + 1]
BITS = X[0, 0] > 0

OLD = [
    *(
        Old(op, opset, [X, ROW], lambda x, b, f=f: f(x, b[:, None, None]), {"broadcast": 1, "axis": 1})
        for opset in (1, 6)
        for op, f in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.divide))
    ),
    Old("Add", 6, [X, floats(4, 5)], np.add, {"broadcast": 1}),
    Old("Add", 6, [X, floats(3, 4)], lambda x, b: x + b[..., None], {"broadcast": 1, "axis": -3}),
    Old("Add", 6, [X, X], np.add),
    Old("Pow", 1, [np.abs(X), ROW], lambda x, b: x ** b[:, None, None], {"broadcast": 1, "axis": 1}),
    Old("Greater", 1, [X, ROW], lambda x, b: x > b[:, None, None], {"broadcast": 1, "axis": 1}),
    Old("And", 1, [BITS, BITS[:, 0]], lambda a, b: a & b[:, None], {"broadcast": 1, "axis": 0}),
    *(Old("Softmax", 11, [X], lambda x, a=a: softmax_of_matrix(x, a), {"axis": a}) for a in (0, 1, 2, 3)),
    Old("Softmax", 1, [X], lambda x: softmax_of_matrix(x, 1)),
    Old("Softmax", 11, [X], lambda x: softmax_of_matrix(x, 2), {"axis": -2}),
    Old("LogSoftmax", 9, [X], lambda x: np.log(softmax_of_matrix(x, 1))),
    Old("Hardmax", 11, [X], lambda x: hardmax_of_matrix(x, 2), {"axis": 2}),
    Old("PRelu", 6, [X, ROW], lambda x, s: np.where(x < 0, x * s[:, None, None], x)),
    Old("PRelu", 6, [X, floats(1)], lambda x, s: np.where(x < 0, x * s, x)),
    Old("PRelu", 9, [X, floats(3, 1, 1)], lambda x, s: np.where(x < 0, x * s, x)),
    Old("Gemm", 6, [floats(2, 3), floats(3, 4), floats(4)], lambda a, b, c: a @ b + c, {"broadcast": 1}),
    Old("Selu", 1, [X], lambda x: 1.0507 * np.where(x > 0, x, 1.6732 * (np.exp(x) - 1))),
    Old("Relu", 1, [X], lambda x: np.maximum(x, 0), {"consumed_inputs": [0]}),
    Old("Affine", 1, [X], lambda x: 2 * x + 3, {"alpha": 2.0, "beta": 3.0}),
    Old("ScaledTanh", 1, [X], lambda x: 2 * np.tanh(3 * x), {"alpha": 2.0, "beta": 3.0}),
    Old("ReduceSum", 11, [X], lambda x: x.sum((1, 3)), {"axes": [1, -1], "keepdims": 0}),
    Old("ReduceSum", 1, [X], lambda x: x.sum(keepdims=True)),
    *(
        Old(f"Reduce{name}", 17, [X], lambda x, f=f: f(x), {"axes": [1]})
        for name, f in {
            "Mean": lambda x: x.mean(1, keepdims=True),
            "Max": lambda x: x.max(1, keepdims=True),
            "Min": lambda x: x.min(1, keepdims=True),
            "Prod": lambda x: x.prod(1, keepdims=True),
            "L1": lambda x: np.abs(x).sum(1, keepdims=True),
            "L2": lambda x: np.sqrt((x * x).sum(1, keepdims=True)),
            "SumSquare": lambda x: (x * x).sum(1, keepdims=True),
            "LogSumExp": lambda x: np.log(np.exp(x).sum(1, keepdims=True)),
        }.items()
    ),
    Old("ReduceLogSum", 17, [np.abs(X)], lambda x: np.log(x.sum(1, keepdims=True)), {"axes": [1]}),
    Old("Squeeze", 11, [X[:1, :, :1]], lambda x: x[0, :, 0], {"axes": [0, 2]}),
    Old("Squeeze", 1, [X[:1, :, :1]], lambda x: x[0, :, 0]),
    Old("Unsqueeze", 11, [X], lambda x: x[None, :, None], {"axes": [0, 2]}),
    Old("Split", 1, [X], lambda x: [x[:, :, :1], x[:, :, 1:]], {"axis": 2, "split": [1, 3]}, 2),
    Old("Split", 11, [X], lambda x: [x[:, :, :1], x[:, :, 1:]], {"axis": 2, "split": [1, 3]}, 2),
    Old("Split", 2, [X], lambda x: [x[:1], x[1:]], {}, 2),
    Old("Split", 13, [X], lambda x: [x[:, :, :2], x[:, :, 2:]], {"axis": 2}, 2),
    Old("Slice", 9, [X], lambda x: x[:, 1:3, :, -3:-1], {"axes": [1, 3], "starts": [1, -3], "ends": [9, -1]}),
    Old("Slice", 1, [X], lambda x: x[0:1, 1:3], {"starts": [0, 1], "ends": [1, 3]}),
    Old("Reshape", 1, [X], lambda x: x.reshape(2, 60), {"shape": [0, -1]}),
    Old("Concat", 1, [X, X], lambda a, b: np.concatenate([a, b], 1)),
    Old("Pad", 1, [ROW], lambda x: np.pad(x, (1, 2)), {"paddings": [1, 2]}),
    Old("Pad", 2, [ROW], lambda x: np.pad(x, (1, 2), constant_values=7), {"pads": [1, 2], "value": 7.0}),
    Old("Pad", 2, [ROW], lambda x: np.pad(x, (1, 2), mode="reflect"), {"pads": [1, 2], "mode": "reflect"}),
    Old("Clip", 6, [X], lambda x: np.clip(x, -0.5, 0.5), {"min": -0.5, "max": 0.5}),
    Old("Clip", 1, [X], lambda x: np.minimum(x, 0.5), {"max": 0.5}),
    Old("Clip", 6, [X.astype(np.float16)], lambda x: np.maximum(x, np.float16(0.5)), {"min": 0.5}),
    Old("TopK", 1, [X], lambda x: [-np.sort(-x)[..., :2], np.argsort(-x)[..., :2]], {"k": 2}, 2),
    Old("TopK", 10, [X, np.asarray([2])], lambda x, _: [-np.sort(-x)[..., :2], np.argsort(-x)[..., :2]], {}, 2),
    Old(
        "Tile", 1, [X, np.asarray([3.0], np.float32), np.asarray([2.0], np.float32)],
        lambda x, *_: np.tile(x, (1, 1, 3, 1)),
    ),
    Old("Cast", 1, [X], lambda x: x.astype(np.int32), {"to": "INT32"}),
    Old("Cast", 1, [X], lambda x: x.astype(np.float16), {"to": "float16"}),
    Old("Dropout", 6, [X], lambda x: x, {"is_test": 1, "ratio": 0.3}),
    Old("Dropout", 7, [X], lambda x: [x, np.ones_like(x)], {"ratio": 0.3}, 2),
    Old("Dropout", 10, [X], lambda x: [x, np.ones(x.shape, np.bool_)], {}, 2),
    Old("BatchNormalization", 1, [X, *CHANNELS], per_channel, {"is_test": 1, "consumed_inputs": [0] * 5}),
    Old("BatchNormalization", 7, [X, *CHANNELS], per_channel),
    Old("BatchNormalization", 7, [X[..., 0], *ELEMENTS], normalised, {"spatial": 0}),
    Old("BatchNormalization", 9, [X, *CHANNELS], per_channel),
    Old("InstanceNormalization", 1, [X, ROW, ROW], lambda x, s, b: grouped(x, s, b, 3), {"epsilon": 1e-5}),
    Old(
        "GroupNormalization", 18, [floats(2, 4, 3), floats(2), floats(2)], lambda x, s, b: grouped(x, s, b, 2),
        {"num_groups": 2},
    ),
    Old(
        "Upsample", 1, [X], lambda x: x.repeat(2, 2).repeat(3, 3),
        {"height_scale": 2.0, "width_scale": 3.0, "mode": "nearest"},
    ),
    Old("Upsample", 7, [X], lambda x: x.repeat(2, 2).repeat(3, 3), {"scales": [1.0, 1.0, 2.0, 3.0]}),
    Old("Upsample", 9, [X, np.asarray([1, 1, 2, 3], np.float32)], lambda x, _: x.repeat(2, 2).repeat(3, 3)),
    Old("Resize", 10, [X, np.asarray([1, 1, 2, 3], np.float32)], lambda x, _: x.repeat(2, 2).repeat(3, 3)),
    Old(
        "Resize", 10, [np.asarray([[[0.0, 1.0]]], np.float32), np.asarray([1, 1, 2], np.float32)],
        lambda *_: np.asarray([[[0, 0.5, 1, 1]]], np.float32), {"mode": "linear"},
    ),
    Old("Scatter", 9, [ROW, np.asarray([2, 0]), floats(2)], lambda x, _, u: np.asarray([u[1], x[1], u[0]])),
    Old("LpPool", 1, [X], lambda x: np.sqrt((x**2).reshape(2, 3, 4, 5, 1).sum(-1)), {"kernel_shape": [1, 1], "p": 2.0}),
    Old("GlobalLpPool", 1, [X], lambda x: np.sqrt((x**2).sum((2, 3), keepdims=True)), {"p": 2.0}),
    Old("DFT", 17, [floats(1, 8, 1)], lambda x: two_parts(np.fft.fft(x[..., 0], axis=1)), {"axis": 1}),
    Old("DFT", 17, [floats(1, 8, 1)], lambda x: two_parts(np.fft.fft(x[..., 0], axis=1))),
]  # fmt: skip

STATES = [floats(2, 3, 4), floats(2, 3, 4), np.ones(4, np.float32), floats(4)]
FUSED = [
    Old("Gelu", 1, [X], gelu),
    Old("BiasGelu", 1, [X, floats(5)], lambda x, b: gelu(x + b)),
    Old("FastGelu", 1, [X], lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    Old("QuickGelu", 1, [X], lambda x: x / (1 + np.exp(-1.702 * x))),
    Old("FusedMatMul", 1, [floats(2, 3), floats(3, 5)], lambda a, b: a @ b),
    Old(
        "FusedMatMul", 1, [floats(2, 3, 4), floats(2, 3, 5)], lambda a, b: 2 * np.swapaxes(a, 1, 2) @ b,
        {"transA": 1, "alpha": 2.0},
    ),
    Old("FusedGemm", 1, [floats(2, 3), floats(3, 4)], lambda a, b: np.tanh(a @ b), {"activation": "Tanh"}),
    *(
        Old(
            "FusedConv", 1, [X, floats(2, 3, 1, 1)], lambda x, w, f=f: f(np.einsum("nchw,ocij->nohw", x, w)),
            {"activation": name, "activation_params": parameters},
        )
        for name, parameters, f in (
            ("Relu", [0.0], lambda x: np.maximum(x, 0)),
            ("LeakyRelu", [0.1], lambda x: np.where(x < 0, 0.1 * x, x)),
            ("Clip", [-0.5, 0.5], lambda x: np.clip(x, -0.5, 0.5)),
        )
    ),
    Old("SimplifiedLayerNormalization", 1, [X, floats(5)], lambda x, s: rms(x) * s, {"epsilon": 1e-5}),
    Old("SkipLayerNormalization", 1, STATES, lambda x, skip, s, b: layer(x + skip) * s + b, {"epsilon": 1e-5}),
    Old("SkipSimplifiedLayerNormalization", 1, STATES[:3], lambda x, skip, s: rms(x + skip) * s, {"epsilon": 1e-5}),
]  # fmt: skip


@pytest.mark.parametrize("ranks", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("old", OLD, ids=str)
def test_an_old_node_means_what_it_meant(old: Old, ranks: bool) -> None:
    check(old, model(old.op, old.opset, old.operands, old.outputs, ranks=ranks, **old.attributes))


@pytest.mark.parametrize("ranks", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("fused", FUSED, ids=str)
def test_a_fused_node_is_taken_apart(fused: Old, ranks: bool) -> None:
    check(fused, model(fused.op, 18, fused.operands, ranks=ranks, domain="com.microsoft", **fused.attributes))


def check(old: Old, made: Any) -> None:
    results, graph = run(made, old.operands)
    expected = old.expected(*old.operands)
    for got, wanted in zip(results, expected if isinstance(expected, list) else [expected], strict=True):
        assert got.shape == wanted.shape
        assert got.dtype.kind == wanted.dtype.kind
        np.testing.assert_allclose(got.astype(float), wanted.astype(float), rtol=2e-4, atol=1e-5)
    assert graph.notes == ()
    assert all(node.source_op.rpartition(":")[2] == old.op for node in graph.nodes())


def test_batch_normalisation_with_statistics_was_training() -> None:
    made = model("BatchNormalization", 9, [X, *CHANNELS], 3)
    (y, mean, _), graph = run(made, [X, *CHANNELS])
    batch = X.mean((0, 2, 3))
    np.testing.assert_allclose(mean, 0.9 * CHANNELS[2] + 0.1 * batch, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(y.mean((0, 2, 3)), CHANNELS[1], rtol=1e-4, atol=1e-4)
    assert [node.op for node in graph.nodes()] == ["batch_normalization"]


def test_statistics_kept_for_the_gradient_are_unknown() -> None:
    graph = from_onnx(model("BatchNormalization", 9, [X, *CHANNELS], 5))
    assert [node.op for node in graph.nodes()] == ["batch_normalization", "opaque"]
    assert len(graph.outputs) == 5


def test_dropout_without_is_test_was_training() -> None:
    graph = from_onnx(model("Dropout", 6, [X], ratio=0.5))
    (dropout,) = (node for node in graph.nodes() if node.op == "dropout")
    mode = next(c.data.load() for c in graph.body.constants if c.value is dropout.inputs[2])
    assert bool(mode)


@pytest.mark.parametrize(("before", "after"), [("bilinear", "linear"), ("bicubic", "cubic"), ("nearest", "nearest")])
def test_grid_sample_names_its_modes_anew(before: str, after: str) -> None:
    (node,) = from_onnx(model("GridSample", 16, [X, floats(2, 4, 5, 2)], mode=before)).nodes()
    assert node.attributes["mode"] == after


def test_roi_align_did_not_shift_by_half_a_pixel() -> None:
    operands = [X, floats(1, 4), np.asarray([0])]
    (old,) = from_onnx(model("RoiAlign", 10, operands)).nodes()
    assert old.attributes["coordinate_transformation_mode"] == "output_half_pixel"
    (new,) = from_onnx(model("RoiAlign", 16, operands)).nodes()
    assert "coordinate_transformation_mode" not in new.attributes


def test_the_misspelt_direction_of_the_first_gru() -> None:
    operands = [floats(3, 1, 2), floats(1, 6, 2), floats(1, 6, 2)]
    (node,) = from_onnx(model("GRU", 1, operands, direction="foward", output_sequence=1, hidden_size=2)).nodes()
    assert node.attributes["direction"] == "forward"
    assert "output_sequence" not in node.attributes


def test_an_unknown_element_type_name_is_opaque() -> None:
    (node,) = from_onnx(model("Cast", 1, [X], to="QUATERNION")).nodes()
    assert (node.op, node.source_op) == ("opaque", "Cast")


def _removed() -> list[tuple[str, int]]:
    """Operators of the standard set, with the opset in which an attribute was removed or got another default."""
    versions: dict[str, list[Any]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            versions.setdefault(schema.name, []).append(schema)
    found = []
    for name, schemas in versions.items():
        schemas.sort(key=lambda schema: schema.since_version)
        for old, new in pairwise(schemas):
            changed = any(_lost(old, new, attribute) for attribute in old.attributes if attribute != "consumed_inputs")
            if (changed or new.deprecated) and not old.deprecated:
                found.append((name, new.since_version))
    return found


def _lost(old: Any, new: Any, attribute: str) -> bool:
    if attribute not in new.attributes:
        return True
    defaults = [schema.attributes[attribute].default_value for schema in (old, new)]
    return defaults[0].type != 0 and defaults[0] != defaults[1]


@pytest.mark.parametrize(("op", "since"), _removed())
def test_every_attribute_that_onnx_removed_or_changed_has_its_upgrade(op: str, since: int) -> None:
    assert any(opset >= since for opset in registered_since(op))


def test_shapes_of_symbols_pass_through_a_flattened_softmax() -> None:
    graph = from_onnx(model("Softmax", 11, [X], ranks=True, axis=1))
    assert [node.op for node in graph.nodes()] == ["flatten", "softmax", "shape", "reshape"]
    assert graph.inputs[0].declared == Tensor(
        graph.inputs[0].declared.dtype, tuple(symbol(f"x0_{i}") for i in range(4))
    )


def test_constants_made_by_upgrades_are_named_after_the_node() -> None:
    graph = from_onnx(model("Clip", 6, [X], min=0.0))
    assert [constant.value.name for constant in graph.body.constants] == ["node.min"]
    assert numpy_helper.from_array(graph.body.constants[0].data.load()).data_type == TensorProto.FLOAT


NOT_CANONICAL = {
    "CastMap", "CategoryMapper", "DictVectorizer", "FeatureVectorizer", "Gradient", "ImageDecoder", "SVMClassifier",
    "SVMRegressor", "ZipMap",
}  # fmt: skip
"""Operators of the onnx package that are opaque: on maps and images in files, and support vectors."""


def newest() -> list[Any]:
    schemas = [schema for schema in onnx.defs.get_all_schemas() if not schema.deprecated and schema.name != "Constant"]
    return sorted(schemas, key=lambda schema: schema.name)


@pytest.mark.parametrize("schema", newest(), ids=lambda schema: schema.name)
def test_every_operator_is_canonical_or_taken_apart(schema: Any) -> None:
    known = canonical_name(schema.domain, schema.name) in REGISTRY or registered_since(schema.name, schema.domain)
    assert bool(known) != (schema.name in NOT_CANONICAL)


@pytest.mark.parametrize("schema", newest(), ids=lambda schema: schema.name)
def test_no_attribute_of_the_newest_opset_is_left_out(schema: Any) -> None:
    op = canonical_name(schema.domain, schema.name)
    taken = parameters(op) if op in REGISTRY else None
    kinds = {name: attribute.type.name for name, attribute in schema.attributes.items()}
    plain = {name for name, kind in kinds.items() if kind not in ("GRAPH", "TYPE_PROTO")}
    assert taken is None or plain <= taken
