"""Graph-mode training in the compatibility layer."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

flags = tf.app.flags
flags.DEFINE_integer("steps", 3, "training steps")
flags.DEFINE_float("learning_rate", 0.1, "step size")
FLAGS = flags.FLAGS


def dense(x, units, name, activation=None):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.get_shape()[-1], units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        tf.add_to_collection("decay", tf.nn.l2_loss(w))
        out = tf.matmul(x, w) + b
    return activation(out) if activation else out


def main(_):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    out = dense(dense(x, 4, "hidden", tf.nn.relu), 1, "out")
    loss = tf.losses.mean_squared_error(y, out) + 1e-4 * tf.add_n(tf.get_collection("decay"))
    train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss)
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(FLAGS.steps):
            batch = rng.randn(8, 3)
            feed = {x: batch, y: batch.sum(1, keepdims=True)}
            _, value = sess.run([train_op, loss], feed_dict=feed)
            print(step, value)
        print([v.op.name for v in tf.trainable_variables()], out.eval(feed_dict=feed).shape)


if __name__ == "__main__":
    tf.app.run()
