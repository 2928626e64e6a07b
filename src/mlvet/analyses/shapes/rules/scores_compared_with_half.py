"""Scores compared with 0.5."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ScoresComparedWithHalf(Rule):
    """Scores compared with 0.5.

    ## What it does
    Reports outputs of a layer that a loss takes for scores, applying the sigmoid itself, and that are compared with
    0.5 or rounded elsewhere, also by the accuracy of Keras.

    ## Why it matters
    A probability of 0.5 is a score of 0. With 0.5 as threshold of scores all examples with a probability between
    0.5 and 0.62 are told to be of the other class.

    ## Example
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.ones(64, 1)
        scores = model(x)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, y)
        accuracy = ((scores > 0.5) == y).float().mean()

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.ones(64, 1)
        scores = model(x)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, y)
        accuracy = ((scores > 0) == y).float().mean()

    ## How sure
    Likely.
    """

    code = "SHP209"
    severity = Severity.SUGGESTION
