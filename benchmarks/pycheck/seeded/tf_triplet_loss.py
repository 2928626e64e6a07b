"""Metric learning with a triplet loss and hard negatives."""
import numpy as np
import tensorflow as tf

MARGIN = 0.5


class Embedder(tf.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.kernel = tf.Variable(tf.random.normal([inputs, outputs], stddev=0.3, seed=1))

    def __call__(self, x):
        return tf.math.l2_normalize(tf.matmul(x, self.kernel), axis=1)


def pairwise(embeddings):
    dot = tf.matmul(embeddings, embeddings, transpose_b=True)
    return tf.maximum(2.0 - 2.0 * dot, 0.0)


def triplet_loss(embeddings, labels):
    distances = pairwise(embeddings)
    same = tf.cast(tf.equal(labels[:, None], labels[None, :]), tf.float32)
    hardest_positive = tf.reduce_max(distances * same, axis=1)
    hardest_negative = tf.reduce_min(distances + 10.0 * same, axis=1)
    return tf.reduce_means(tf.nn.relu(hardest_positive - hardest_negative + MARGIN))


def clusters(per_class, classes, dims):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(classes, dims)) * 2
    labels = np.repeat(np.arange(classes), per_class)
    points = centers[labels] + rng.normal(size=(len(labels), dims))
    return tf.constant(points, dtype=tf.float32), tf.constant(labels)


def main(steps=4, lr=0.1):
    points, labels = clusters(per_class=4, classes=3, dims=6)
    model = Embedder(6, 3)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = triplet_loss(model(points), labels)
        (grad,) = tape.gradient(loss, model.trainable_variables)
        model.kernel.assign_sub(lr * grad)
        print("step", step, "loss", float(loss))


if __name__ == "__main__":
    main()
