"""Every lowered layer computes what Keras computes, and has the shape that Keras says."""

from __future__ import annotations

import numpy as np
import pytest
from keras_models import drawn_inputs, executed, filled, keras, predicted

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.keras import from_keras, read_keras
from mlvet.ir.graph import OPAQUE

L, ops = keras.layers, keras.ops

ACTIVATIONS = (
    "relu sigmoid tanh softmax softplus softsign elu selu gelu exponential silu hard_sigmoid hard_silu leaky_relu "
    "relu6 mish log_softmax log_sigmoid celu hard_tanh hard_shrink soft_shrink tanh_shrink squareplus"
).split()

LAYERS = {
    "dense": ((3, 4), lambda: L.Dense(5)),
    "conv1d causal": ((9, 3), lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2)),
    "conv2d groups": ((9, 8, 4), lambda: L.Conv2D(6, (3, 2), strides=2, padding="same", groups=2, activation="relu")),
    "conv3d": ((5, 6, 7, 2), lambda: L.Conv3D(3, 2)),
    "depthwise": ((9, 8, 3), lambda: L.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2)),
    "separable": ((9, 8, 3), lambda: L.SeparableConv2D(5, 3, depth_multiplier=2)),
    "transpose same": ((6, 5, 3), lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same")),
    "transpose wide stride": ((6, 5, 3), lambda: L.Conv2DTranspose(4, 2, strides=3)),
    "transpose padded": ((6, 5, 3), lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same", output_padding=1)),
    "max pool": ((9, 8, 3), lambda: L.MaxPooling2D(3, strides=2, padding="same")),
    "average pool": ((9, 3), lambda: L.AveragePooling1D(2, padding="same")),
    "global max pool": ((5, 6, 7, 2), L.GlobalMaxPooling3D),
    "global average pool": ((9, 8, 3), lambda: L.GlobalAveragePooling2D(keepdims=True)),
    "batch norm": ((5, 4, 3), L.BatchNormalization),
    "batch norm in front": ((5, 4, 3), lambda: L.BatchNormalization(axis=1, scale=False)),
    "layer norm": ((5, 4), lambda: L.LayerNormalization(axis=(1, 2))),
    "rms norm": ((5, 4), L.RMSNormalization),
    "group norm": ((5, 4, 6), lambda: L.GroupNormalization(3)),
    "unit norm": ((5, 4), L.UnitNormalization),
    "flatten": ((2, 3, 4), L.Flatten),
    "reshape": ((6, 4), lambda: L.Reshape((-1, 3, 2))),
    "permute": ((2, 3, 4), lambda: L.Permute((3, 1, 2))),
    "repeat": ((5,), lambda: L.RepeatVector(3)),
    "cropping": ((9, 8, 3), lambda: L.Cropping2D(((1, 2), (0, 3)))),
    "padding": ((9, 3), lambda: L.ZeroPadding1D((1, 0))),
    "upsampling": ((4, 4, 2), lambda: L.UpSampling2D(2)),
    "upsampling between": ((4, 4, 2), lambda: L.UpSampling2D(2, interpolation="bilinear")),
    "lstm backwards": ((5, 3), lambda: L.LSTM(4, return_sequences=True, go_backwards=True)),
    "lstm states": ((5, 3), lambda: L.LSTM(4, return_state=True)),
    "lstm hard": ((5, 3), lambda: L.LSTM(4, recurrent_activation="hard_sigmoid")),
    "gru": ((5, 3), lambda: L.GRU(4)),
    "gru reset before": ((5, 3), lambda: L.GRU(4, reset_after=False)),
    "simple rnn": ((5, 3), lambda: L.SimpleRNN(4, use_bias=False)),
    "bidirectional": ((5, 3), lambda: L.Bidirectional(L.LSTM(4, return_sequences=True))),
    "bidirectional average": ((5, 3), lambda: L.Bidirectional(L.GRU(4), merge_mode="ave")),
    "time distributed": ((5, 4, 4, 3), lambda: L.TimeDistributed(L.Conv2D(2, 3))),
    "masking": ((5, 3), L.Masking),
    "dropout": ((5,), lambda: L.Dropout(0.5)),
    "noise": ((5,), lambda: L.GaussianNoise(0.5)),
    "rescaling": ((5,), lambda: L.Rescaling(1 / 255, -1)),
    "normalization": ((3,), lambda: L.Normalization(mean=[1.0, 2.0, 3.0], variance=[1.0, 4.0, 9.0])),
    "center crop": ((7, 6, 3), lambda: L.CenterCrop(4, 3)),
    "discretization": ((3,), lambda: L.Discretization(bin_boundaries=[0.0, 0.5, 1.0])),
    "einsum dense": ((5, 6), lambda: L.EinsumDense("...x,xy->...y", output_shape=7, bias_axes="y")),
    "relu capped": ((5,), lambda: L.ReLU(max_value=0.5, negative_slope=0.1)),
    "relu threshold": ((5,), lambda: L.ReLU(threshold=0.3)),
    "leaky relu": ((5,), lambda: L.LeakyReLU(0.1)),
    "prelu": ((4, 3), lambda: L.PReLU(shared_axes=[1])),
    "softmax over axes": ((3, 4), lambda: L.Softmax(axis=(1, 2))),
    "activation layer": ((4,), lambda: L.Dense(3, activation=L.LeakyReLU(0.3))),
    "random flip": ((4, 4, 3), L.RandomFlip),
    "self attention": ((5, 6), lambda: lambda x: L.MultiHeadAttention(2, 4, value_dim=3)(x, x)),
    "causal attention": ((5, 6), lambda: lambda x: L.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)),
    "grouped attention": ((5, 6), lambda: lambda x: L.GroupQueryAttention(4, 4, 2)(x, x)),
    "dot attention": ((5, 6), lambda: lambda x: L.Attention(use_scale=True)([x, x])),
    "additive attention": ((5, 6), lambda: lambda x: L.AdditiveAttention()([x, x])),
    "indexing": ((6, 4), lambda: lambda x: [x[:, 1:-1, ::2], x[..., 0], x[:, -1], x[:, None]]),
    "arithmetic": ((6, 4), lambda: lambda x: (x * 2 - 1) / 3 + (1 - x) ** 2),
    "reductions": ((6, 4), lambda: lambda x: [ops.sum(x, axis=1), ops.mean(x, axis=[1, 2], keepdims=True)]),
    "layout": ((6, 4), lambda: lambda x: [ops.transpose(x, (0, 2, 1)), ops.reshape(x, (-1, 8)), ops.flip(x, 1)]),
    "splits": ((6, 4), lambda: lambda x: [*ops.split(x, 2, axis=-1), *ops.split(x, [1, 3], axis=-1)]),
    "products": ((6, 4), lambda: lambda x: [ops.einsum("abc,abd->acd", x, x), ops.matmul(x, x[:, :4])]),
}  # fmt: skip


