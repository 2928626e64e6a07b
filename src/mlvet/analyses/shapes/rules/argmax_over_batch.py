"""Argmax over the examples of a batch."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ArgmaxOverBatch(Rule):
    """Argmax over the examples of a batch.

    ## What it does
    Reports the index of the largest element over axis 0 of the scores that a layer makes, one row per example.

    ## Why it matters
    It yields the best example of each class, not the class of each example.

    ## Example
        import torch

        model = torch.nn.Linear(8, 10)
        predicted = model(torch.randn(64, 8)).argmax(0)

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 10)
        predicted = model(torch.randn(64, 8)).argmax(1)

    ## How sure
    Likely.
    """

    code = "SHP204"
    severity = Severity.SUGGESTION
