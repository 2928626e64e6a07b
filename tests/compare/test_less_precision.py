"""A backend that computes plain models in fewer bits than their numbers have, though not their layers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.compare.conftest import Compare, faulty, skip_without

skip_without("openvino")
skip_without("jax")
SHORT = """
import numpy as np
import openvino

class Hint:
    def to_string(self):
        return "bf16"

class Answer:
    def __init__(self, arrays):
        self.arrays = arrays
    def to_tuple(self):
        return tuple(((each.view(np.uint32) + 0x8000) & 0xFFFF0000).view(np.float32) for each in self.arrays)

class Short:
    def __init__(self, honest):
        self.honest = honest
    def __call__(self, given):
        return Answer(self.honest(given).to_tuple())

honest, asked = openvino.compile_model, openvino.Core.get_property
FULL = {"INFERENCE_PRECISION_HINT": "f32"}
def compile_model(model, device, config=None):
    return Short(honest(model, device, FULL)) if config is None else honest(model, device, config)
def get_property(self, *names):
    return Hint() if "INFERENCE_PRECISION_HINT" in names else asked(self, *names)
openvino.compile_model, openvino.Core.get_property = compile_model, get_property
"""
"""An OpenVINO on a processor that has bfloat16, which not every machine of a test is."""
MODEL = """
import keras
keras.utils.set_random_seed(0)
image = keras.Input((8, 8, 3))
x = keras.layers.Conv2D(4, 3, activation="relu", name="conv")(image)
x = keras.layers.Flatten(name="flat")(x)
keras.Model(image, keras.layers.Dense(6, name="out")(x)).save("model.keras")
"""


def test_less_precision_that_nobody_feels_is_a_note(compare: Compare, tmp_path: Path) -> None:
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    subprocess.run([sys.executable, "-c", MODEL], cwd=tmp_path, env=environment, check=True, capture_output=True)
    env = f"--env=short={faulty(tmp_path / 'short', SHORT)}"
    code, report, _ = compare("model.keras", "--backends", "jax,openvino@short", env)
    assert (code, report["findings"]) == (0, [])
    (note,) = [note for note in report["summary"]["notes"] if "bfloat16" in note]
    assert note.startswith("`openvino@short` computes the plain model in bfloat16")
