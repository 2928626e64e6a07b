"""Operands that an operator needs and a file leaves out, has too many of, or of a type that its format forbids."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Typing, Value
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require


def complete(op: str, operands: Sequence[Tensor | None], require: Require) -> bool:
    """Whether every operand that the operator's rule cannot do without is there, and none beyond those it takes."""
    takes = _taken(op)
    given = len(operands)
    while given and operands[given - 1] is None:
        given -= 1
    for index in range(max(len(takes.needed), given)):
        needed = takes.needed[index] if index < len(takes.needed) else takes.rest_needed
        present = index < given and operands[index] is not None
        if needed and not require.holds(present, f"operand {index + 1}, which it needs, is left out"):
            return False
    most = takes.most
    return require.holds(most is None or given <= most, f"it takes at most {most} operands, but is given {given}")


def well_typed(typing: Typing, type_of: Callable[[Value], Tensor], require: Require) -> None:
    """Demand that operands have element types that the format allows, and one type where it wants one."""
    groups: dict[int, DType] = {}
    for place, (value, allowed, group) in enumerate(zip(typing.operands, typing.allowed, typing.groups, strict=True)):
        dtype = None if value is None else type_of(value).dtype
        if dtype is None:
            continue
        if allowed is not None and dtype not in allowed:
            names = " or ".join(sorted(map(str, allowed)))
            require.holds(False, f"operand {place + 1} must be {names}, but is {dtype}", "dtype-differs")
        elif group >= 0 and groups.setdefault(group, dtype) != dtype:
            because = f"operand {place + 1} must be {groups[group]} like the others, but is {dtype}"
            require.holds(False, because, "dtype-differs")


@dataclass(frozen=True, slots=True)
class _Taken:
    """Which operands a rule cannot do without, by position and beyond, and how many it takes, if that has an end."""

    needed: tuple[bool, ...]
    rest_needed: bool
    most: int | None


@cache
def _taken(op: str) -> _Taken:
    rule = REGISTRY[op].infer
    parameters = list(inspect.signature(rule).parameters.values()) if rule is not None else []
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    needed = tuple(p.default is p.empty and p.annotation == "Tensor" for p in placed)
    return _Taken(needed, any(p.annotation == "Tensor" for p in rest), None if rest or not parameters else len(placed))
