"""Shapes that do not broadcast are combined."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class BroadcastMismatch(Rule):
    """Shapes that do not broadcast are combined.

    ## What it does
    Reports elementwise operators whose operands differ in a dim where neither is 1.

    ## Why it matters
    The operator has no result for such shapes, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %b: f32[32]) {
          %y = add(%x, %b) @add_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %b: f32[64]) {
          %y = add(%x, %b) @add_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP102"
    severity = Severity.ERROR
