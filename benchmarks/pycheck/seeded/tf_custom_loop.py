"""Custom TensorFlow 2 training loop with gradient clipping."""
import time

import numpy as np
import tensorflow as tf

BATCH = 8


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *exc_info):
        self.elapsed = time.perf_counter() - self.start
        return False


class LinearModel(tf.Module):
    def __init__(self, inputs, outputs, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([inputs, outputs], stddev=0.1), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


def make_dataset(count):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 3)).astype(np.float32)
    y = (x @ np.array([[1.0], [-2.0], [0.5]], dtype=np.float32)) + 0.1
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(count).batch(BATCH)


def train_step(model, x, y, lr, clip):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    grads = tape.gradients(loss, model.trainable_variables)
    grads, norm = tf.clip_by_global_norm(grads, clip)
    for grad, variable in zip(grads, model.trainable_variables):
        variable.assign_sub(lr * grad)
    return loss, norm


def main(epochs=2):
    tf.random.set_seed(0)
    model = LinearModel(3, 1)
    dataset = make_dataset(32)
    for epoch in range(epochs):
        with Timer() as timer:
            for x, y in dataset:
                loss, norm = train_step(model, x, y, lr=0.1, clip=1.0)
        print(f"epoch {epoch}: loss {loss:.4f} norm {norm:.3f} ({timer.elapsed:.2f}s)")


if __name__ == "__main__":
    main()
