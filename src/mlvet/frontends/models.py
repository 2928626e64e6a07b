"""Model files of every format to graphs; what a file is, is told by its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mlvet.core.errors import UnsupportedInput

if TYPE_CHECKING:
    from mlvet.ir.graph import Graph

SUFFIXES = frozenset({".onnx", ".pb", ".pbtxt", ".meta", ".keras", ".h5", ".hdf5", ".pt2", ".mlvet"})
"""Endings of model files, in folders too."""

AMBIGUOUS = frozenset({".pb", ".pbtxt", ".meta", ".h5", ".hdf5"})
"""Endings that other files have as well; such a file in a folder need not be a model."""

PICKLES = frozenset({".pt", ".pth", ".ckpt", ".pkl", ".pickle"})
"""Endings of files that can only be read by running the code in them, which mlvet never does."""

SAVED_MODELS = ("saved_model.pb", "saved_model.pbtxt")


def is_saved_model(folder: Path) -> bool:
    """Whether a folder is a model of TensorFlow."""
    return any(os.path.isfile(folder / name) for name in SAVED_MODELS)


def read_model(path: Path, shown: str) -> Graph:
    """The graph of a model file, or of the folder of a SavedModel. Raises UnsupportedInput with the defect."""
    try:
        return _read(path, shown)
    except OSError as error:
        raise UnsupportedInput((error.strerror or str(error)).lower()) from error


def _read(path: Path, shown: str) -> Graph:
    match path.suffix:
        case ".onnx":
            from mlvet.frontends.onnx import read_onnx

            return read_onnx(path, shown)
        case ".keras" | ".h5" | ".hdf5":
            from mlvet.frontends.keras import read_keras

            return read_keras(path, shown)
        case ".pt2":
            from mlvet.frontends.torch_export import read_pt2

            return read_pt2(path, shown)
        case ".tflite":
            from mlvet.frontends.tflite import read_tflite

            return read_tflite(path, shown)
        case ".mlvet":
            from mlvet.ir.text import read_text

            return read_text(path, shown)
        case suffix if suffix in PICKLES:
            raise UnsupportedInput("a pickle, which runs code when it is read; save the model with torch.export.save")
        case _:
            from mlvet.frontends.tensorflow import read_tensorflow

            return read_tensorflow(path, shown)
