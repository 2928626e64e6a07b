"""A layer of Keras that divides by the deviation of its inputs."""

import tensorflow as tf
from tensorflow import keras


class Whiten(keras.layers.Layer):
    def build(self, input_shape):
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="gamma")

    def call(self, inputs):
        mean, variance = tf.nn.moments(inputs, axes=[-1], keepdims=True)
        return self.gamma * (inputs - mean) / tf.sqrt(variance)  # NUM


inputs = keras.Input(shape=(32,))
hidden = keras.layers.Dense(64, activation="relu")(inputs)
outputs = keras.layers.Dense(1)(Whiten()(hidden))
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="mse")
x = tf.random.normal((1000, 32))
y = tf.reduce_sum(x, axis=1, keepdims=True)
model.fit(x, y, epochs=5, batch_size=50)
