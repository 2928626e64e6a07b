"""What a constraint demands and why it is not met, in words."""

from __future__ import annotations

from mlvet.domains.claims import Relation
from mlvet.ops.require import Constraint


def broken(constraint: Constraint, left: str = "", right: str = "") -> str:
    """The demand with its two sides, which can be spelled better than they are written."""
    because = constraint.because.rstrip(".")
    left, right = left or str(constraint.left), right or str(constraint.right)
    match constraint.relation:
        case Relation.EQUAL:
            return f"{because}, but {left} is not {right}"
        case Relation.AT_LEAST:
            return f"{because}, but {left} is less than {right}"
        case Relation.DIVISIBLE:
            return f"{because}, but {left} is no multiple of {right}"
        case _:
            return because
