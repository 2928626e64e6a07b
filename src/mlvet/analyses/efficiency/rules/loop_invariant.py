"""A loop computes the same in every iteration."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class LoopInvariant(Rule):
    """A loop computes the same in every iteration.

    ## What it does
    Suggests to compute before a loop what no iteration changes, where that is a part of each iteration worth having.

    ## Why it matters
    Eager libraries do the work as often as the loop runs, and a compiler that sees one iteration cannot move it out.

    ## Example
        import torch

        features = torch.randn(1000, 400)
        target = torch.randn(400)
        weights = torch.zeros(400)
        for _ in range(200):
            gram = features.t() @ features
            weights = weights - 1e-4 * (gram @ weights - target)

    ## Use instead
        import torch

        features = torch.randn(1000, 400)
        target = torch.randn(400)
        weights = torch.zeros(400)
        gram = features.t() @ features
        for _ in range(200):
            weights = weights - 1e-4 * (gram @ weights - target)

    ## How sure
    Likely, under the assumptions that the finding lists. The share of an iteration is estimated from known shapes.
    """

    code = "EFF111"
    severity = Severity.SUGGESTION
