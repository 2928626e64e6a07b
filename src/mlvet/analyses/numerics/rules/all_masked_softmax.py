"""A softmax of a row that is masked altogether."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class AllMaskedSoftmax(HazardRule):
    """A softmax of a row that is masked altogether.

    ## What it does
    Reports softmax operators for which all elements of a row can be -inf.

    ## Why it matters
    A row of which every element is -inf yields NaN: each weight is 0/0. It happens to sequences that are only padding.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %out: f32[] = f32[] [-inf]
          constant %low: f32[] = f32[] [-50.0]
          constant %high: f32[] = f32[] [50.0]
          %c = clip(%x, %low, %high) @clip_1
          %s = where(%mask, %c, %out) @where_1
          %y = softmax(%s) @softmax_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %out: f32[] = f32[] [-10000.0]
          constant %low: f32[] = f32[] [-50.0]
          constant %high: f32[] = f32[] [50.0]
          %c = clip(%x, %low, %high) @clip_1
          %s = where(%mask, %c, %out) @where_1
          %y = softmax(%s) @softmax_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM110"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}, and whole rows can be -inf, so the result can be NaN"
