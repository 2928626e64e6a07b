"""A restricted Boltzmann machine trained by one step of contrastive divergence in a TF1 graph."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3, help="epochs")
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_digits(rows, pixels, seed=5):
    """Binary images that are noisy copies of a few prototypes."""
    rng = np.random.default_rng(seed)
    prototypes = rng.random((12, pixels)) < 0.3
    chosen = prototypes[rng.integers(0, len(prototypes), rows)]
    flipped = rng.random((rows, pixels)) < 0.05
    return np.logical_xor(chosen, flipped).astype(np.float32)


def sample(probability):
    return tf.nn.relu(tf.sign(probability - tf.random_uniform(tf.shape(probability))))


class Machine:
    def __init__(self, visible, hidden, batch, rate=0.1):
        self.data = tf.placeholder(tf.float32, [batch, visible])
        self.weights = tf.placeholder(tf.float32, [visible, hidden])
        self.visible_bias = tf.placeholder(tf.float32, [visible])
        self.hidden_bias = tf.placeholder(tf.float32, [hidden])
        positive = tf.nn.sigmoid(tf.matmul(self.data, self.weights) + self.hidden_bias)
        states = sample(positive)
        recalled = tf.nn.sigmoid(tf.matmul(states, self.weights, transpose_b=True) + self.visible_bias)
        negative = tf.nn.sigmoid(tf.matmul(recalled, self.weights) + self.hidden_bias)
        gradient = tf.matmul(self.data, positive, transpose_a=True) - tf.matmul(recalled, negative, transpose_a=True)
        self.new_weights = self.weights + rate * gradient / batch
        self.new_visible_bias = self.visible_bias + rate * tf.reduce_mean(self.data - recalled, axis=0)
        self.new_hidden_bias = self.hidden_bias + rate * tf.reduce_mean(positive - negative, axis=0)
        mean_field = tf.nn.sigmoid(tf.matmul(positive, self.weights, transpose_b=True) + self.visible_bias)
        self.error = tf.reduce_mean(tf.abs(self.data - mean_field))

    def feed(self, data, parameters):
        weights, visible_bias, hidden_bias = parameters
        return {
            self.data: data,
            self.weights: weights,
            self.visible_bias: visible_bias,
            self.hidden_bias: hidden_bias,
        }


def initial_parameters(visible, hidden, seed=1):
    rng = np.random.default_rng(seed)
    weights = 0.01 * rng.standard_normal((visible, hidden)).astype(np.float32)
    return weights, np.zeros(visible, np.float32), np.zeros(hidden, np.float32)


def train(session, machine, images, held_out, parameters, epochs, batch):
    errors = []
    for epoch in range(epochs):
        for start in range(0, len(images), batch):
            feed = machine.feed(images[start : start + batch], parameters)
            weights = session.run(machine.new_weights, feed_dict=feed)
            visible_bias = session.run(machine.new_visible_bias, feed_dict=feed)
            hidden_bias = session.run(machine.new_hidden_bias, feed_dict=feed)
            parameters = weights, visible_bias, hidden_bias
        seen = session.run(machine.error, feed_dict=machine.feed(images[:batch], parameters))
        unseen = session.run(machine.error, feed_dict=machine.feed(held_out, parameters))
        errors.append((seen, unseen))
        print(f"epoch {epoch}: error {seen:.4f}, held out {unseen:.4f}")
    return np.asarray(errors, dtype=np.float32)


def main():
    args = parse_arguments()
    visible, hidden, batch = 784, 500, 128
    digits = make_digits(batch * (80 * args.scale + 1), visible)
    images, held_out = digits[batch:], digits[:batch]
    machine = Machine(visible, hidden, batch)
    tf.set_random_seed(0)
    with tf.Session() as session:
        parameters = initial_parameters(visible, hidden)
        errors = train(session, machine, images, held_out, parameters, args.steps, batch)
    if args.save:
        np.save(args.save, errors)


if __name__ == "__main__":
    main()
