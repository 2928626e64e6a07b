"""Recurrent layers of older opsets."""

from __future__ import annotations

from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import upgrade
from mlvet.ir.builder import Builder


@upgrade("RNN", "GRU", "LSTM", since=7)
def _whole_sequence(source: Source, _: Builder) -> Source:
    """`output_sequence` only told whether the first result is wanted; its default direction was once misspelt."""
    direction = source.attributes.get("direction", "forward")
    return source.without("output_sequence").having(direction="forward" if direction == "foward" else direction)
