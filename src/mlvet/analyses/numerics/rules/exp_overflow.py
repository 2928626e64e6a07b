"""An exponential that overflows."""

from __future__ import annotations

from math import isfinite

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number


class ExpOverflow(HazardRule):
    """An exponential that overflows.

    ## What it does
    Reports exponentials whose operand can be greater than the logarithm of the largest number: 88.7 in float32, 11.1
    in float16.

    ## Why it matters
    The result is infinite; a quotient of two such results is NaN.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %y = exp(%x) @exp_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %axes_max_1: i64[1] = i64[1] [1]
          %m = reduce_max(%x, %axes_max_1) {keepdims=true} @max_1
          %d = sub(%x, %m) @sub_1
          %y = exp(%d) @exp_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM105"

    @staticmethod
    def message(told: Told) -> str:
        where = f"beyond {number(told.limit)}" if isfinite(told.limit) else "for the greatest of these"
        passes = f"{where} the result passes the largest {told.dtype}"
        return f"`{told.operator}` receives {told.range}, and {passes}, so it can be infinite"
