"""A conversion of numbers that the target cannot hold."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number


class CastOverflow(HazardRule):
    """A conversion of numbers that the target cannot hold.

    ## What it does
    Reports conversions from floats to integers whose operand can be beyond the integers of the target.

    ## Why it matters
    What arises differs between processors: the number wraps, or becomes the least or greatest integer.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %low: f32[] = f32[] [-1000.0]
          constant %high: f32[] = f32[] [1000.0]
          %c = clip(%x, %low, %high) @clip_1
          %y = cast(%c) {to=i8} @cast_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %low: f32[] = f32[] [-128.0]
          constant %high: f32[] = f32[] [127.0]
          %c = clip(%x, %low, %high) @clip_1
          %y = cast(%c) {to=i8} @cast_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM108"

    @staticmethod
    def message(told: Told) -> str:
        limits = f"[{number(told.least)}, {number(told.largest)}]"
        return f"`{told.operator}` receives {told.range}, but {told.dtype} holds {limits}, so the result can be wrong"
