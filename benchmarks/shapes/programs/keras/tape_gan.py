"""Train a small adversarial network with gradient tapes."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

NOISE = 32
BATCH = 16


class Generator(keras.Model):
    def __init__(self):
        super().__init__()
        self.project = layers.Dense(7 * 7 * 32, use_bias=False)
        self.norm1 = layers.BatchNormalization()
        self.up1 = layers.Conv2DTranspose(16, 5, strides=2, padding="same", use_bias=False)
        self.norm2 = layers.BatchNormalization()
        self.up2 = layers.Conv2DTranspose(1, 5, strides=2, padding="same", activation="tanh")

    def call(self, noise, training=False):
        x = self.project(noise)
        x = tf.nn.leaky_relu(self.norm1(x, training=training))
        x = tf.reshape(x, [-1, 7, 7, 32])
        x = self.up1(x)
        x = tf.nn.leaky_relu(self.norm2(x, training=training))
        return self.up2(x)


class Discriminator(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(16, 5, strides=2, padding="same")
        self.conv2 = layers.Conv2D(32, 5, strides=2, padding="same")
        self.dropout = layers.Dropout(0.3)
        self.flatten = layers.Flatten()
        self.features = layers.Dense(24)
        self.out = layers.Dense(1)

    def call(self, images, training=False):
        x = tf.nn.leaky_relu(self.conv1(images))
        x = self.dropout(x, training=training)
        x = tf.nn.leaky_relu(self.conv2(x))
        x = self.flatten(x)
        x = self.features(x)
        distances = tf.reduce_sum(tf.abs(tf.expand_dims(x, 0) - tf.expand_dims(x, 1)), axis=2)
        closeness = tf.reduce_sum(tf.exp(-distances), axis=1, keepdims=True)
        return self.out(tf.concat([x, closeness], axis=1))


generator = Generator()
discriminator = Discriminator()
bce = keras.losses.BinaryCrossentropy(from_logits=True)
generator_optimizer = keras.optimizers.Adam(2e-4, beta_1=0.5)
discriminator_optimizer = keras.optimizers.Adam(2e-4, beta_1=0.5)


@tf.function
def train_step(images):
    noise = tf.random.normal([BATCH, NOISE])
    with tf.GradientTape() as tape_g, tf.GradientTape() as tape_d:
        made = generator(noise, training=True)
        real_logits = discriminator(images, training=True)
        fake_logits = discriminator(made, training=True)
        loss_d = bce(tf.ones_like(real_logits), real_logits) + bce(tf.zeros_like(fake_logits), fake_logits)
        loss_g = bce(tf.ones_like(fake_logits), fake_logits)
    gradients_g = tape_g.gradient(loss_g, generator.trainable_variables)
    gradients_d = tape_d.gradient(loss_d, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gradients_g, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(gradients_d, discriminator.trainable_variables))
    return loss_g, loss_d


def sheet(images, rows, columns):
    """Put images side by side."""
    images = np.reshape(images, (rows, columns, 28, 28))
    images = np.transpose(images, (0, 2, 1, 3))
    return np.reshape(images, (rows * 28, columns * 28))


def main():
    (train_images, _), _ = keras.datasets.mnist.load_data()
    train_images = train_images.reshape(train_images.shape[0], 28, 28, 1).astype("float32")
    train_images = (train_images - 127.5) / 127.5
    dataset = tf.data.Dataset.from_tensor_slices(train_images[:64]).shuffle(64).batch(BATCH, drop_remainder=True)
    fixed = tf.random.normal([8, NOISE], seed=1)
    for epoch in range(2):
        for images in dataset:
            loss_g, loss_d = train_step(images)
        picture = sheet(generator(fixed).numpy(), 2, 4)
        print(epoch, float(loss_g), float(loss_d), picture.shape)


if __name__ == "__main__":
    main()
