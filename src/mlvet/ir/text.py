"""The text form of a graph."""

from __future__ import annotations

from mlvet.ir.graph import Graph


def to_text(graph: Graph) -> str:
    return graph.name
