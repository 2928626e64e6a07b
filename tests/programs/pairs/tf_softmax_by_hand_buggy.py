"""A softmax regression on variables of TensorFlow."""

import tensorflow as tf

features, classes = 784, 10
weights = tf.Variable(tf.random.normal([features, classes]))
bias = tf.Variable(tf.zeros([classes]))


def predict(x):
    scores = tf.matmul(x, weights) + bias
    raised = tf.exp(scores)  # NUM
    return raised / tf.reduce_sum(raised, axis=1, keepdims=True)


optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(1000):
    x = tf.random.uniform([256, features])
    y = tf.one_hot(tf.random.uniform([256], 0, classes, dtype=tf.int32), classes)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(predict(x) - y))
    gradients = tape.gradient(loss, [weights, bias])
    optimizer.apply_gradients(zip(gradients, [weights, bias]))
