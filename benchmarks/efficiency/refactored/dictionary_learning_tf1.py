"""Dictionary learning: gradient steps on the codes in a TF1 graph, then a gradient step on the dictionary."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50, help="code steps in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_signals(features, atoms, count, seed=7):
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((atoms, features)).astype(np.float32)
    codes = rng.standard_normal((atoms, count)) * (rng.random((atoms, count)) < 0.05)
    noise = 0.01 * rng.standard_normal((features, count))
    return (truth.T @ codes + noise).astype(np.float32)


def normalised(dictionary):
    return dictionary / np.linalg.norm(dictionary, axis=1, keepdims=True)


class Coder:
    """The graph that improves the codes of all signals under one dictionary."""

    def __init__(self, features, atoms, count, rate):
        self.rate = rate
        self.dictionary = tf.placeholder(tf.float32, [atoms, features], name="dictionary")
        self.signals = tf.placeholder(tf.float32, [features, count], name="signals")
        self.codes = tf.Variable(tf.zeros([atoms, count]), name="codes")
        self.products = self.build_products()
        self.projected = tf.placeholder(tf.float32, [atoms, count], name="projected")
        self.gram = tf.placeholder(tf.float32, [atoms, atoms], name="gram")
        self.step = self.build_step()
        self.error = self.build_error()

    def build_products(self):
        projected = tf.matmul(self.dictionary, self.signals)
        gram = tf.matmul(self.dictionary, self.dictionary, transpose_b=True)
        return projected, gram

    def build_step(self):
        direction = tf.subtract(self.projected, tf.matmul(self.gram, self.codes))
        return tf.assign(self.codes, self.codes + self.rate * direction).op

    def build_error(self):
        reconstruction = tf.matmul(self.dictionary, self.codes, transpose_a=True)
        return tf.reduce_mean(tf.square(self.signals - reconstruction))


def update_dictionary(dictionary, signals, codes, rate=1e-3):
    residual = signals - dictionary.T @ codes
    return normalised(dictionary + rate * (codes @ residual.T))


def learn(session, coder, signals, dictionary, rounds, steps):
    history = []
    for round_number in range(rounds):
        feed = {coder.dictionary: dictionary, coder.signals: signals}
        projected, gram = session.run(coder.products, feed_dict=feed)
        for _ in range(steps):
            session.run(coder.step, feed_dict={coder.projected: projected, coder.gram: gram})
        error, codes = session.run([coder.error, coder.codes], feed_dict=feed)
        history.append(error)
        print(f"round {round_number}: mean squared error {error:.5f}")
        dictionary = update_dictionary(dictionary, signals, codes)
    return np.asarray(history, dtype=np.float32)


def main():
    args = parse_arguments()
    features, atoms, count = 1500, 300, 1000 * args.scale
    signals = make_signals(features, atoms, count)
    rng = np.random.default_rng(3)
    dictionary = normalised(rng.standard_normal((atoms, features)).astype(np.float32))
    coder = Coder(features, atoms, count, rate=0.2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        history = learn(session, coder, signals, dictionary, args.rounds, args.steps)
    if args.save:
        np.save(args.save, history)


if __name__ == "__main__":
    main()
