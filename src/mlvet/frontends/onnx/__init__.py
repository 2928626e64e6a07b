"""ONNX models, of any opset, read as data."""

from __future__ import annotations

from mlvet.frontends.onnx.reader import from_onnx, read_onnx

__all__ = ["from_onnx", "read_onnx"]
