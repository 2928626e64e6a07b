"""The two losses of an adversarial network."""

import tensorflow as tf
from tensorflow import keras

generator = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(784)])
discriminator = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-4)


def step(images):
    noise = tf.random.normal((32, 100))
    with tf.GradientTape() as tape:
        fake = discriminator(generator(noise))
        real = discriminator(images)
        judged = tf.sigmoid(fake)
        wrong = tf.math.log(1.0 - judged)  # NUM
        right = -tf.nn.softplus(-real)
        loss = -tf.reduce_mean(right + wrong)
    gradients = tape.gradient(loss, discriminator.trainable_variables)
    optimizer.apply_gradients(zip(gradients, discriminator.trainable_variables))
    return loss


for epoch in range(10):
    print(step(tf.random.uniform((32, 784))))
