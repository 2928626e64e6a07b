"""CycleGAN between two domains of small pictures, in TensorFlow 2 and Keras."""

import argparse

import keras
import numpy as np
import tensorflow as tf


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the number of pictures")
    parser.add_argument("--steps", type=int, default=2, help="epochs")
    parser.add_argument("--side", type=int, default=16)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_pictures(count, side, seed):
    rng = np.random.default_rng(seed)
    ramp = np.linspace(0, 6, side)
    slope = ramp[:, None] + (1 + seed) * ramp[None, :]
    return np.sin(slope[None, :, :, None] + 6.28 * rng.random((count, 1, 1, 3))).astype(np.float32)


def normalise(pictures_a, pictures_b):
    return tf.clip_by_value(pictures_a, -1.0, 1.0), tf.clip_by_value(pictures_b, -1.0, 1.0)


def make_generator(side, width=8, depth=2):
    picture = keras.Input((side, side, 3))
    features = keras.layers.Conv2D(width, 3, padding="same", activation="relu")(picture)
    features = keras.layers.Conv2D(2 * width, 3, strides=2, padding="same", activation="relu")(features)
    for _ in range(depth):
        inner = keras.layers.Conv2D(2 * width, 3, padding="same", activation="relu")(features)
        features = features + keras.layers.Conv2D(2 * width, 3, padding="same")(inner)
    features = keras.layers.Conv2DTranspose(width, 4, strides=2, padding="same", activation="relu")(features)
    return keras.Model(picture, keras.layers.Conv2D(3, 3, padding="same", activation="tanh")(features))


def make_judge(side, width=8):
    picture = keras.Input((side, side, 3))
    features = keras.layers.Conv2D(width, 3, strides=2, padding="same", activation="relu")(picture)
    return keras.Model(picture, keras.layers.Conv2D(1, 3, padding="same")(features))


class CycleGAN:
    def __init__(self, side):
        self.to_a, self.to_b = make_generator(side), make_generator(side)
        self.judge_a, self.judge_b = make_judge(side), make_judge(side)
        self.makers = self.to_a.trainable_variables + self.to_b.trainable_variables
        self.judges = self.judge_a.trainable_variables + self.judge_b.trainable_variables
        self.maker_optimizer = keras.optimizers.SGD(1e-3)
        self.judge_optimizer = keras.optimizers.SGD(1e-3)

    def maker_loss(self, real_a, real_b, fake_a, fake_b):
        identity = self.distance(self.to_b(real_b), real_b) + self.distance(self.to_a(real_a), real_a)
        cycle = self.distance(self.to_a(fake_b), real_a) + self.distance(self.to_b(fake_a), real_b)
        fooled = tf.reduce_mean((self.judge_a(fake_a) - 1) ** 2) + tf.reduce_mean((self.judge_b(fake_b) - 1) ** 2)
        return fooled + 10 * cycle + 5 * identity

    @staticmethod
    def distance(left, right):
        return tf.reduce_mean(tf.abs(left - right))

    @staticmethod
    def judge_loss(judge, real, fake):
        return 0.5 * (tf.reduce_mean((judge(real) - 1) ** 2) + tf.reduce_mean(judge(fake) ** 2))

    def step(self, real_a, real_b):
        with tf.GradientTape(persistent=True) as tape:
            fake_a, fake_b = self.to_a(real_b), self.to_b(real_a)
            maker_loss = self.maker_loss(real_a, real_b, fake_a, fake_b)
            judge_loss = self.judge_loss(self.judge_a, real_a, tf.stop_gradient(fake_a))
            judge_loss += self.judge_loss(self.judge_b, real_b, tf.stop_gradient(fake_b))
        maker_slopes = tape.gradient(maker_loss, self.makers)
        judge_slopes = tape.gradient(judge_loss, self.judges)
        self.maker_optimizer.apply_gradients(zip(maker_slopes, self.makers))
        self.judge_optimizer.apply_gradients(zip(judge_slopes, self.judges))
        return tf.stack([maker_loss, judge_loss])


def main():
    args = parse_arguments()
    keras.utils.set_random_seed(0)
    count = 96 * args.scale
    arrays = make_pictures(count, args.side, 0), make_pictures(count, args.side, 1)
    pictures = tf.data.Dataset.from_tensor_slices(arrays).batch(8, drop_remainder=True)
    pictures = pictures.map(normalise, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)
    model = CycleGAN(args.side)
    history = []
    for epoch in range(args.steps):
        for real_a, real_b in pictures:
            history.append(model.step(real_a, real_b))
        print(f"epoch {epoch}: losses {history[-1].numpy()}")
    if args.save:
        np.save(args.save, tf.stack(history).numpy())


if __name__ == "__main__":
    main()
