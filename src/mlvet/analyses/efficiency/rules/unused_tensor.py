"""A tensor is computed and never read."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class UnusedTensor(Rule):
    """A tensor is computed and never read.

    ## What it does
    Reports work on tensors whose result nothing reads, alone or through other results that nothing reads, where it is a
    part of a loop or function worth having. Calls of models and functions that may do something else are left alone,
    and so is what a compiler sees: it drops such work itself.

    ## Why it matters
    An eager library computes what it is told to, and with gradients it also keeps what a backward pass would need.

    ## Example
        import torch

        def attention(query, key, value):
            scores = query @ key.transpose(1, 2)
            similarity = key @ key.transpose(1, 2)
            return torch.softmax(scores, -1) @ value

        tokens = torch.randn(8, 256, 64)
        attention(tokens, tokens, tokens)

    ## Use instead
        import torch

        def attention(query, key, value):
            scores = query @ key.transpose(1, 2)
            return torch.softmax(scores, -1) @ value

        tokens = torch.randn(8, 256, 64)
        attention(tokens, tokens, tokens)

    ## How sure
    Likely: the name is read nowhere in the file. The share is estimated from known shapes.
    """

    code = "EFF162"
    severity = Severity.SUGGESTION
