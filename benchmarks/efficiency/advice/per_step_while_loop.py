"""A small recurrent network unrolled over 8 steps, built once and run thousands of times in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

LENGTH, BATCH, HIDDEN = 8, 4, 16


def build(rate=0.05):
    inputs = tf.placeholder(tf.float32, [BATCH, LENGTH, HIDDEN])
    targets = tf.placeholder(tf.float32, [BATCH, HIDDEN])
    kernel = tf.Variable(tf.random_normal([2 * HIDDEN, HIDDEN], stddev=0.1, seed=1))
    state = tf.zeros([BATCH, HIDDEN])
    state = tf.foldl(
        lambda state, value: tf.tanh(tf.matmul(tf.concat([value, state], axis=1), kernel)),
        tf.transpose(inputs, [1, 0, 2]),
        initializer=state,
    )
    loss = tf.reduce_mean(tf.square(state - targets))
    return inputs, targets, loss, tf.train.GradientDescentOptimizer(rate).minimize(loss)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    inputs, targets, loss, train = build()
    losses = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(args.steps):
            values = rng.standard_normal((BATCH, LENGTH, HIDDEN)).astype(np.float32)
            feed = {inputs: values, targets: np.tanh(values.mean(1))}
            value, _ = session.run([loss, train], feed_dict=feed)
            losses.append(value)
    print(f"loss {losses[0]:.5f} to {losses[-1]:.5f}")
    if args.save:
        np.save(args.save, np.array(losses))


if __name__ == "__main__":
    main()
