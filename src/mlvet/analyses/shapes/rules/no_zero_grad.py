"""A training loop that never clears gradients."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class NoZeroGrad(Rule):
    """A training loop that never clears gradients.

    ## What it does
    Reports `step()` of an optimiser of PyTorch in a loop with `backward()`, where nothing in the loop sets the
    gradients to 0.

    ## Why it matters
    `backward()` adds to the gradients that are there. Without `zero_grad()` each step goes along the sum of the
    gradients of all batches so far, and training soon diverges.

    ## Example
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            loss = model(torch.randn(64, 8)).square().mean()
            loss.backward()
            optimizer.step()

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            loss = model(torch.randn(64, 8)).square().mean()
            loss.backward()
            optimizer.step()

    ## How sure
    Likely. Gradients that are added up by design are cleared now and then, and that is not reported.
    """

    code = "SHP211"
    severity = Severity.SUGGESTION
