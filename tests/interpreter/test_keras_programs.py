"""What programs do with models of their own: made on two paths, computed in half precision."""

from __future__ import annotations

from looking import seen, violated

from mlvet.frontends.python.program import interpret_text

ENCODER = """
import keras
class Encoder(keras.Model):
    def __init__(self, named=False):
        a, b = keras.Input((5,)), keras.Input((5,))
        if named:
            super().__init__(inputs=[a, b], outputs={"sum": a + b})
        else:
            super().__init__(inputs=[a, b], outputs=[a + b])
def build(named):
    encoder = Encoder(named)
    outputs = encoder(encoder.inputs)
    x = outputs[0] if isinstance(outputs, list) else outputs["sum"]
    return keras.Model(encoder.inputs, x)([keras.Input((5,)), keras.Input((5,))])
"""

SHIFTED = """
import keras
keras.mixed_precision.set_global_policy("mixed_float16")
class Shift(keras.layers.Layer):
    def build(self, shape):
        self.shift = self.add_weight(shape=(4,), name="shift")
    def call(self, x):
        y = x + self.shift
        return y
z = Shift()(keras.layers.Dense(4)(keras.Input((3,))))
"""


def test_the_inputs_of_a_model_that_is_made_on_two_paths_are_those_of_each() -> None:
    assert violated(interpret_text(ENCODER)) == []


def test_weights_are_read_as_what_the_layer_computes_in() -> None:
    found = interpret_text(SHIFTED)
    assert violated(found) == []
    assert seen(found, "y") == "f16[batch, 4]"


CAUSAL = """
import keras
class Causal(keras.layers.Conv2D):
    def _validate_init(self):
        pass
layer = Causal(4, 3, padding="causal")
"""

PYRAMID = """
import keras
def build(shapes, maps):
    inputs = {}
    for level, shape in shapes.items():
        inputs[level] = keras.Input((8, 8, 3))
    model = keras.Model(inputs, {level: keras.layers.Conv2D(4, 3)(each) for level, each in inputs.items()})
    return model([keras.Input((8, 8, 3)), keras.Input((8, 8, 3))])
"""

BATCHES = "import KERAS as keras\ny = keras.layers.Conv2D(4, 1)(keras.Input((2, 8, 8, 3)))\n"


def test_a_layer_of_the_program_may_check_its_arguments_itself() -> None:
    assert violated(interpret_text(CAUSAL)) == []
    assert violated(interpret_text(CAUSAL.replace("_validate_init", "other"))) != []


def test_a_model_of_an_unknown_number_of_inputs_takes_any_number() -> None:
    assert violated(interpret_text(PYRAMID)) == []


def test_keras_2_convolves_several_dims_of_batches() -> None:
    assert violated(interpret_text(BATCHES.replace("KERAS", "tf_keras"))) == []
    assert violated(interpret_text(BATCHES.replace("KERAS", "keras"))) != []
