"""An axis does not exist."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class AxisOutOfRange(Rule):
    """An axis does not exist.

    ## What it does
    Reports axes outside of the operand's dims.

    ## Why it matters
    The operator refuses the axis, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %y = softmax(%x) {axis=2} @softmax_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          %y = softmax(%x) {axis=1} @softmax_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP108"
    severity = Severity.ERROR
