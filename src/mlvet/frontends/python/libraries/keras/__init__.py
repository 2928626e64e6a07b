"""Keras 3, and Keras 2 as `tensorflow.keras` and `tf_keras` where it differs little."""

from __future__ import annotations

from mlvet.frontends.python.libraries.keras import activations as activations
from mlvet.frontends.python.libraries.keras import applications as applications
from mlvet.frontends.python.libraries.keras import backend as backend
from mlvet.frontends.python.libraries.keras import callbacks as callbacks
from mlvet.frontends.python.libraries.keras import datasets as datasets
from mlvet.frontends.python.libraries.keras import directories as directories
from mlvet.frontends.python.libraries.keras import feature_space as feature_space
from mlvet.frontends.python.libraries.keras import layers as layers
from mlvet.frontends.python.libraries.keras import model as model
from mlvet.frontends.python.libraries.keras import ops as ops
from mlvet.frontends.python.libraries.keras import penalties as penalties
from mlvet.frontends.python.libraries.keras import pictures as pictures
from mlvet.frontends.python.libraries.keras import random as random
from mlvet.frontends.python.libraries.keras import saving as saving
from mlvet.frontends.python.libraries.keras import sequences as sequences
from mlvet.frontends.python.libraries.keras import tree as tree
from mlvet.frontends.python.libraries.registry import alias

for _name in (
    "tensorflow.keras", "tf_keras", "tensorflow.python.keras", "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras", "tensorflow.keras.api", "tensorflow_core.keras",
    "tensorflow.contrib.keras", "tensorflow.contrib.keras.api.keras",
):  # fmt: skip
    alias(_name, "keras")
for _old, _new in (
    ("keras.layers.experimental.preprocessing", "keras.layers"), ("keras.layers.experimental", "keras.layers"),
    ("keras.optimizers.experimental", "keras.optimizers"), ("keras.optimizers.legacy", "keras.optimizers"),
    ("keras.callbacks.experimental", "keras.callbacks"), ("keras.experimental", "keras.optimizers.schedules"),
    ("keras.utils.image_utils", "keras.utils"), ("keras.utils.np_utils", "keras.utils"),
    ("keras.utils.data_utils", "keras.utils"), ("keras.utils.vis_utils", "keras.utils"),
):  # fmt: skip
    alias(_old, _new)
