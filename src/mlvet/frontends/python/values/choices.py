"""A value that differs from path to path: one alternative for each set of branch outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlvet.ir.graph import Literal

Guard = frozenset[Literal]
NEVER = None


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Alternatives whose guards exclude one another. None of them is a choice itself."""

    alternatives: tuple[tuple[Guard, Any], ...]

    def __repr__(self) -> str:
        return " | ".join(f"{value!r} if {', '.join(map(str, guard))}" for guard, value in self.alternatives)


def conjoined(left: Guard, right: Guard) -> Guard | None:
    """Both guards at once, None if they exclude one another."""
    for literal in left:
        if Literal(literal.condition, not literal.holds) in right:
            return None
    return left | right
