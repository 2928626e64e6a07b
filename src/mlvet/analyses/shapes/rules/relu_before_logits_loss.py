"""Scores cut off at 0 before a loss of scores."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ReluBeforeLogitsLoss(Rule):
    """Scores cut off at 0 before a loss of scores.

    ## What it does
    Reports the rectified output of a layer that is given to a loss which takes scores of any sign, such as
    `cross_entropy` or `softmax_cross_entropy_with_logits`.

    ## Why it matters
    No score is negative, so that a class can never be made less likely than by a score of 0, and a class whose
    score is 0 gets no gradient. All of them may be 0 from the start.

    ## Example
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 10), torch.nn.ReLU())
        loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 10)
        loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## How sure
    Likely.
    """

    code = "SHP208"
    severity = Severity.SUGGESTION
