"""A reshape changes the number of elements."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ReshapeSize(Rule):
    """A reshape changes the number of elements.

    ## What it does
    Reports reshapes whose target has another number of elements than the operand.

    ## Why it matters
    Elements can neither appear nor vanish, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64, 12, 12]) {
          constant %s: i64[2] = i64[2] [8, 1024]
          %y = reshape(%x, %s) @reshape_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64, 12, 12]) {
          constant %s: i64[2] = i64[2] [8, 9216]
          %y = reshape(%x, %s) @reshape_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP103"
    severity = Severity.ERROR
