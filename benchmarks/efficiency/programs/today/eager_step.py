"""A small Keras regression with a training step of its own."""

import argparse

import keras
import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self, size):
        layers = [keras.layers.Dense(32, activation="tanh") for _ in range(6)]
        self.model = keras.Sequential([keras.Input((size,)), *layers, keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.SGD(0.05)
        self.optimizer.build(self.model.trainable_variables)

    def step(self, inputs, targets):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(inputs, training=True) - targets))
        slopes = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.model.trainable_variables))
        return loss


def make_batches(count, size):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((count, size)).astype(np.float32)
    targets = np.sin(inputs.sum(1, keepdims=True))
    return tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(32).prefetch(tf.data.AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=6400)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    keras.utils.set_random_seed(0)
    trainer = Trainer(10)
    losses = []
    for inputs, targets in make_batches(args.rows, 10):
        losses.append(trainer.step(inputs, targets))
    result = tf.stack(losses).numpy()
    print(f"loss {result[0]:.4f} to {result[-1]:.4f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
