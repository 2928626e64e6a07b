"""A loss of probabilities is given scores."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ScoresTakenForProbabilities(Rule):
    """A loss of probabilities is given scores.

    ## What it does
    Reports `nll_loss` of what is no log-probability, and cross-entropies of Keras with `from_logits=False`, as by
    default, of a layer without an activation.

    ## Why it matters
    Scores are no probabilities: they are cut off at 0 and 1, or make the loss go down without end.

    ## Example
        import torch

        model = torch.nn.Linear(8, 10)
        loss = torch.nn.functional.nll_loss(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## Use instead
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 10), torch.nn.LogSoftmax(dim=1))
        loss = torch.nn.functional.nll_loss(model(torch.randn(64, 8)), torch.zeros(64, dtype=torch.long))

    ## How sure
    Likely.
    """

    code = "SHP207"
    severity = Severity.SUGGESTION
