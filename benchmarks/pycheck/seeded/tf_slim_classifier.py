"""Two-layer classifier that borrows its layers from a helper library."""
import argparse
import logging

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers as contrib_layers

logger = logging.getLogger("classifier")


def inputs(count, features, classes):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(count, features)).astype(np.float32)
    y = rng.integers(0, classes, size=count)
    return tf.convert_to_tensor(x), tf.convert_to_tensor(y)


class Net:
    def __init__(self, hidden, classes):
        self.hidden = contrib_layers.Dense(hidden, activation="relu")
        self.logits = contrib_layers.Dense(classes)

    def __call__(self, x):
        return self.logits(self.hidden(x))

    @property
    def variables(self):
        return self.hidden.trainable_variables + self.logits.trainable_variables


def loss_fn(logits, labels):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=16)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)

    x, y = inputs(32, features=5, classes=3)
    net = Net(args.hidden, classes=3)
    for step in range(args.steps):
        with tf.GradientTape() as tape:
            loss = loss_fn(net(x), y)
        variables = [v.value for v in net.variables]
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(net.variables, grads):
            variable.assign_sub(0.1 * grad)
        logger.info("step %d loss %.4f", step, float(loss))


if __name__ == "__main__":
    main()
