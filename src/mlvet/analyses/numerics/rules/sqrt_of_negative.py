"""A square root of a negative number."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class SqrtOfNegative(HazardRule):
    """A square root of a negative number.

    ## What it does
    Reports square roots whose operand can be negative.

    ## Why it matters
    The square root of a negative number is NaN, which spreads to everything that is computed with it.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %t = tanh(%x) @tanh_1
          %y = sqrt(%t) @sqrt_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %t = tanh(%x) @tanh_1
          %r = relu(%t) @relu_1
          %y = sqrt(%r) @sqrt_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM102"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}, {told.reach}, so the result can be NaN"
