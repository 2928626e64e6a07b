"""Argmax over an axis of size 1."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ArgmaxOverOne(Rule):
    """Argmax over an axis of size 1.

    ## What it does
    Reports the index of the largest or smallest element along an axis of size 1.

    ## Why it matters
    The index is always 0, so that an accuracy that is computed of it compares zeros.

    ## Example
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.zeros(64)
        accuracy = (model(x).argmax(1) == y).float().mean()

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 1)
        x, y = torch.randn(64, 8), torch.zeros(64)
        accuracy = ((model(x).squeeze(1) > 0) == y).float().mean()

    ## How sure
    Likely.
    """

    code = "SHP203"
    severity = Severity.SUGGESTION
