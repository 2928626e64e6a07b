"""A TF1 regression whose batches come from a property that moves on at each access."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Batches:
    def __init__(self, inputs, targets, size):
        self.inputs, self.targets, self.size = inputs, targets, size
        self.position = 0

    @property
    def next(self):
        start = self.position % len(self.inputs)
        self.position += self.size
        return self.inputs[start : start + self.size], self.targets[start : start + self.size]


class Regression:
    def __init__(self, batch, size, width, rate=0.05):
        self.inputs = tf.placeholder(tf.float32, [batch, size])
        self.targets = tf.placeholder(tf.float32, [batch, 1])
        rng = np.random.default_rng(1)
        projection = tf.constant((rng.standard_normal((size, width)) / np.sqrt(size)).astype(np.float32))
        features = tf.tanh(tf.matmul(self.inputs, projection))
        weights = tf.Variable(tf.zeros([width, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(features, weights) - self.targets))
        self.step = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)

    def train(self, session, batches, epochs):
        losses = []
        for _ in range(epochs):
            inputs, targets = batches.next
            loss, _ = session.run([self.loss, self.step], feed_dict={self.inputs: inputs, self.targets: targets})
            losses.append(loss)
        return np.array(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((3200, 50)).astype(np.float32)
    batches = Batches(inputs, np.sin(inputs.sum(1, keepdims=True)), 32)
    model = Regression(32, 50, 100)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = model.train(session, batches, args.epochs)
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}")
    if args.save:
        np.save(args.save, losses)


if __name__ == "__main__":
    main()