def assert_same(model, graph, inputs):
    wanted, found = predicted(model, inputs), executed(graph, inputs)
    assert [array.shape for array in found] == [array.shape for array in wanted]
    for left, right in zip(found, wanted, strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_allclose(left, right, rtol=2e-3, atol=2e-4)


def assert_shapes(model, graph):
    inference = infer(graph)
    assert not inference.violated
    for value, tensor in zip(graph.outputs, model.outputs, strict=True):
        dims = inference.type_of(value).dims
        assert [size for size, said in zip(dims, tensor.shape, strict=True) if said is not None] == [
            said for said in tensor.shape if said is not None
        ]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_what_keras_computes(name, tmp_path):
    shape, make = LAYERS[name]
    x = keras.Input(shape)
    model = filled(keras.Model(x, make()(x)))
    model.save(tmp_path / "model.keras")
    graph = read_keras(tmp_path / "model.keras", "model.keras")
    assert_same(model, graph, drawn_inputs(model))
    assert_shapes(model, graph)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_computes_what_keras_computes(name):
    x = keras.Input((4, 6))
    model = filled(keras.Model(x, L.Dense(6, activation=name)(x)))
    assert_same(model, from_keras(model), drawn_inputs(model))


@pytest.mark.parametrize("kind", "Add Subtract Multiply Average Maximum Minimum Concatenate".split())
def test_a_merge_of_three_or_two_computes_what_keras_computes(kind):
    inputs = [keras.Input((4, 3)) for _ in range(2 if kind == "Subtract" else 3)]
    model = keras.Model(inputs, getattr(L, kind)()(inputs))
    assert_same(model, from_keras(model), drawn_inputs(model))


def test_operands_of_unequal_rank_are_aligned_after_the_batch():
    inputs = [keras.Input((4, 2)), keras.Input((2,))]
    model = keras.Model(inputs, L.Add()(inputs))
    assert_same(model, from_keras(model), drawn_inputs(model))


@pytest.mark.parametrize("axes", [1, 2, (2, 1)])
def test_dot_contracts_the_axes_that_it_is_given(axes):
    inputs = [keras.Input((4, 4)), keras.Input((4, 4))]
    model = keras.Model(inputs, L.Dot(axes, normalize=axes == 2)(inputs))
    assert_same(model, from_keras(model), drawn_inputs(model))


@pytest.mark.parametrize("make", [lambda: L.Embedding(10, 4), lambda: L.CategoryEncoding(10), lambda: L.Dense(3)])
def test_layers_on_integers_compute_what_keras_computes(make):
    x = keras.Input((6,), dtype="int32")
    model = filled(keras.Model(x, make()(x)))
    assert_same(model, from_keras(model), drawn_inputs(model, below=10))


def test_mixed_precision_is_written_out_as_casts():
    x = keras.Input((4,))
    model = filled(keras.Model(x, L.Dense(3, dtype="mixed_float16")(x)))
    graph = from_keras(model)
    assert {parameter.value.declared.dtype.name for parameter in graph.parameters} == {"f32"}
    assert infer(graph).type_of(graph.outputs[0]).dtype.name == "f16"


def test_initial_states_reach_the_recurrent_operator():
    x = keras.Input((5, 3))
    _, hidden, cell = L.LSTM(4, return_state=True)(x)
    model = filled(keras.Model(x, L.LSTM(4)(x, initial_state=[hidden, cell])))
    assert_same(model, from_keras(model), drawn_inputs(model))


def test_channels_in_front_compute_what_keras_computes():
    first = {"data_format": "channels_first"}
    x = keras.Input((4, 9, 8))
    y = L.Conv2D(6, 3, groups=2, **first)(L.ZeroPadding2D(1, **first)(x))
    y = L.BatchNormalization(axis=1)(L.SeparableConv2D(4, 3, padding="same", **first)(y))
    y = L.UpSampling2D(2, **first)(L.MaxPooling2D(2, **first)(y))
    y = L.Conv2DTranspose(3, 3, strides=2, padding="same", **first)(L.Cropping2D(1, **first)(y))
    model = filled(keras.Model(x, [L.Flatten(**first)(y), L.GlobalAveragePooling2D(**first)(y)]))
    assert_same(model, from_keras(model), drawn_inputs(model))


@pytest.mark.parametrize("name", ["MobileNetV2", "EfficientNetB0"])
def test_every_layer_of_an_application_has_the_shape_that_keras_says(name):
    model = getattr(keras.applications, name)(weights=None, input_shape=(64, 64, 3), classes=10)
    graph = from_keras(model)
    inference = infer(graph)
    last = {node.module: node.outputs[0] for node in graph.nodes()}
    assert not inference.violated
    assert not any(node.op == OPAQUE for node in graph.nodes())
    found = {layer.name: inference.type_of(last[layer.name]).dims[1:] for layer in model.layers if layer.name in last}
    assert len(found) > 100
    assert found == {name: model.get_layer(name).output.shape[1:] for name in found}
