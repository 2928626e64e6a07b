"""Least squares by gradient descent; the step is compiled by TensorFlow."""

import argparse

import numpy as np
import tensorflow as tf


def make_data(count, size, seed):
    rng = np.random.default_rng(seed)
    inputs = rng.standard_normal((count, size)).astype(np.float32)
    return tf.constant(inputs), tf.constant(inputs @ rng.standard_normal((size, 1)).astype(np.float32))


def fit(inputs, targets, rounds, rate=0.1):
    weights = tf.Variable(tf.zeros([inputs.shape[1], 1]))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(inputs @ weights - targets))
        weights.assign_sub(rate * tape.gradient(loss, weights))

    for _ in range(rounds):
        step()
    return weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    inputs, targets = make_data(200, 10, seed=0)
    solution = fit(inputs, targets, args.rounds).numpy()
    print("weights", solution[:, 0].round(4))
    if args.save:
        np.save(args.save, solution)


if __name__ == "__main__":
    main()
