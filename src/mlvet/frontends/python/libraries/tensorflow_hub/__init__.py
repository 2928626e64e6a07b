"""TensorFlow Hub: models by address, of which the results of some are known."""

from __future__ import annotations

from mlvet.frontends.python.libraries.tensorflow_hub import modules as modules
