"""A siamese network on pairs of images."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def encoder():
    inputs = keras.Input((28, 28, 1))
    x = layers.Conv2D(8, 5, activation="relu")(inputs)
    x = layers.AveragePooling2D(2)(x)
    x = layers.Flatten()(x)
    return keras.Model(inputs, layers.Dense(10, activation="relu")(x))


embed = encoder()
optimizer = keras.optimizers.Adam()
for step in range(100):
    left = tf.random.uniform((16, 28, 28, 1))
    right = tf.random.uniform((16, 28, 28, 1))
    same = tf.cast(tf.random.uniform((16, 1)) > 0.5, tf.float32)
    with tf.GradientTape() as tape:
        squares = tf.reduce_sum(tf.square(embed(left) - embed(right)), axis=1, keepdims=True)
        distance = tf.sqrt(squares)  # NUM
        loss = tf.reduce_mean(same * squares + (1 - same) * tf.square(tf.maximum(1.0 - distance, 0)))
    gradients = tape.gradient(loss, embed.trainable_weights)
    optimizer.apply_gradients(zip(gradients, embed.trainable_weights))
