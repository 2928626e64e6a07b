"""Session-based training with scalar summaries (TF1 compatibility layer)."""
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Graph:
    """Holds the tensors of one linear regression."""

    def __init__(self, inputs, lr):
        self.x = tf.placeholder(tf.float32, [None, inputs])
        self.y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [inputs, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        self.prediction = tf.matmul(self.x, w) + b
        self.loss = tf.reduce_mean(tf.square(self.prediction - self.y))
        self.global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdamOptimizer(lr)
        self.train_op = optimizer.minimize(self.loss, global_step=self.global_step)
        tf.summary.scalar("loss", self.loss)
        self.summaries = tf.summary.merge_all()


def sample(rng, count, inputs):
    x = rng.normal(size=(count, inputs))
    return x, x.sum(axis=1, keepdims=True)


def train(logdir, steps=4, inputs=3, every=2):
    rng = np.random.default_rng(0)
    graph = Graph(inputs, lr=0.1)
    saver = tf.train.Saver(max_to_keep=1)
    writer = tf.summary.FileWriter(logdir)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            x, y = sample(rng, 16, inputs)
            feed = {graph.x: x, graph.y: y}
            fetches = [graph.train_op, graph.loss, graph.summaries, graph.global_step]
            _, loss, summary, step = sess.run(fetches, feed_dict=feed)
            if step % every == 0:
                summary_writer.add_summary(summary, step)
                print("step", step, "loss", loss)
        saver.save(sess, logdir + "/model.ckpt")
    writer.close()


def main():
    with tempfile.TemporaryDirectory() as logdir:
        train(logdir)


if __name__ == "__main__":
    main()
