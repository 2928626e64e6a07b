"""Where a node of a graph is, for findings about models."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.core.evidence import Related
from mlvet.core.location import Location
from mlvet.ir.graph import Graph, Node


def place(graph: Graph, node: Node) -> Location:
    """The node as the model file names it; for a program or a live model the source line that made it."""
    written = node.location
    if written is not None and (written.node is not None or not graph.path or graph.format == "python"):
        return written
    return Location(graph.path or graph.name, node=node.name.partition("#")[0] or node.name)


def source_line(graph: Graph, node: Node) -> Iterator[Related]:
    """Where the program wrote the operator, if the file remembers it."""
    if graph.path and graph.format != "python" and node.location is not None and node.location.line is not None:
        yield Related(f"`{node.source_op}` was written here", node.location)
