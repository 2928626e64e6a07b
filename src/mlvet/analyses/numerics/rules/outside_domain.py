"""A function outside of its domain."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class OutsideDomain(HazardRule):
    """A function outside of its domain.

    ## What it does
    Reports inverse trigonometric and hyperbolic functions, powers and the like whose operand can be where they are not
    defined: `acos` and `asin` beyond [-1, 1], `atanh` at -1 and 1, `acosh` below 1.

    ## Why it matters
    The result is NaN or infinite.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %two: f32[] = f32[] [2.0]
          %t = tanh(%x) @tanh_1
          %s = mul(%t, %two) @mul_1
          %y = acos(%s) @acos_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %two: f32[] = f32[] [2.0]
          constant %low: f32[] = f32[] [-1.0]
          constant %high: f32[] = f32[] [1.0]
          %t = tanh(%x) @tanh_1
          %s = mul(%t, %two) @mul_1
          %c = clip(%s, %low, %high) @clip_1
          %y = acos(%c) @acos_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM109"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}, {told.reach}, so the result can be {told.outcome}"
