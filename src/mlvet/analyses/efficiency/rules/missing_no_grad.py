"""Gradients are recorded of forward passes that nothing learns from."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class MissingNoGrad(Rule):
    """Gradients are recorded of forward passes that nothing learns from.

    ## What it does
    Follows what a model computes, through names, containers, attributes and functions. Suggests `torch.no_grad()` for
    what is computed again and again and reaches no `backward()`: an evaluation, a metric, the actions of a policy.

    ## Why it matters
    PyTorch keeps every activation until the result is dropped, in case that gradients are asked for. Without them an
    evaluation needs a fraction of the memory, and larger batches fit. The time hardly changes where layers are large.

    ## Example
        import torch
        from torch import nn

        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
        batches = [(torch.randn(32, 64), torch.randint(10, (32,))) for _ in range(10)]
        model.eval()
        correct = 0
        for x, y in batches:
            correct += (model(x).argmax(1) == y).sum().item()
        print(correct)

    ## Use instead
        import torch
        from torch import nn

        model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
        batches = [(torch.randn(32, 64), torch.randint(10, (32,))) for _ in range(10)]
        model.eval()
        correct = 0
        with torch.no_grad():
            for x, y in batches:
                correct += (model(x).argmax(1) == y).sum().item()
        print(correct)

    ## How sure
    Likely. A model whose parameters are frozen records nothing and is not reported. Programs that set `requires_grad`
    to anything but False are left alone, and so are functions that return tensors to callers which are not known.
    Nothing is said where hardly anything would change: in a step that learns, of a call that moves less than a tenth of
    the bytes, or of one whose result is cut off at once and whose network learns from as much later in the step.
    """

    code = "EFF173"
    severity = Severity.SUGGESTION
