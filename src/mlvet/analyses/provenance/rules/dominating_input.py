"""One input that dominates an output."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DominatingInput(Rule):
    """One input, or all inputs of one vertex, dominate an output out of proportion.

    ## What it does
    Reports an input with more influence on an output than all others of its kind together, if the output also changes
    by more than a percent for each percent of that input. Inputs of one kind are the elements of one variable, and at
    least ten of them must act on the output. The weights of all edges that leave one vertex are taken together.

    ## Why it matters
    What looks like the result of many data is the result of one. Where weights are not negative and a vertex hands on
    no more than it has, no edge can do that: each elasticity of a converged PageRank is between -1 and 1. So there is
    either a number out of range among the data, or a cancellation.

    ## Example
        lengths = [1.71, 1.82, 1.64, 1.77, 1.69, 1.80, 1.75, 1.58, 1.66, 1.73, 1.79, 173.0]
        mean = sum(lengths) / len(lengths)
        spread = sum((length - mean) ** 2 for length in lengths) / len(lengths)

    ## Use instead
        lengths = [1.71, 1.82, 1.64, 1.77, 1.69, 1.80, 1.75, 1.58, 1.66, 1.73, 1.79, 1.73]
        mean = sum(lengths) / len(lengths)
        spread = sum((length - mean) ** 2 for length in lengths) / len(lengths)

    ## How sure
    Likely: the influence was computed from the run; whether it is meant is for you to say.
    """

    code = "PRV101"
    severity = Severity.WARNING
