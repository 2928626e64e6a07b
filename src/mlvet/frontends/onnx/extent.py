"""How large a model becomes when functions are written out at each call, told before it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.onnx.opsets import official
from mlvet.frontends.protobuf.wire import Record

Key: TypeAlias = tuple[str, str, str]

MOST_NODES = 2_000_000
"""More nodes than this, functions counted as often as they are called, are refused."""

DEEPEST_CALL = 50
"""Calls within calls and subgraphs within subgraphs, together, go no deeper than this."""


def key_of(node: Record) -> Key:
    """The function that a node would call."""
    return official(node.domain), node.op_type, node.overload


def check_extent(nodes: Sequence[Record], functions: Mapping[Key, Record]) -> None:
    """Refuse a model whose functions call themselves, call too deep, or make it too large."""
    sizes: dict[Key, tuple[int, int]] = {}
    for key in functions:
        _measure(key, functions, sizes)
    size = 0
    for node, level in _every(nodes):
        inner, depth = sizes.get(key_of(node), (0, 0))
        size += 1 + inner
        if level + depth > DEEPEST_CALL:
            raise _too_deep(node.op_type)
    if size > MOST_NODES:
        raise UnsupportedInput(f"the model has more than {MOST_NODES} nodes, functions counted at each call")


def _too_deep(name: str) -> UnsupportedInput:
    return UnsupportedInput(f"function `{name}` calls functions to a depth of more than {DEEPEST_CALL}")


def _measure(start: Key, functions: Mapping[Key, Record], sizes: dict[Key, tuple[int, int]]) -> None:
    """Enter the nodes and the depth of calls of a function and of all that it calls, callees first."""
    path: dict[Key, None] = {}
    pending = [(start, False)]
    while pending:
        key, callees_known = pending.pop()
        if key in sizes:
            continue
        called = [(key_of(node), level) for node, level in _every(functions[key].node)]
        if callees_known:
            del path[key]
            known = [(*sizes[callee], level) for callee, level in called if callee in functions]
            depth = 1 + max((level + deep for _, deep, level in known), default=0)
            if depth > DEEPEST_CALL:
                raise _too_deep(key[1])
            sizes[key] = (min(len(called) + sum(size for size, _, _ in known), 2 * MOST_NODES), depth)
            continue
        if key in path:
            circle = [*path][[*path].index(key) :]
            chain = " -> ".join(name for _, name, _ in (*circle[:5], key))
            raise UnsupportedInput(f"function `{key[1]}` calls itself: {chain}")
        path[key] = None
        pending.append((key, True))
        callees = dict.fromkeys(callee for callee, _ in called if callee in functions and callee not in sizes)
        pending += [(callee, False) for callee in callees]


def _every(nodes: Sequence[Record]) -> Iterator[tuple[Record, int]]:
    """The nodes and those of their subgraphs, and how deep in subgraphs each is."""
    pending = [(node, 0) for node in nodes]
    while pending:
        node, level = pending.pop()
        yield node, level
        for item in node.attribute:
            for graph in (item.g, *item.graphs):
                if graph is not None:
                    pending += [(inner, level + 1) for inner in graph.node]
