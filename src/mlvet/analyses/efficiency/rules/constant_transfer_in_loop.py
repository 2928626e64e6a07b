"""A loop makes a tensor of the same values in every iteration."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ConstantTransferInLoop(Rule):
    """A loop makes a tensor of the same values in every iteration.

    ## What it does
    Suggests to convert lists and arrays that no iteration changes to tensors, and to bring tensors to their device,
    before the loop.

    ## Why it matters
    A conversion copies, number by number from a list, and a transfer to a GPU makes the host wait.

    ## Example
        import torch

        table = [[float(i * j) for j in range(200)] for i in range(200)]
        x = torch.ones(200)
        for _ in range(100):
            x = torch.tensor(table) @ x / 1e6
        print(x.sum())

    ## Use instead
        import torch

        table = torch.tensor([[float(i * j) for j in range(200)] for i in range(200)])
        x = torch.ones(200)
        for _ in range(100):
            x = table @ x / 1e6
        print(x.sum())

    ## How sure
    Likely, where the size of what is converted is known and its part of an iteration is worth having.
    """

    code = "EFF174"
    severity = Severity.SUGGESTION
