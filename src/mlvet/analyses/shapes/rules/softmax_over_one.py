"""Softmax over an axis of size 1."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class SoftmaxOverOne(Rule):
    """Softmax over an axis of size 1.

    ## What it does
    Reports softmax of a layer with one unit along that unit, and cross-entropies of one class.

    ## Why it matters
    Softmax of one number is 1. The output is constant, its gradient 0, and the layers before it learn nothing.

    ## Example
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 1), torch.nn.Softmax(dim=1))
        share = model(torch.randn(64, 8))

    ## Use instead
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 1), torch.nn.Sigmoid())
        share = model(torch.randn(64, 8))

    ## How sure
    Likely. The size 1 is that of a layer of the program.
    """

    code = "SHP202"
    severity = Severity.SUGGESTION
