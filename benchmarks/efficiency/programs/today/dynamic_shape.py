"""A linear classifier in a TF1 graph that is always fed whole batches of one size."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

BATCH, SIZE = 64, 100


def build(rate=0.1):
    inputs = tf.placeholder(tf.float32, [None, SIZE])
    targets = tf.placeholder(tf.float32, [None, 1])
    weights = tf.Variable(tf.zeros([SIZE, 1]))
    loss = tf.reduce_mean(tf.square(tf.tanh(inputs @ weights) - targets))
    return inputs, targets, loss, tf.train.GradientDescentOptimizer(rate).minimize(loss)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    inputs, targets, loss, train = build()
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(args.steps):
            rows = rng.standard_normal((BATCH, SIZE)).astype(np.float32)
            signs = np.sign(rows.sum(1, keepdims=True))
            value, _ = session.run([loss, train], feed_dict={inputs: rows, targets: signs})
            losses.append(value)
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}")
    if args.save:
        np.save(args.save, np.array(losses))


if __name__ == "__main__":
    main()
