"""Predictions and labels broadcast to all pairs."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class LossBroadcasts(Rule):
    """Predictions and labels broadcast to all pairs.

    ## What it does
    Reports a difference, product or comparison of shapes such as (N, 1) and (N,) that is averaged or summed up to
    one number, and losses of PyTorch that stretch both of their operands.

    ## Why it matters
    (N, 1) against (N,) is (N, N): each prediction is compared with every label. Nothing fails, the model learns the
    mean of the labels, and an accuracy means nothing.

    ## Example
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.randn(64)
        loss = ((model(x) - y) ** 2).mean()

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.randn(64)
        loss = ((model(x).squeeze(1) - y) ** 2).mean()

    ## How sure
    Likely. Pairs that are wanted look different: the new axis is put in where the operand is used, or both sides
    are the same tensor.
    """

    code = "SHP201"
    severity = Severity.SUGGESTION
