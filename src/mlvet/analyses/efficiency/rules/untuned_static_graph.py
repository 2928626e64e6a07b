"""Convolutions with inputs of one shape are not tuned."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class UntunedStaticGraph(Rule):
    """Convolutions with inputs of one shape are not tuned.

    ## What it does
    Suggests `torch.backends.cudnn.benchmark = True` where a loop that may run on a GPU calls convolutions whose inputs
    have the same shape in every iteration, as far as all sizes are known.

    ## Why it matters
    cuDNN has several kernels for a convolution; which is the fastest hangs on the shape. With the setting it tries them
    at the first call for each shape, which pays when the shape comes again. With shapes that vary it costs time.

    ## Example
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Conv2d(3, 64, 3).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(1000):
            images = torch.randn(32, 3, 128, 128, device=device)
            loss = model(images).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    ## Use instead
        import torch
        from torch import nn

        torch.backends.cudnn.benchmark = True
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Conv2d(3, 64, 3).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(1000):
            images = torch.randn(32, 3, 128, 128, device=device)
            loss = model(images).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    ## How sure
    Likely, on the condition that a GPU with cuDNN is used.
    """

    code = "EFF141"
    severity = Severity.SUGGESTION
