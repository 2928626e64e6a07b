"""How large a graph becomes when its functions are written out at every call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.protobuf.wire import Record
from mlvet.frontends.tensorflow.functional import CALLING
from mlvet.frontends.tensorflow.variables import references

MOST_NODES = 1_000_000
"""A file whose functions, written out at every call, come to more nodes than this is refused."""


def check(steps: Iterable[tuple[str, Mapping[str, Record]]], library: Mapping[str, Record]) -> None:
    """Refuse a graph that is too large, before anything is written out."""
    total = 0
    sizes: dict[str, int] = {}
    for op, attributes in steps:
        total += 1 + sum(_size(name, library, sizes) for name in _called(op, attributes, library))
        if total > MOST_NODES:
            raise too_large()


def too_large() -> UnsupportedInput:
    return UnsupportedInput(f"with its functions written out the graph has more than {MOST_NODES} nodes")


def _called(op: str, attributes: Mapping[str, Record], library: Mapping[str, Record]) -> list[str]:
    if op in library:
        return [op]
    if op not in CALLING:
        return []
    names = [reference.name for value in attributes.values() for reference in references(value)]
    return [name for name in names if name in library]


def _size(name: str, library: Mapping[str, Record], sizes: dict[str, int]) -> int:
    """The nodes of a function with all that it calls; a call of a function that is being written out counts once."""
    pending = [name]
    opened: set[str] = set()
    while pending:
        current = pending[-1]
        if current in sizes:
            pending.pop()
            continue
        called = [inner for node in library[current].node_def for inner in _called(node.op, node.attr, library)]
        missing = [inner for inner in dict.fromkeys(called) if inner not in sizes and inner not in opened]
        if current not in opened:
            opened.add(current)
            missing = [inner for inner in missing if inner != current]
            if missing:
                pending += missing
                continue
        sizes[current] = len(library[current].node_def) + sum(sizes.get(inner, 1) for inner in called)
        pending.pop()
    return sizes[name]
