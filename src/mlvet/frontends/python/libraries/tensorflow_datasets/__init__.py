"""TensorFlow Datasets: data sets by name."""

from __future__ import annotations

from mlvet.frontends.python.libraries.tensorflow_datasets import loading as loading
