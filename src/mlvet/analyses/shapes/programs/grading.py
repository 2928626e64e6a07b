"""How sure a contradiction is: what its path and its operands leave to doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mlvet.analyses.shapes.programs.contradictions import Contradiction, mentioned
from mlvet.core.grade import Certainty
from mlvet.ir.graph import Literal
from mlvet.ir.program import Condition, Demands, Setting

_MOST_UNUSUAL = 1
"""More settings than these that differ from their defaults at once may be ones that nobody combines."""

_FORM = re.compile(r"\b(len|isinstance|hasattr|type)\(|\.(ndim|dim|size|shape|rank)\b")


def certainty(found: Contradiction, demands: Demands) -> Certainty:
    """`proved` unless a default is assumed, perhaps no run takes the path, or the program is ready for a failure."""
    if found.demand.expected or _deals_with_nothing(found) or _is_doubtful(found, demands):
        return Certainty.POSSIBLE
    sure = not found.defaults and not found.assumed and not (found.demand.devices and _is_chosen(found, demands))
    return Certainty.PROVED if sure else Certainty.LIKELY


def _is_chosen(found: Contradiction, demands: Demands) -> bool:
    """Whether a machine or a user decides that a run takes the path."""
    return next(choices(found.path, demands), None) is not None


def _deals_with_nothing(found: Contradiction) -> bool:
    """Whether an operand has no elements; programs mostly see to it that such a case is not computed."""
    return any(tensor is not None and tensor.ranked and 0 in tensor.dims for tensor in found.demand.operands)


def _is_doubtful(found: Contradiction, demands: Demands) -> bool:
    """Whether it is on numbers of a list, which may be two of them, or on a path that perhaps no run takes.

    Such a path hangs on something that mlvet knows nothing of, on an unusual choice of several settings, or on one that
    is not the default that the contradiction rests on; or it hangs on the form of a value where values of other paths
    are no longer told apart.
    """
    if any(each.name in demands.listed for each in mentioned(found.demand)):
        return True
    chosen = dict(choices(found.path, demands))
    if any(condition.opaque or (demands.blurred and _is_of_form(condition)) for condition in chosen):
        return True
    unusual = [each for each, holds in chosen.items() if each.default is not None and each.default != holds]
    return len(unusual) > _MOST_UNUSUAL or any(_is_of(each, found.defaults) for each in unusual)


def _is_of_form(condition: Condition) -> bool:
    """Whether a condition asks what kind of value one is, or how many parts or dims it has."""
    return _FORM.search(condition.text) is not None


def _is_of(condition: Condition, settings: Iterable[Setting]) -> bool:
    """Whether a condition compares some settings."""
    return any(re.search(rf"\b{re.escape(each.name)}\b", condition.name) for each in settings)


def choices(path: Iterable[Literal], demands: Demands) -> Iterator[tuple[Condition, bool]]:
    """The conditions on a path on which runs part, with their outcomes; what all runs share is no choice."""
    for literal in path:
        condition = demands.conditions.get(literal.condition)
        if condition is not None and not condition.required:
            yield condition, literal.holds
