"""Training needs more memory than the device has."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class MemoryExceedsDevice(Rule):
    """Training needs more memory than the device has.

    ## What it does
    Reports programs whose training is estimated to hold more at once than the size given by `--memory`: parameters,
    their gradients, what the optimiser keeps, the values that the backward pass needs, and the gradients under way.
    It looks only if a size is given.

    ## Why it matters
    The job is killed when the first batch comes, or later, when the first large one does.

    ## Configuration
        memory = "16G"

    ## Example
        import torch
        from torch import nn

        model = nn.Sequential(nn.Conv2d(3, 512, 3, padding=1), nn.ReLU(), nn.Conv2d(512, 1, 1))
        optimizer = torch.optim.Adam(model.parameters())
        images = torch.zeros(64, 3, 512, 512)
        loss = model(images).mean()
        loss.backward()
        optimizer.step()

    ## Use instead
        import torch
        from torch import nn

        model = nn.Sequential(nn.Conv2d(3, 512, 3, padding=1), nn.ReLU(), nn.Conv2d(512, 1, 1))
        optimizer = torch.optim.Adam(model.parameters())
        images = torch.zeros(2, 3, 512, 512)
        loss = model(images).mean()
        loss.backward()
        optimizer.step()

    ## How sure
    Likely: libraries differ in what they keep, and checkpointing or other precisions make it less. The estimate is
    within a factor of 2 of what PyTorch keeps, and the assumptions are listed. Where a size has no default there is
    no estimate.
    """

    code = "SHP120"
    severity = Severity.WARNING
