"""Keras models as graphs: `.keras` archives, HDF5 files and live models, all read as data and never executed."""

from __future__ import annotations

from mlvet.frontends.keras.files import read_keras, read_weights
from mlvet.frontends.keras.live import from_keras

__all__ = ["from_keras", "read_keras", "read_weights"]
