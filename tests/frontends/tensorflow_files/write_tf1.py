"""Writes the graphs of TensorFlow 1.15 that the tests read: `python write_tf1.py <folder>`."""
# ruff: noqa

import os
import sys

import numpy as np
import tensorflow as tf

OUT = sys.argv[1]


def save(name, build, text=False, meta=False):
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.set_random_seed(1)
        build()
        definition = graph.as_graph_def(add_shapes=name.endswith("_shapes"))
        tf.io.write_graph(definition, OUT, name + (".pbtxt" if text else ".pb"), as_text=text)
        if meta:
            tf.compat.v1.train.export_meta_graph(os.path.join(OUT, name + ".meta"), graph_def=definition)


def nested_while():
    n = tf.compat.v1.placeholder(tf.int32, [], name="n")
    x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
    w = tf.constant(np.eye(4, dtype=np.float32), name="w")

    def inner(j, y):
        return j + 1, tf.matmul(y, w, name="product")

    def outer(i, y):
        _, y = tf.while_loop(lambda j, y: j < i, inner, [tf.constant(0), y], name="inner")
        return i + 1, tf.nn.relu(y, name="rectified")

    _, result = tf.while_loop(lambda i, y: i < n, outer, [tf.constant(0), x], name="outer")
    tf.identity(result, name="result")


def conditional():
    flag = tf.compat.v1.placeholder(tf.bool, [], name="flag")
    other = tf.compat.v1.placeholder(tf.bool, [], name="other")
    x = tf.compat.v1.placeholder(tf.float32, [3, 4], name="x")

    def yes():
        return tf.cond(other, lambda: tf.exp(x, name="exp"), lambda: tf.sin(x, name="sin")), tf.reduce_sum(x)

    def no():
        return tf.sqrt(x, name="sqrt"), tf.constant(2.0)

    a, b = tf.cond(flag, yes, no)
    tf.add(a, b, name="result")


def cond_in_while():
    x = tf.compat.v1.placeholder(tf.float32, [5], name="x")

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(y), lambda: tf.cos(y))

    _, y = tf.while_loop(lambda i, y: tf.logical_and(i < 10, tf.reduce_sum(y) < 100.0), body, [tf.constant(0), x])
    tf.identity(y, name="result")


def while_in_cond():
    x = tf.compat.v1.placeholder(tf.float32, [5], name="x")
    flag = tf.compat.v1.placeholder(tf.bool, [], name="flag")

    def loop():
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y)), [tf.constant(0), x])[1]

    tf.identity(tf.cond(flag, loop, lambda: -x), name="result")


def gradients():
    """The gradient of a loop and of a conditional, which have loops and conditionals of their own."""
    x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
    flag = tf.compat.v1.placeholder(tf.bool, [], name="flag")
    w = tf.compat.v1.get_variable("w", [3], initializer=tf.compat.v1.ones_initializer())
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.tanh(y * w)), [tf.constant(0), x])
    z = tf.cond(flag, lambda: tf.exp(y), lambda: tf.square(y))
    loss = tf.reduce_sum(z, name="loss")
    tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")


def crossed_conditions():
    """Conditionals of two conditions that depend on each other's results in turn."""
    x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
    p = tf.compat.v1.placeholder(tf.bool, [], name="p")
    q = tf.compat.v1.placeholder(tf.bool, [], name="q")
    a = tf.cond(p, lambda: x + 1, lambda: x - 1)
    b = tf.cond(q, lambda: a * 2, lambda: x)
    c = tf.cond(q, lambda: x * 3, lambda: x * 4)
    d = tf.cond(p, lambda: c + 10, lambda: c)
    tf.identity(a + b + c + d, name="result")


def cond_in_while_gradient():
    x = tf.compat.v1.placeholder(tf.float32, [3], name="x")

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.tanh(y), lambda: tf.square(y))

    _, y = tf.while_loop(lambda i, y: i < 3, body, [tf.constant(0), x])
    tf.identity(tf.gradients(y, x)[0], name="result")


def conv_net(resource):
    def build():
        tf.compat.v1.get_variable_scope().set_use_resource(resource)
        x = tf.compat.v1.placeholder(tf.float32, [None, 28, 28, 1], name="x")
        labels = tf.compat.v1.placeholder(tf.int64, [None], name="labels")
        get = tf.compat.v1.get_variable
        normal = tf.compat.v1.truncated_normal_initializer(stddev=0.1)
        y = x
        for index, (before, after) in enumerate([(1, 4), (4, 8)]):
            with tf.compat.v1.variable_scope("layer%d" % index):
                kernel = get("kernel", [5, 5, before, after], initializer=normal)
                bias = get("bias", [after], initializer=tf.compat.v1.zeros_initializer())
                y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(y, kernel, strides=[1, 1, 1, 1], padding="SAME"), bias))
                y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        y = tf.reshape(y, [-1, 7 * 7 * 8])
        y = tf.nn.dropout(y, rate=0.5)
        with tf.compat.v1.variable_scope("head"):
            weights = get("weights", [7 * 7 * 8, 10], initializer=tf.compat.v1.glorot_uniform_initializer())
            logits = tf.matmul(y, weights, name="logits")
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(each, name="loss")
        step = tf.compat.v1.train.get_or_create_global_step()
        tf.compat.v1.train.AdamOptimizer(1e-3).minimize(loss, global_step=step, name="train")
        tf.compat.v1.global_variables_initializer()
        tf.compat.v1.train.Saver()

    return build


def recurrent():
    words = tf.compat.v1.placeholder(tf.int32, [2, 7], name="words")
    table = tf.compat.v1.get_variable("embedding", [50, 6])
    embedded = tf.nn.embedding_lookup(table, words)
    cell = tf.compat.v1.nn.rnn_cell.LSTMCell(5)
    outputs, _ = tf.compat.v1.nn.dynamic_rnn(cell, embedded, dtype=tf.float32)
    tf.identity(outputs, name="result")


def saved_model():
    folder = os.path.join(OUT, "saved_v1")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        w = tf.compat.v1.get_variable("w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        b = tf.compat.v1.get_variable("b", [2], initializer=tf.compat.v1.zeros_initializer(), use_resource=True)
        y = tf.nn.softmax(tf.matmul(x, w) + b, name="y")
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})


save("nested_while", nested_while)
save("nested_while_text", nested_while, text=True)
save("conditional", conditional)
save("cond_in_while", cond_in_while, text=True)
save("while_in_cond", while_in_cond)
save("gradients_shapes", gradients)
save("crossed_conditions", crossed_conditions)
save("cond_in_while_gradient", cond_in_while_gradient)
save("conv_net", conv_net(False), meta=True)
save("conv_net_resource_shapes", conv_net(True))
save("dynamic_rnn", recurrent)
saved_model()
