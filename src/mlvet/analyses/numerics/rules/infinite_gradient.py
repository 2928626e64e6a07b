"""A gradient that is infinite or NaN where the value is not."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number
from mlvet.core.grade import Severity


class InfiniteGradient(HazardRule):
    """A gradient that is infinite or NaN where the value is not.

    ## What it does
    Reports operators whose derivative is infinite or undefined at a number that their operand can reach, such as
    square roots and norms at 0, where the gradient flows to a trainable parameter.

    ## Why it matters
    The value looks sound, but one step of training makes the weights NaN.

    ## Example
        mlvet-graph 1 "model"
        parameter %w: f32[4] name="w"
        graph(%x: f32[4]) {
          constant %axes_sum_1: i64[1] = i64[1] [0]
          %m = mul(%w, %w) @mul_1
          %s = reduce_sum(%m, %axes_sum_1) {keepdims=false} @sum_1
          %y = sqrt(%s) @sqrt_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        parameter %w: f32[4] name="w"
        graph(%x: f32[4]) {
          constant %epsilon: f32[] = f32[] [1e-12]
          constant %axes_sum_1: i64[1] = i64[1] [0]
          %m = mul(%w, %w) @mul_1
          %s = reduce_sum(%m, %axes_sum_1) {keepdims=false} @sum_1
          %a = add(%s, %epsilon) @add_1
          %y = sqrt(%a) @sqrt_1
          return %y
        }

    ## How sure
    Observed if weights within the assumed ranges were run and showed it; possible otherwise.
    """

    code = "NUM113"
    severity = Severity.WARNING

    @staticmethod
    def message(told: Told) -> str:
        at = f"which reaches {number(told.safe_low)}, where its derivative is infinite or NaN"
        return f"`{told.operator}` receives {told.range}, {at}, so the weights can become NaN in training"
