"""NaN among the stored elements."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class NanInWeights(HazardRule):
    """NaN among the stored elements.

    ## What it does
    Reports parameters and constants whose stored elements hold NaN.

    ## Why it matters
    Whatever is computed with them is NaN: the training that wrote them had failed. Infinities are not reported, since
    masks need them.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[2]) {
          constant %w: f32[2] = f32[2] [1.0, nan]
          %y = mul(%x, %w) @mul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[2]) {
          constant %w: f32[2] = f32[2] [1.0, 0.5]
          %y = mul(%x, %w) @mul_1
          return %y
        }

    ## How sure
    Proved: the file holds them.
    """

    code = "NUM118"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` holds {told.because}, so what is computed with it is NaN"
