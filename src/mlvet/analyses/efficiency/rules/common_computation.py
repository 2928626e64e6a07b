"""Two runs compute the same values."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class CommonComputation(Rule):
    """Two runs compute the same values.

    ## What it does
    Suggests one run in the place of two that share work: runs of a TensorFlow 1 session in a row of which one is fed
    what the other is, calls of one model or function on the same input while nothing changes its parameters, and
    calls of different functions, methods or models that run the same part of a model on the same input.

    ## Why it matters
    A session forgets all it has computed when a run ends, and an eager library never looks back, so that the forward
    pass of a loss and that of an accuracy are two.

    ## Example
        import torch
        from torch import nn

        model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        images, labels = torch.randn(64, 784), torch.randint(10, (64,))
        for _ in range(100):
            loss = nn.functional.cross_entropy(model(images), labels)
            correct = (model(images).argmax(1) == labels).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    ## Use instead
        import torch
        from torch import nn

        model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        images, labels = torch.randn(64, 784), torch.randint(10, (64,))
        for _ in range(100):
            output = model(images)
            loss = nn.functional.cross_entropy(output, labels)
            correct = (output.argmax(1) == labels).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    ## How sure
    Likely, under the assumptions that the finding lists. Runs that draw random numbers then share them, which is told
    as an assumption; a model with dropout that trains is left alone.
    """

    code = "EFF121"
    severity = Severity.SUGGESTION
