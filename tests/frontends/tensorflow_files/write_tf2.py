"""Writes the graphs of TensorFlow 2 that the tests read: `python write_tf2.py <folder>`."""
# ruff: noqa

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

OUT = sys.argv[1]


def f32(*shape):
    return tf.TensorSpec(shape, tf.float32)


class Functional(tf.Module):
    """Control flow as functions, variables read through arguments, two signatures."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4), name="w")
        self.b = tf.Variable(tf.zeros([4]), name="b")
        self.calls = tf.Variable(0, trainable=False, name="calls")

    @tf.function(input_signature=[f32(None, 4)])
    def step(self, x):
        return tf.nn.relu(x @ self.w + self.b)

    @tf.function(input_signature=[f32(None, 4), tf.TensorSpec([], tf.int32)])
    def run(self, x, n):
        self.calls.assign_add(1)
        i = tf.constant(0)
        while i < n:
            x = self.step(x)
            i += 1
        if tf.reduce_sum(x) > 10.0:
            x = tf.exp(-x)
        else:
            x = x + self.b
        return {"y": x}

    @tf.function(input_signature=[f32(None, 4), tf.TensorSpec([], tf.int32)])
    def pick(self, x, which):
        return {"z": tf.switch_case(which, [lambda: x * 2.0, lambda: tf.sin(x), lambda: self.step(x)])}


def network():
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((16, 16, 3)),
            layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(3),
            layers.Conv2DTranspose(2, 3, strides=2, padding="same"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(5, activation="softmax"),
        ]
    )


def frozen(name, function, *specs):
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    concrete = tf.function(function).get_concrete_function(*specs)
    definition = convert_variables_to_constants_v2(concrete).graph.as_graph_def()
    tf.io.write_graph(definition, OUT, name + ".pb", as_text=False)


def functions(name, function, *specs):
    definition = tf.function(function).get_concrete_function(*specs).graph.as_graph_def(add_shapes=True)
    tf.io.write_graph(definition, OUT, name + ".pbtxt", as_text=True)


def recurrent(x):
    def body(i, state, outputs):
        state = tf.tanh(x[:, i] + state)
        return i + 1, state, outputs.write(i, state)

    outputs = tf.TensorArray(tf.float32, 7)
    _, _, outputs = tf.while_loop(lambda i, *_: i < 7, body, [0, tf.zeros([2, 3]), outputs])
    return outputs.stack()


def operators(x):
    """One of many common operators, on a 4x6 matrix."""
    a = tf.concat([x, tf.reverse(x, [1])], axis=1)
    b, c = tf.split(a, 2, axis=1)
    d = tf.stack([b, c], axis=0)
    e = tf.transpose(d, [2, 0, 1])
    f = tf.gather(e, [0, 2], axis=0)
    g = tf.reshape(f, [-1])
    values, places = tf.math.top_k(g, 3)
    h = tf.one_hot(places, 5)
    i = tf.pad(h, [[1, 0], [0, 2]])
    j = tf.cumsum(i, axis=1, exclusive=True)
    k = tf.slice(j, [0, 1], [-1, 3])
    m = tf.einsum("ij,kj->ik", k, k)
    n = tf.reduce_max(m, axis=[1], keepdims=True)
    o = tf.where(n > 0.5, n, tf.zeros_like(n))
    p = tf.image.resize(tf.reshape(x, [1, 4, 6, 1]), [8, 12])
    q = tf.reduce_mean(p) + tf.reduce_sum(values) + tf.cast(tf.argmax(g), tf.float32)
    return o + q + tf.tile(x[1:3, ::2][:1, :1], [4, 1]) + tf.squeeze(tf.expand_dims(o, 0), [0])


def quantised(x):
    return tf.quantization.fake_quant_with_min_max_args(tf.cast(tf.cast(x, tf.bfloat16), tf.float32), -1.0, 1.0)


module = Functional()
folder = os.path.join(OUT, "saved_v2")
tf.saved_model.save(module, folder, signatures={"serving_default": module.run, "pick": module.pick})
keras = os.path.join(OUT, "saved_keras")
network().export(keras, verbose=False)
model = network()
frozen("frozen_conv", lambda x: model(x), f32(None, 16, 16, 3))
functions("functions", lambda x: module.run(x, tf.constant(3))["y"], f32(2, 4))
functions("tensor_list", recurrent, f32(2, 7, 3))
functions("operators", operators, f32(4, 6))
functions("quantised", quantised, f32(2, 2))
text = os.path.join(OUT, "saved_text")
os.makedirs(text, exist_ok=True)
from tensorflow.core.protobuf import saved_model_pb2

saved = saved_model_pb2.SavedModel.FromString(open(os.path.join(folder, "saved_model.pb"), "rb").read())
open(os.path.join(text, "saved_model.pbtxt"), "w").write(text_format.MessageToString(saved))
