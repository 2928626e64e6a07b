"""A functional model is made with its layers in training; what they do otherwise may take other shapes."""

from __future__ import annotations

from looking import violated

from mlvet.frontends.python.program import interpret_text

PROGRAM = """
import keras
import numpy as np
class Narrow(keras.layers.Layer):
    def call(self, x, training=True):
        {test}
            x = keras.ops.squeeze(x, -1)
            x = keras.ops.stack([x, x, x], -1)
        return x
x = keras.Input((None, 1))
model = keras.Model(x, keras.layers.Dense(2)(Narrow()(x)))
model.predict(np.ones((4, 6, 3)))
"""


def test_what_only_training_does_is_not_surely_wrong_in_prediction() -> None:
    assert not violated(interpret_text(PROGRAM.format(test="if training:")))


def test_what_is_always_done_is() -> None:
    assert violated(interpret_text(PROGRAM.format(test="if True:")))
