"""A reciprocal square root of zero or of a negative number."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class RsqrtOfNonpositive(HazardRule):
    """A reciprocal square root of zero or of a negative number.

    ## What it does
    Reports reciprocal square roots whose operand can be 0 or negative.

    ## Why it matters
    1/sqrt(0) is infinite and 1/sqrt of a negative number is NaN. Normalisations meet it on constant rows, whose
    variance is 0.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %t = tanh(%x) @tanh_1
          %r = relu(%t) @relu_1
          %y = rsqrt(%r) @rsqrt_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %epsilon: f32[] = f32[] [1e-05]
          %t = tanh(%x) @tanh_1
          %r = relu(%t) @relu_1
          %s = add(%r, %epsilon) @add_1
          %y = rsqrt(%s) @rsqrt_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM103"

    @staticmethod
    def message(told: Told) -> str:
        result = "NaN or inf" if told.below else "inf"
        return f"`{told.operator}` receives {told.range}, {told.reach}, so the result can be {result}"
