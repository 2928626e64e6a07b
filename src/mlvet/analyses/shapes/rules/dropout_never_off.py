"""Dropout that goes on in evaluation."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DropoutNeverOff(Rule):
    """Dropout that goes on in evaluation.

    ## What it does
    Reports `F.dropout` without the argument `training`, and dropout layers that are made where they are called, in
    a module of PyTorch that the program sets to `eval()`.

    ## Why it matters
    `eval()` reaches the layers that a module holds. A function that is not told, or a layer that is made anew,
    drops elements for good, so that results are worse and differ from run to run.

    ## Example
        import torch


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.out = torch.nn.Linear(8, 2)

            def forward(self, x):
                return self.out(torch.nn.functional.dropout(x, 0.5))


        net = Net().eval()
        scores = net(torch.randn(4, 8))

    ## Use instead
        import torch


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.out = torch.nn.Linear(8, 2)

            def forward(self, x):
                return self.out(torch.nn.functional.dropout(x, 0.5, training=self.training))


        net = Net().eval()
        scores = net(torch.randn(4, 8))

    ## How sure
    Likely. Dropout that is wanted in evaluation is told so with `training=True`.
    """

    code = "SHP216"
    severity = Severity.SUGGESTION
