"""Half precision that overflows."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number


class HalfPrecisionOverflow(HazardRule):
    """Half precision that overflows.

    ## What it does
    Reports operators in float16, bfloat16 or a smaller format whose result can be greater than its largest number,
    which is 65504 in float16.

    ## Why it matters
    Squares and sums pass 65504 with ordinary activations. The result is infinite; where it divides, the quotient is 0,
    which is silently wrong.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f16[8, 10]) {
          constant %low: f16[] = f16[] [-300.0]
          constant %high: f16[] = f16[] [300.0]
          %c = clip(%x, %low, %high) @clip_1
          %y = mul(%c, %c) @mul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f16[8, 10]) {
          constant %low: f16[] = f16[] [-300.0]
          constant %high: f16[] = f16[] [300.0]
          %c = clip(%x, %low, %high) @clip_1
          %w = cast(%c) {to=f32} @cast_1
          %y = mul(%w, %w) @mul_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM107"

    @staticmethod
    def message(told: Told) -> str:
        limit = f"the largest {told.dtype}, {number(told.largest)}"
        return f"`{told.operator}` can pass {limit}, with what it receives, so the result can be {told.outcome}"
