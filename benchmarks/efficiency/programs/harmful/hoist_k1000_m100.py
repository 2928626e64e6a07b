"""Codes over a dictionary with many more atoms than features: K = 1000 atoms, M = 100 features."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf
import torch

tf.disable_v2_behavior()

ATOMS, FEATURES, SIGNALS = 1000, 100, 1000


def make_problem(seed=0):
    rng = np.random.default_rng(seed)
    dictionary = rng.standard_normal((ATOMS, FEATURES)).astype(np.float32)
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    return dictionary, rng.standard_normal((FEATURES, SIGNALS)).astype(np.float32)


def codes_by_graph(dictionary, signals, steps, rate=0.01):
    atoms = tf.placeholder(tf.float32, [ATOMS, FEATURES])
    data = tf.placeholder(tf.float32, [FEATURES, SIGNALS])
    codes = tf.Variable(tf.zeros([ATOMS, SIGNALS]))
    direction = tf.matmul(atoms, data - tf.matmul(tf.transpose(atoms), codes))
    step = tf.assign(codes, codes + rate * direction).op
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(step, feed_dict={atoms: dictionary, data: signals})
        return session.run(codes)


@torch.no_grad()
def codes_by_torch(dictionary, signals, steps, rate=0.01):
    atoms, data = torch.from_numpy(dictionary), torch.from_numpy(signals)
    codes = torch.zeros(ATOMS, SIGNALS)
    for _ in range(steps):
        codes = codes + rate * (atoms @ (data - atoms.T @ codes))
    return codes.numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    dictionary, signals = make_problem()
    graph = codes_by_graph(dictionary, signals, args.steps)
    eager = codes_by_torch(dictionary, signals, args.steps)
    print(f"norm {np.linalg.norm(graph):.4f}, both ways agree within {np.abs(graph - eager).max():.1e}")
    if args.save:
        np.save(args.save, graph)


if __name__ == "__main__":
    main()
