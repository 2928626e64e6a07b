"""The line that made the first NaN of an output."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class NanOrigin(Rule):
    """The line that made the first NaN that an output is made of.

    ## What it does
    Reports, for an output that is NaN, the first operation of the run that made a NaN of numbers that were none, or the
    input that was NaN from the start.

    ## Why it matters
    NaN spreads to all that it meets. Where it is seen tells nothing; where it began tells what value is missing.

    ## Example
        scores = {"a": float("inf"), "b": 1.0}
        total = scores["a"] + scores["b"]
        ranks = {name: score / total for name, score in scores.items()}

    ## Use instead
        scores = {"a": 2.0, "b": 1.0}
        total = scores["a"] + scores["b"]
        ranks = {name: score / total for name, score in scores.items()}

    ## How sure
    Observed: it happened in the run.
    """

    code = "PRV105"
    severity = Severity.WARNING
