"""TFLite files of floating-point models, read by the schema that comes with LiteRT."""

from __future__ import annotations

from mlvet.frontends.tflite.reader import read_tflite

__all__ = ["read_tflite"]
