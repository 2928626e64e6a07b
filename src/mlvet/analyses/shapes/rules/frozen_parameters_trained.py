"""An optimiser of frozen parameters only."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class FrozenParametersTrained(Rule):
    """An optimiser of frozen parameters only.

    ## What it does
    Reports optimisers of PyTorch that take steps and all of whose parameters have `requires_grad=False`.

    ## Why it matters
    Frozen parameters get no gradients, so the steps change nothing.

    ## Example
        import torch

        body, head = torch.nn.Linear(8, 32), torch.nn.Linear(32, 1)
        for parameter in body.parameters():
            parameter.requires_grad = False
        optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            head(body(torch.randn(64, 8))).square().mean().backward()
            optimizer.step()

    ## Use instead
        import torch

        body, head = torch.nn.Linear(8, 32), torch.nn.Linear(32, 1)
        for parameter in body.parameters():
            parameter.requires_grad = False
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(10):
            optimizer.zero_grad()
            head(body(torch.randn(64, 8))).square().mean().backward()
            optimizer.step()

    ## How sure
    Likely.
    """

    code = "SHP214"
    severity = Severity.SUGGESTION
