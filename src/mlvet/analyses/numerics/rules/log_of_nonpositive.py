"""A logarithm of zero or of a negative number."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class LogOfNonpositive(HazardRule):
    """A logarithm of zero or of a negative number.

    ## What it does
    Reports logarithms whose operand can leave the positive numbers (for `log1p`, those above -1).

    ## Why it matters
    log(0) is -inf and the logarithm of a negative number is NaN; both spread to the loss and from there to all
    weights. A softmax yields 0 as soon as two scores are about 100 apart.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %p = softmax(%x) @softmax_1
          %l = log(%p) @log_1
          return %l
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %l = log_softmax(%x) @log_1
          return %l
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM101"

    @staticmethod
    def message(told: Told) -> str:
        result = "NaN or -inf" if told.below else "-inf" if told.at_low else told.outcome
        return f"`{told.operator}` receives {told.range}, {told.reach}, so the result can be {result}"
