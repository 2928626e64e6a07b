"""Additive attention over image regions."""
import keras
from keras import ops


class AdditiveAttention(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.query = keras.layers.Dense(units)
        self.key = keras.layers.Dense(units)
        self.score = keras.layers.Dense(1)

    def call(self, inputs):
        states, regions = inputs
        energy = ops.tanh(self.query(states)[:, :, None] + self.key(regions)[:, None])
        weights = ops.softmax(self.score(energy), axis=2)
        return ops.sum(weights * regions[:, None], axis=2)
