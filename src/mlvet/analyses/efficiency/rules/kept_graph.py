"""A tensor is kept together with its graph."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class KeptGraph(Rule):
    """A tensor is kept together with its graph.

    ## What it does
    Suggests `.detach()` where a loop of PyTorch sums up losses or outputs, or puts them into a list, as tensors: in
    names, attributes, entries of dictionaries and objects such as meters, also if a function hands them out.

    ## Why it matters
    The tensor holds the graph that computed it. The graphs of all iterations stay in memory until the sum or the list
    is dropped, and memory grows from step to step.

    ## Example
        import torch
        from torch import nn

        model = nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        total = 0.0
        for _ in range(100):
            optimizer.zero_grad()
            loss = model(torch.randn(16, 8)).pow(2).mean()
            loss.backward()
            optimizer.step()
            total += loss
        print(total)

    ## Use instead
        import torch
        from torch import nn

        model = nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        total = 0.0
        for _ in range(100):
            optimizer.zero_grad()
            loss = model(torch.randn(16, 8)).pow(2).mean()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        print(total)

    ## How sure
    Likely. Reported are tensors that `backward()` was called for, whose graphs are of no use any more, and those whose
    sum or list reaches no `backward()`.
    """

    code = "EFF179"
    severity = Severity.SUGGESTION
