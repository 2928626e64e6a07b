"""A tensor grows by concatenation in a loop."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class GrowingConcatenation(Rule):
    """A tensor grows by concatenation in a loop.

    ## What it does
    Suggests to gather parts in a list and to join them once, where a loop joins a tensor with more in every iteration
    and nobody looks at it before the loop ends.

    ## Why it matters
    Every concatenation copies all that has been gathered so far, so that the time grows with the square of the number
    of iterations.

    ## Example
        import torch

        rows = torch.zeros(0, 64)
        for step in range(2000):
            rows = torch.cat([rows, torch.full((1, 64), float(step))])
        print(rows.mean())

    ## Use instead
        import torch

        parts = []
        for step in range(2000):
            parts.append(torch.full((1, 64), float(step)))
        rows = torch.cat(parts)
        print(rows.mean())

    ## How sure
    Likely. How often the loop must run for the copies to matter is told where the number is not known.
    """

    code = "EFF171"
    severity = Severity.SUGGESTION
