"""Classify sentences with an LSTM and attention: a graph, placeholders and a session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

VOCAB = 200
LENGTH = 20
EMBEDDING = 24
HIDDEN = 16
CLASSES = 4
BATCH = 32


def batches(count, seed):
    rng = np.random.RandomState(seed)
    for _ in range(count):
        tokens = rng.randint(1, VOCAB, (BATCH, LENGTH))
        labels = np.eye(CLASSES)[rng.randint(0, CLASSES, BATCH)]
        yield tokens, labels


def lstm_step(x, h, c, kernel, bias):
    gates = tf.matmul(tf.concat([x, h], axis=1), kernel) + bias
    i, f, o, g = tf.split(gates, 4, axis=1)
    c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


with tf.name_scope("inputs"):
    tokens = tf.placeholder(tf.int32, [None, LENGTH], name="tokens")
    labels = tf.placeholder(tf.float32, [None, CLASSES], name="labels")
    keep = tf.placeholder_with_default(1.0, [])

with tf.variable_scope("encoder"):
    table = tf.get_variable("table", [VOCAB, EMBEDDING])
    kernel = tf.get_variable("kernel", [EMBEDDING + HIDDEN, 4 * HIDDEN])
    bias = tf.get_variable("bias", [4 * HIDDEN], initializer=tf.zeros_initializer())
    embedded = tf.nn.embedding_lookup(table, tokens)
    count = tf.shape(tokens)[0]
    h = tf.zeros([count, HIDDEN])
    c = tf.zeros([count, HIDDEN])
    states = []
    for step in range(LENGTH):
        h, c = lstm_step(embedded[:, step, :], h, c, kernel, bias)
        states.append(h)
    states = tf.transpose(tf.stack(states), [1, 0, 2])

with tf.variable_scope("attention"):
    weight = tf.get_variable("weight", [HIDDEN, HIDDEN])
    vector = tf.get_variable("vector", [HIDDEN, 1])
    flat = tf.reshape(states, [-1, HIDDEN])
    energy = tf.matmul(tf.tanh(tf.matmul(flat, weight)), vector)
    energy = tf.reshape(energy, [-1, LENGTH])
    alpha = tf.nn.softmax(energy)
    context = tf.reduce_sum(states * tf.expand_dims(alpha, -1), axis=1)

with tf.variable_scope("classifier"):
    hidden_w = tf.get_variable("hidden_w", [HIDDEN, 12])
    hidden_b = tf.get_variable("hidden_b", [12], initializer=tf.zeros_initializer())
    out_w = tf.get_variable("out_w", [12, CLASSES])
    out_b = tf.get_variable("out_b", [CLASSES], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.xw_plus_b(context, hidden_w, hidden_b))
    hidden = tf.nn.dropout(hidden, keep_prob=keep)
    logits = tf.matmul(hidden, out_w) + out_b

loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
optimizer = tf.train.AdamOptimizer(0.01)
gradients, variables = zip(*optimizer.compute_gradients(loss))
gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(gradients, variables))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number, (x, y) in enumerate(batches(6, 0)):
        _, cost = session.run([train, loss], feed_dict={tokens: x, labels: y, keep: 0.8})
        print("batch", number, "loss", cost)
    for x, y in batches(2, 1):
        print("accuracy", session.run(accuracy, feed_dict={tokens: x, labels: y}))
        focus = session.run(alpha, feed_dict={tokens: x}).reshape(BATCH, LENGTH)
        print("most attended", focus.argmax(axis=1)[:5])
