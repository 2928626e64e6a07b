"""Older opsets brought to the newest, and other vendors' operators to standard ones, by families of changes."""

from __future__ import annotations

from mlvet.frontends.onnx.upgrades import arithmetic as arithmetic
from mlvet.frontends.onnx.upgrades import attention as attention
from mlvet.frontends.onnx.upgrades import contributed as contributed
from mlvet.frontends.onnx.upgrades import images as images
from mlvet.frontends.onnx.upgrades import normalisation as normalisation
from mlvet.frontends.onnx.upgrades import operands as operands
from mlvet.frontends.onnx.upgrades import recurrence as recurrence
from mlvet.frontends.onnx.upgrades import tables as tables
from mlvet.frontends.onnx.upgrades.upgrade import upgraded

__all__ = ["upgraded"]
