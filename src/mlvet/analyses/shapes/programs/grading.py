"""How sure a contradiction is: what its path and its operands leave to doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.core.grade import Certainty
from mlvet.ir.graph import Literal
from mlvet.ir.program import Condition, Demands

_MOST_UNUSUAL = 1
"""More settings than these that differ from their defaults at once may be ones that nobody combines."""


def certainty(found: Contradiction, demands: Demands) -> Certainty:
    """`proved` unless a default is assumed, perhaps no run takes the path, or the program is ready for a failure."""
    if found.demand.expected or _deals_with_nothing(found) or _is_doubtful(found, demands):
        return Certainty.POSSIBLE
    return Certainty.LIKELY if found.defaults or found.assumed else Certainty.PROVED


def _deals_with_nothing(found: Contradiction) -> bool:
    """Whether an operand has no elements; programs mostly see to it that such a case is not computed."""
    return any(tensor is not None and tensor.ranked and 0 in tensor.dims for tensor in found.demand.operands)


def _is_doubtful(found: Contradiction, demands: Demands) -> bool:
    """Whether the path hangs on something that mlvet knows nothing of, or on an unusual choice of several settings."""
    chosen = dict(choices(found.path, demands))
    if any(condition.opaque for condition in chosen):
        return True
    unusual = [each for each, holds in chosen.items() if each.default is not None and each.default != holds]
    return len(unusual) > _MOST_UNUSUAL


def choices(path: Iterable[Literal], demands: Demands) -> Iterator[tuple[Condition, bool]]:
    """The conditions on a path on which runs part, with their outcomes; what all runs share is no choice."""
    for literal in path:
        condition = demands.conditions.get(literal.condition)
        if condition is not None and not condition.required:
            yield condition, literal.holds
