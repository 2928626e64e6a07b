"""An epsilon that vanishes when it is added."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class LostEpsilon(HazardRule):
    """An epsilon that vanishes when it is added.

    ## What it does
    Reports logarithms, divisions and roots that an added constant should protect, where the constant is less than half
    of the gap between the neighbouring numbers of the element type: 1e-10 + 1 is 1 in float32.

    ## Why it matters
    The protection is not there: log(1e-10 + 1 - p) is -inf for p = 1.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %epsilon: f32[] = f32[] [1e-10]
          constant %one: f32[] = f32[] [1.0]
          %p = sigmoid(%x) @sigmoid_1
          %o = add(%one, %epsilon) @add_1
          %d = sub(%o, %p) @sub_1
          %y = log(%d) @log_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %epsilon: f32[] = f32[] [1e-10]
          constant %one: f32[] = f32[] [1.0]
          %p = sigmoid(%x) @sigmoid_1
          %o = sub(%one, %p) @sub_1
          %d = add(%o, %epsilon) @add_1
          %y = log(%d) @log_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM116"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}: {told.because}, so the result can be {told.outcome}"
