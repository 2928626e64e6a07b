"""Sums, products or powers that leave the element type."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number


class ArithmeticOverflow(HazardRule):
    """Sums, products or powers that leave the element type.

    ## What it does
    Reports operators whose result can be greater than the largest number of float32 or float64 though their operands
    are finite. An overflow that needs inputs near the limits of their element type is no finding but a note.

    ## Why it matters
    The result is infinite, and inf - inf and 0 * inf, which follow soon, are NaN.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %low: f32[] = f32[] [-80.0]
          constant %high: f32[] = f32[] [80.0]
          %c = clip(%x, %low, %high) @clip_1
          %e = exp(%c) @exp_1
          %y = mul(%e, %e) @mul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %low: f32[] = f32[] [-40.0]
          constant %high: f32[] = f32[] [40.0]
          %c = clip(%x, %low, %high) @clip_1
          %e = exp(%c) @exp_1
          %y = mul(%e, %e) @mul_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM106"

    @staticmethod
    def message(told: Told) -> str:
        limit = f"the largest {told.dtype}, {number(told.largest)}"
        return f"`{told.operator}` can pass {limit}, with what it receives, so the result can be {told.outcome}"
