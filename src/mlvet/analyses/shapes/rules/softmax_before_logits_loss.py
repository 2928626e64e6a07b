"""Softmax before a loss that applies it itself."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class SoftmaxBeforeLogitsLoss(Rule):
    """Softmax before a loss that applies it itself.

    ## What it does
    Reports softmax, or sigmoid, of scores that are then given to a loss which takes scores, such as
    `cross_entropy`, `softmax_cross_entropy_with_logits` or a loss of Keras with `from_logits=True`.

    ## Why it matters
    Softmax of probabilities is nearly uniform: gradients are small, training is slow, and the loss cannot come near
    0.

    ## Example
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 10), torch.nn.Softmax(dim=1))
        loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## Use instead
        import torch

        model = torch.nn.Linear(8, 10)
        loss = torch.nn.functional.cross_entropy(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## How sure
    Likely. Keras on TensorFlow notices this within `fit` and warns.
    """

    code = "SHP206"
    severity = Severity.SUGGESTION
