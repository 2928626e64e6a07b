"""An operator that makes NaN of infinities."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class NotANumber(HazardRule):
    """An operator that makes NaN of infinities.

    ## What it does
    Reports operators that can compute inf - inf, 0 * inf or inf / inf with the infinities that they receive as values,
    or that can yield NaN in another way that has no rule of its own.

    ## Why it matters
    NaN spreads to everything that is computed with it.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %zero: f32[] = f32[] [0.0]
          constant %out: f32[] = f32[] [-inf]
          %s = where(%mask, %zero, %out) @where_1
          %t = tanh(%x) @tanh_1
          %y = mul(%t, %s) @mul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10], %mask: bool[8, 10]) {
          constant %zero: f32[] = f32[] [0.0]
          constant %out: f32[] = f32[] [-10000.0]
          %s = where(%mask, %zero, %out) @where_1
          %t = tanh(%x) @tanh_1
          %y = mul(%t, %s) @mul_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM117"

    @staticmethod
    def message(told: Told) -> str:
        met = "can meet inf - inf, 0 * inf or the like in what it receives"
        return f"`{told.operator}` {met}, so the result can be {told.outcome}"
