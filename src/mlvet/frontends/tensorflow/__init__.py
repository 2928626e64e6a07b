"""TensorFlow graphs, meta graphs and saved models, read without TensorFlow."""

from mlvet.frontends.tensorflow.reader import from_tensorflow, read_tensorflow

__all__ = ["from_tensorflow", "read_tensorflow"]
