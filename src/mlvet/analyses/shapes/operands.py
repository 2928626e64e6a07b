"""Operands that an operator needs and a file leaves out, or has too many of."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache

from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require


def complete(op: str, operands: Sequence[Tensor | None], require: Require) -> bool:
    """Whether every operand that the operator's rule cannot do without is there, and none beyond those it takes."""
    needed, most = _signature(op)
    given = len(operands)
    while given and operands[given - 1] is None:
        given -= 1
    for index, name in enumerate(needed):
        present = index < given and operands[index] is not None
        if name and not require.holds(present, f"operand {index + 1}, which it needs, is left out"):
            return False
    return require.holds(most is None or given <= most, f"it takes at most {most} operands, but is given {given}")


@cache
def _signature(op: str) -> tuple[tuple[str, ...], int | None]:
    """The operands without default by name, one that may be left out by none, and how many there can be."""
    rule = REGISTRY[op].infer
    parameters = inspect.signature(rule).parameters.values() if rule is not None else ()
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    most = None if rule is None or any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(placed)
    needed = (p.name if p.default is p.empty and str(p.annotation) == "Tensor" else "" for p in placed)
    return tuple(needed), most
