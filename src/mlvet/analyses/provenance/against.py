"""Two runs compared: the change of an output, shared out among the changes of its inputs.

The change of a function between two points is the integral of its derivatives along the way. By the trapezoidal rule
that is the mean of both ends times the change of the input, which is exact up to the second degree; what is left over
comes from higher degrees, from branches that were taken otherwise, or from another program.
"""

from __future__ import annotations

import math

from mlvet.core.difference import Change, Difference
from mlvet.core.explanation import Explanation, Influence
from mlvet.core.finding import Finding


def compared(before: Explanation, after: Explanation) -> Difference:
    """What changed from one run to the other. The more of their inputs both list, the more is explained.

    An input that only one of them has counts as 0 in the other, as an edge does that is not there. If the list of the
    other is cut, it is not known whether it has the input, and nothing is said of it.
    """
    first = {each.input: each for each in before.influences}
    second = {each.input: each for each in after.influences}
    whole_before, whole_after = (each.inputs <= len(each.influences) for each in (before, after))
    changes: list[Change] = []
    same = unlisted = 0
    for name in dict.fromkeys((*first, *second)):
        old, new = first.get(name), second.get(name)
        if (old is None and not whole_before) or (new is None and not whole_after):
            unlisted += 1
        elif old is not None and new is not None and _equal(old.value, new.value):
            same += 1
        else:
            changes.append(_change(name, old, new))
    changes.sort(key=lambda each: (each.attributed is None, -abs(each.attributed or 0.0)))
    explained = math.fsum(each.attributed for each in changes if each.attributed is not None)
    seen = {_identity(each) for each in before.findings}
    still = {_identity(each) for each in after.findings}
    return Difference(
        after.output,
        before.value,
        after.value,
        tuple(changes),
        same,
        unlisted,
        after.value - before.value - explained,
        tuple(each for each in after.findings if _identity(each) not in seen),
        tuple(each for each in before.findings if _identity(each) not in still),
    )


def _change(name: str, old: Influence | None, new: Influence | None) -> Change:
    slopes = [each.derivative for each in (old, new) if each is not None]
    step = (new.value if new else 0.0) - (old.value if old else 0.0)
    attributed = step * math.fsum(slopes) / len(slopes) if all(map(math.isfinite, (*slopes, step))) else None
    return Change(name, old.value if old else None, new.value if new else None, attributed)


def _equal(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _identity(finding: Finding) -> tuple[str, str, int | None, str]:
    """The rule and what it is about; numbers in the message differ between runs."""
    data = finding.evidence.data if finding.evidence else {}
    about = [str(data[key]) for key in ("input", "vertex", "edge", "source", "variable") if key in data]
    return (finding.rule, finding.location.path, finding.location.line, " ".join(about))
