"""Values as a user knows them."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.analyses.shapes.suspicions.lineage import Lineage
from mlvet.core.evidence import Related
from mlvet.ir.graph import Node, Value

_RETYPED = frozenset(("cast",))
_SIGNS = {"equal": "==", "not_equal": "!="}


def shown(lineage: Lineage, value: Value) -> str:
    """A value with its name, if the program gave it one, and its shape."""
    name, plain = name_of(lineage, value), str(value.declared.without_value())
    return f"`{name}` {plain}" if name else plain


def name_of(lineage: Lineage, value: Value) -> str:
    """The name that the program gives a value, empty if it gives none."""
    value = lineage.bare(value, _RETYPED)
    name = value.name.partition("#")[0]
    maker = lineage.maker(value)
    made = maker is not None and name.partition("_")[0] in (maker.op.partition("_")[0], "opaque", maker.source_op)
    return "" if made or not name.isidentifier() else name


def birth(lineage: Lineage, value: Value, node: Node) -> Iterator[Related]:
    """Where a value was made, if that is not where it is used."""
    maker = lineage.maker(value)
    if maker is not None and maker.location is not None and maker.location != node.location:
        yield Related(f"{shown(lineage, value)} is made here by `{maker.source_op}`", maker.location)


def called(node: Node) -> str:
    """What the program calls an operator."""
    return _SIGNS.get(node.source_op, node.source_op) or node.op
