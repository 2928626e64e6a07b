"""A reshape that lets examples run into one another."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ReshapeMixesBatch(Rule):
    """A reshape that lets examples run into one another.

    ## What it does
    Reports a reshape of what a model computes that puts sizes in another order, such as (layers, batch, units) to
    (batch, layers * units) or (batch, channels, length) to (batch, length, channels).

    ## Why it matters
    A reshape leaves the elements in their order. Sizes that change places need a transpose; without it a row has
    elements of several examples or positions.

    ## Example
        import torch

        memory = torch.nn.LSTM(8, 16, num_layers=2)
        steps, (hidden, cell) = memory(torch.randn(20, 64, 8))
        flat = hidden.reshape(64, 32)

    ## Use instead
        import torch

        memory = torch.nn.LSTM(8, 16, num_layers=2)
        steps, (hidden, cell) = memory(torch.randn(20, 64, 8))
        flat = hidden.transpose(0, 1).reshape(64, 32)

    ## How sure
    Likely. The sizes that change places are known and different.
    """

    code = "SHP205"
    severity = Severity.SUGGESTION
