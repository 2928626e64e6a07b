"""A rule of the user's own reports something."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class OwnRule(Rule):
    """A rule of the user's own reports something.

    ## What it does
    Reports what the files under `efficiency-rules` derive as `report(Place, Name, Words)`, for example:

        report(E, "waits-in-loop", @format("this waits in every iteration of loop {}", L)) :-
            callee(E, "time.sleep"), inside(E, L).

    ## Why it matters
    A team knows which calls are slow in its own libraries. Rules are answer-set programs over facts about loops, calls,
    names and tensors; docs/efficiency.md lists the facts.

    ## Configuration
        efficiency-rules = ["slow.lp"]

    ## Example
        import time

        import torch

        total = torch.zeros(3)
        for step in range(10):
            time.sleep(1)
            total += step

    ## Use instead
        import time

        import torch

        total = torch.zeros(3)
        for step in range(10):
            total += step
        time.sleep(1)

    ## How sure
    As sure as the rule.
    """

    code = "EFF190"
    severity = Severity.SUGGESTION
