"""The register of changes between opsets, one entry per change of an operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mlvet.frontends.onnx.source import Source
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value

Rewrite: TypeAlias = Callable[[Source, Builder], Source | Sequence[Value]]
"""A node in the form of a newer opset, or its results where it was replaced by other operators."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A change that came with opset `since`: nodes of older opsets are rewritten to the newer form."""

    since: int
    rewrite: Rewrite


_UPGRADES: dict[tuple[str, str], list[Upgrade]] = {}
ALWAYS = 1 << 30
"""Newer than any opset: the operator of that name is replaced whatever its opset."""


def upgrade(*op_types: str, since: int, domain: str = "") -> Callable[[Rewrite], Rewrite]:
    """Register how nodes written before opset `since` are brought to it."""

    def registered(rewrite: Rewrite) -> Rewrite:
        for op_type in op_types:
            entries = _UPGRADES.setdefault((domain, op_type), [])
            entries.append(Upgrade(since, rewrite))
            entries.sort(key=lambda entry: entry.since)
        return rewrite

    return registered


def upgraded(source: Source, builder: Builder) -> Source | Sequence[Value]:
    """The node in the form of the newest opset, or its results where other operators took its place."""
    while True:
        entry = _next(source)
        if entry is None:
            return source
        result = entry.rewrite(source, builder)
        if not isinstance(result, Source):
            return result
        source = replace(result, opset=max(entry.since, result.opset) if entry.since != ALWAYS else result.opset)


def registered_since(op_type: str, domain: str = "") -> list[int]:
    """The opsets that brought changes of an operator."""
    return [entry.since for entry in _UPGRADES.get((domain, op_type), ())]


def _next(source: Source) -> Upgrade | None:
    for entry in _UPGRADES.get((source.domain, source.op_type), ()):
        if source.opset < entry.since:
            return entry
    return None
