"""Older opsets brought to the newest, one change of an operator per entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from mlvet.frontends.onnx.lowering import Source
from mlvet.ir.builder import Builder

Rewrite: TypeAlias = Callable[[Source, Builder], Source]


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A change that came with opset `since`: nodes of older opsets are rewritten to the newer form."""

    op_type: str
    since: int
    rewrite: Rewrite


_UPGRADES: dict[str, list[Upgrade]] = {}


def upgrade(*op_types: str, since: int) -> Callable[[Rewrite], Rewrite]:
    """Register how nodes written before opset `since` are brought to it."""

    def registered(rewrite: Rewrite) -> Rewrite:
        for op_type in op_types:
            entries = _UPGRADES.setdefault(op_type, [])
            entries.append(Upgrade(op_type, since, rewrite))
            entries.sort(key=lambda entry: entry.since)
        return rewrite

    return registered


def upgraded(source: Source, builder: Builder) -> Iterator[Source]:
    """The node in each newer form up to the newest; nothing if it is the newest already."""
    if source.domain:
        return
    for entry in _UPGRADES.get(source.op_type, ()):
        if source.opset < entry.since:
            source = entry.rewrite(source, builder)
            yield source


def _attribute_to_operand(name: str, position: int) -> Rewrite:
    """The upgrade of operators that once took a list of ints as an attribute and now take it as an operand."""

    def rewrite(source: Source, builder: Builder) -> Source:
        attributes = dict(source.attributes)
        if name not in attributes:
            return source
        ints = attributes.pop(name)
        operand = builder.constant(f"{source.name}.{name}", list(ints))
        operands = [*source.operands, *([None] * (position - len(source.operands)))][:position]
        return replace(source, operands=(*operands, operand), attributes=attributes)

    return rewrite


upgrade("Squeeze", "Unsqueeze", "ReduceSum", since=13)(_attribute_to_operand("axes", 1))
upgrade(
    "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceSumSquare", since=18,
)(_attribute_to_operand("axes", 1))  # fmt: skip
upgrade("Split", since=13)(_attribute_to_operand("split", 1))
