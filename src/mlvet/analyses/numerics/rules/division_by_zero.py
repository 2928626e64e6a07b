"""A division by zero."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told, number


class DivisionByZero(HazardRule):
    """A division by zero.

    ## What it does
    Reports divisions, reciprocals and remainders whose divisor can be 0, or so near to it that the quotient is
    infinite.

    ## Why it matters
    x/0 is infinite and 0/0 is NaN; an integer division by 0 stops the program or yields any number.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %t = tanh(%x) @tanh_1
          %y = reciprocal(%t) @reciprocal_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %one: f32[] = f32[] [1.0]
          %s = sigmoid(%x) @sigmoid_1
          %t = add(%s, %one) @add_1
          %y = reciprocal(%t) @reciprocal_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM104"

    @staticmethod
    def message(told: Told) -> str:
        at = "0" if told.low <= 0 <= told.high else f"{number(min(told.low, told.high, key=abs))}, too near to 0"
        result = "the program can stop here" if told.integer else f"the result can be {told.outcome}"
        return f"`{told.operator}` divides by {told.range}, which reaches {at}, so {result}"
