"""A learning rate that falls at each step, given to a compiled TensorFlow step."""

import argparse

import numpy as np
import tensorflow as tf

WEIGHTS = tf.Variable(tf.zeros([20, 1]))


@tf.function
def step(inputs, targets, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(inputs @ WEIGHTS - targets))
    WEIGHTS.assign_sub(rate * tape.gradient(loss, WEIGHTS))
    return loss


def make_data(count, size):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((count, size)).astype(np.float32)
    return tf.constant(inputs), tf.constant(inputs @ np.ones((size, 1), np.float32))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    inputs, targets = make_data(500, 20)
    losses = []
    for number in range(args.rounds):
        rate = 0.2 / (1 + 0.1 * number)
        losses.append(step(inputs, targets, tf.constant(rate)))
    result = tf.stack(losses).numpy()
    print(f"loss {result[0]:.4f} to {result[-1]:.6f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
