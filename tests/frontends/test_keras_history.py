"""Configurations as Keras 1 and 2 wrote them: the forms of layers and inbound nodes that files in the wild have."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest
from keras_models import executed

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.keras import read_keras
from mlvet.ir.graph import OPAQUE

RANDOM = np.random.default_rng(0)


def layer(kind, name, *inbound, **options):
    return {
        "class_name": kind,
        "name": name,
        "config": {"name": name, "trainable": True, **options},
        "inbound_nodes": list(inbound),
    }


def entrance(name, *shape, dtype="float32"):
    return {
        "class_name": "InputLayer", "name": name, "inbound_nodes": [],
        "config": {"batch_input_shape": [None, *shape], "dtype": dtype, "sparse": False, "name": name},
    }  # fmt: skip


def functional(layers, inputs, outputs, kind="Model"):
    ends = {"input_layers": [[name, 0, 0] for name in inputs], "output_layers": [[name, 0, 0] for name in outputs]}
    return {"class_name": kind, "config": {"name": "model_1", "layers": layers, **ends}}


def written(path, config, weights=None, version=b"2.0.5"):
    """A whole model as Keras 2 lays it out: names as bytes, `:0` behind them, groups within groups."""
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"] = version
        file.attrs["model_config"] = json.dumps(config).encode()
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = [name.encode() for name in weights or {}]
        for name, arrays in (weights or {}).items():
            inner = group.create_group(name)
            inner.attrs["weight_names"] = [f"{key}:0".encode() for key in arrays]
            for key, array in arrays.items():
                inner[f"{key}:0"] = array
    return path


def drawn(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def shapes(graph):
    inference = infer(graph)
    assert not inference.violated
    return [str(inference.type_of(value)) for value in graph.outputs]


def test_a_functional_model_of_keras_2_with_lists_as_inbound_nodes(tmp_path):
    config = functional(
        [
            entrance("a", 4),
            entrance("b", 4),
            layer(
                "Dense",
                "shared",
                [["a", 0, 0, {}]],
                [["b", 0, 0, {}]],
                units=3,
                activation="hard_sigmoid",
                use_bias=True,
            ),
            layer("Concatenate", "joined", [["shared", 0, 0, {}], ["shared", 1, 0, {}]], axis=-1),
        ],
        ["a", "b"],
        ["joined"],
    )
    kernel, bias = drawn(4, 3), drawn(3)
    arrays = {"shared_1/kernel": kernel, "shared_1/bias": bias}
    graph = read_keras(written(tmp_path / "m.h5", config, {"a": {}, "b": {}, "shared": arrays, "joined": {}}), "m.h5")
    a, b = drawn(2, 4), drawn(2, 4)
    wanted = np.concatenate([np.clip(0.2 * (x @ kernel + bias) + 0.5, 0, 1) for x in (a, b)], -1)
    np.testing.assert_allclose(executed(graph, [a, b])[0], wanted, rtol=1e-5, atol=1e-6)
    assert shapes(graph) == ["f32[batch, 6]"]
    assert graph.producer == "keras 2.0.5"


def test_functions_of_tensorflow_with_tensors_and_constants_among_the_arguments(tmp_path):
    def function(name, path, *inbound):
        return layer("TFOpLambda", name, list(inbound), function=path, dtype="float32")

    span = [{"start": None, "stop": None, "step": None}, {"start": 1, "stop": 4, "step": None}]
    config = functional(
        [
            entrance("x", 6, 4),
            function("plus", "__operators__.add", "x", 0, 0, {"y": 1.5, "name": None}),
            function("times", "math.multiply", "plus", 0, 0, {"y": ["x", 0, 0]}),
            function("less", "math.subtract", "_CONSTANT_VALUE", -1, 1.0, {"y": ["times", 0, 0]}),
            layer("SlicingOpLambda", "cut", ["less", 0, 0, {"slice_spec": span}], function="__operators__.getitem"),
            function("odd", "signal.stft", "cut", 0, 0, {"frame_step": 3}),
            function("mean", "math.reduce_mean", "cut", 0, 0, {"axis": 1, "keepdims": False}),
        ],
        ["x"],
        ["mean"],
        "Functional",
    )
    graph = read_keras(written(tmp_path / "m.h5", config, version=b"2.12.0"), "m.h5")
    assert [node.source_op for node in graph.nodes() if node.op == OPAQUE] == ["TFOpLambda"]
    assert [node.name for node in graph.nodes() if node.op == OPAQUE] == ["odd"]
    assert [node.op for node in graph.nodes()] == ["add", "mul", "sub", "slice", "opaque", "reduce_mean"]
    assert shapes(graph) == ["f32[batch, 4]"]


@pytest.mark.parametrize("listed", [True, False])
def test_a_sequential_model_without_input_layer(listed, tmp_path):
    layers = [
        layer("Conv2D", "conv", batch_input_shape=[None, 8, 8, 1], filters=2, kernel_size=[3, 3], activation="relu"),
        layer("MaxPooling2D", "pool", pool_size=[2, 2], strides=[2, 2], padding="valid"),
        layer("Flatten", "flat"),
        layer("Dense", "out", units=5, activation="softmax"),
    ]
    config = {"class_name": "Sequential", "config": layers if listed else {"name": "sequential_1", "layers": layers}}
    weights = {
        "conv": {"conv/kernel": drawn(3, 3, 1, 2), "conv/bias": drawn(2)},
        "out": {"out/kernel": drawn(18, 5), "out/bias": drawn(5)},
    }
    graph = read_keras(written(tmp_path / "m.h5", config, weights), "m.h5")
    assert shapes(graph) == ["f32[batch, 5]"]
    assert all(parameter.data is not None for parameter in graph.parameters)
    np.testing.assert_allclose(executed(graph, [drawn(2, 8, 8, 1)])[0].sum(-1), [1, 1], rtol=1e-5)


def test_a_nested_model_whose_application_is_counted_from_one(tmp_path):
    inner = functional([entrance("y", 4), layer("Dense", "d", [["y", 0, 0, {}]], units=2)], ["y"], ["d"])
    config = functional(
        [
            entrance("x", 4),
            {**inner, "name": "inner", "inbound_nodes": [[["x", 0, 0, {}]]]},
            layer("Activation", "end", [["inner", 1, 0, {}]], activation="tanh"),
        ],
        ["x"],
        ["end"],
    )
    kernel = drawn(4, 2)
    weights = {"inner": {"d/kernel": kernel, "d/bias": drawn(2)}, "end": {}}
    graph = read_keras(written(tmp_path / "m.h5", config, weights), "m.h5")
    stored = {parameter.name: parameter.data for parameter in graph.parameters}
    assert set(stored) == {"inner/d/kernel", "inner/d/bias"}
    np.testing.assert_array_equal(stored["inner/d/kernel"].load(), kernel)
    assert shapes(graph) == ["f32[batch, 2]"]


def test_stored_arrays_that_contradict_the_model_are_declared_as_they_are(tmp_path):
    layers = [layer("Dense", "out", units=5, batch_input_shape=[None, 7])]
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    weights = {"out": {"out/kernel": drawn(9, 5), "out/bias": drawn(5)}}
    graph = read_keras(written(tmp_path / "m.h5", config, weights), "m.h5")
    assert str(graph.parameters[0].value.declared) == "f32[9, 5]"
    assert len(infer(graph).violated) == 1


def test_an_unknown_layer_is_opaque_under_its_own_name(tmp_path):
    config = functional([entrance("x", 4), layer("Capsule", "caps", [["x", 0, 0, {}]], dim=3)], ["x"], ["caps"])
    graph = read_keras(written(tmp_path / "m.h5", config), "m.h5")
    assert [(node.op, node.source_op) for node in graph.nodes()] == [(OPAQUE, "Capsule")]


def test_lists_of_names_that_are_split_over_attributes_are_joined(tmp_path):
    layers = [layer("Dense", "out", units=2, batch_input_shape=[None, 3])]
    path = written(tmp_path / "m.h5", {"class_name": "Sequential", "config": {"name": "s", "layers": layers}})
    kernel = drawn(3, 2)
    with h5py.File(path, "a") as file:
        group = file["model_weights"]
        del group.attrs["layer_names"]
        group.attrs["layer_names0"] = [b"other"]
        group.attrs["layer_names1"] = [b"out"]
        inner = group.create_group("out")
        inner.attrs["weight_names0"] = [b"out/kernel:0"]
        inner.attrs["weight_names1"] = [b"out/bias:0"]
        inner["out/kernel:0"] = kernel
        inner["out/bias:0"] = drawn(2)
    graph = read_keras(path, "m.h5")
    np.testing.assert_array_equal(graph.parameters[0].data.load(), kernel)
