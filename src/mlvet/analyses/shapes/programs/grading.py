"""How sure a contradiction is: what its path and its operands leave to doubt."""

from __future__ import annotations

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.core.grade import Certainty
from mlvet.ir.program import Demands

_MOST_UNUSUAL = 1
"""More settings than these that differ from their defaults at once may be ones that nobody combines."""


def certainty(found: Contradiction, demands: Demands) -> Certainty:
    """`proved` unless a default is assumed, or the path is one that perhaps no run takes."""
    if _deals_with_nothing(found) or _is_doubtful(found, demands):
        return Certainty.POSSIBLE
    return Certainty.LIKELY if found.defaults else Certainty.PROVED


def _deals_with_nothing(found: Contradiction) -> bool:
    """Whether an operand has no elements; programs mostly see to it that such a case is not computed."""
    return any(tensor is not None and tensor.ranked and 0 in tensor.dims for tensor in found.demand.operands)


def _is_doubtful(found: Contradiction, demands: Demands) -> bool:
    """Whether the path hangs on something that mlvet knows nothing of, or on an unusual choice of several settings."""
    conditions = [(demands.conditions.get(each.condition), each.holds) for each in found.path]
    if any(condition is not None and condition.opaque for condition, _ in conditions):
        return True
    unusual = [
        condition
        for condition, holds in conditions
        if condition is not None and condition.default is not None and condition.default != holds
    ]
    return len(unusual) > _MOST_UNUSUAL
