"""Evaluation of a model that is still in training mode."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class NoEvalMode(Rule):
    """Evaluation of a model that is still in training mode.

    ## What it does
    Reports calls of a model under `torch.no_grad()` whose outputs are compared with labels, where the model has
    dropout or batch norm, is trained by the program and is never set to `eval()`.

    ## Why it matters
    Dropout goes on dropping and batch norm uses the statistics of the batch at hand and moves its averages, so that
    the result is worse than the model is and differs from run to run.

    ## Example
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Dropout(), torch.nn.Linear(32, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(64, 8), torch.zeros(64, dtype=torch.long)
        for _ in range(10):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            accuracy = (model(x).argmax(1) == y).float().mean()

    ## Use instead
        import torch

        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Dropout(), torch.nn.Linear(32, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(64, 8), torch.zeros(64, dtype=torch.long)
        for _ in range(10):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(x).argmax(1) == y).float().mean()

    ## How sure
    Likely.
    """

    code = "SHP212"
    severity = Severity.SUGGESTION
