"""A softmax of infinite scores."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class SoftmaxOfInfinity(HazardRule):
    """A softmax of infinite scores.

    ## What it does
    Reports softmax operators that can receive infinity.

    ## Why it matters
    The softmax of a row with an infinite score is NaN, since inf - inf is.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %always: f32[] = f32[] [inf]
          constant %low: f32[] = f32[] [-50.0]
          constant %high: f32[] = f32[] [50.0]
          %c = clip(%x, %low, %high) @clip_1
          %s = where(%mask, %c, %always) @where_1
          %y = softmax(%s) @softmax_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %always: f32[] = f32[] [10000.0]
          constant %low: f32[] = f32[] [-50.0]
          constant %high: f32[] = f32[] [50.0]
          %c = clip(%x, %low, %high) @clip_1
          %s = where(%mask, %c, %always) @where_1
          %y = softmax(%s) @softmax_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM111"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}, which reaches inf, so the result can be NaN"
