"""An optimiser that does not have the parameters of the model."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class OptimizerWithoutParameters(Rule):
    """An optimiser that does not have the parameters of the model.

    ## What it does
    Reports optimisers of PyTorch whose parameters no operator uses while the loss hangs on others, and models that
    get further layers after the optimiser was made.

    ## Why it matters
    The steps change nothing of what is computed, or leave the new layers as they were drawn.

    ## Example
        import torch

        model = torch.nn.Linear(8, 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model = torch.nn.Linear(8, 1)
        for _ in range(10):
            optimizer.zero_grad()
            model(torch.randn(64, 8)).square().mean().backward()
            optimizer.step()

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            model(torch.randn(64, 8)).square().mean().backward()
            optimizer.step()

    ## How sure
    Likely.
    """

    code = "SHP213"
    severity = Severity.SUGGESTION
