"""A loop reads the same file in every iteration."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class RepeatedHostWork(Rule):
    """A loop reads the same file in every iteration.

    ## What it does
    Suggests to read files and to load data sets before a loop in which none of the arguments changes.

    ## Why it matters
    Reading and decoding takes long beside computing, and the model waits for it in each epoch.

    ## Example
        import numpy as np
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(10):
            features = np.load("features.npy")
            optimizer.zero_grad()
            model(torch.from_numpy(features).float()).mean().backward()
            optimizer.step()

    ## Use instead
        import numpy as np
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        features = np.load("features.npy")
        for epoch in range(10):
            optimizer.zero_grad()
            model(torch.from_numpy(features).float()).mean().backward()
            optimizer.step()

    ## How sure
    Likely, if nobody writes the file while the loop runs; loops that write files or wait are not reported.
    """

    code = "EFF178"
    severity = Severity.SUGGESTION
