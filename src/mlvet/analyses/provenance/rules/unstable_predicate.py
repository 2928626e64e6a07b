"""A comparison that a small change of an input turns, with a jump of the output."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class UnstablePredicate(Rule):
    """A comparison that a small change of an input turns, with a jump of the output.

    ## What it does
    Reports a comparison whose other side changes the output by a hundredth or more, and by a greater part than the
    change of the input that turns it. Another iteration until convergence, which changes digits that nobody looks at,
    is not reported.

    ## Why it matters
    There the derivative says nothing: the output hangs on which side the comparison fell, and on noise in the input.

    ## Example
        scores = {"a": 1.0, "b": 1.0000001}
        bonus = 1.0
        if scores["a"] < scores["b"]:
            bonus = 2.0
        result = bonus * scores["a"]

    ## Use instead
        scores = {"a": 1.0, "b": 1.0000001}
        bonus = scores["b"] / (scores["a"] + scores["b"])
        result = (1.0 + bonus) * scores["a"]

    ## How sure
    Observed where the program was run with the input changed and the comparison did turn; likely where only the other
    side was taken.
    """

    code = "PRV106"
    severity = Severity.WARNING
