"""Graph-mode softmax regression kept from an older code base."""
import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

NUM_FEATURES = 8
NUM_CLASSES = 3
FLAGS = {"steps": 5, "batch_size": 16, "learning_rate": 0.5}


def next_batch(rng, size):
    x = rng.normal(size=(size, NUM_FEATURES)).astype(np.float32)
    y = np.argmax(x[:, :NUM_CLASSES], axis=1)
    return x, np.eye(NUM_CLASSES, dtype=np.float32)[y]


def weight_variable(shape, name):
    initial = tf.compat.v1.truncated_normal(shape, stddev=0.1)
    return tf.compat.v1.Variable(initial, name=name)


def build_graph():
    x = tf.placeholder(tf.float32, [None, NUM_FEATURES], name="x")
    y = tf.compat.v1.placeholder(tf.float32, [None, NUM_CLASSES], name="y")
    w = weight_variable([NUM_FEATURES, NUM_CLASSES], "w")
    b = weight_variable([NUM_CLASSES], "b")
    logits = tf.matmul(x, w) + b
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(FLAGS["learning_rate"])
    hits = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
    return x, y, loss, accuracy, optimizer.minimize(loss)


def main():
    rng = np.random.default_rng(0)
    x, y, loss, accuracy, train_op = build_graph()
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        for step in range(FLAGS["steps"]):
            xs, ys = next_batch(rng, FLAGS["batch_size"])
            _, value, acc = sess.run([train_op, loss, accuracy], feed_dict={x: xs, y: ys})
            print("step %d loss %.4f accuracy %.2f" % (step, value, acc))


if __name__ == "__main__":
    main()
