"""A size is too small or too large."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class SizeOutOfRange(Rule):
    """A size is too small or too large.

    ## What it does
    Reports sizes that an operator cannot have: a negative dim, an index past the end, more top elements than there are.

    ## Why it matters
    The operator refuses the size, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 4]) {
          constant %k: i64[1] = i64[1] [5]
          %y, %i = top_k(%x, %k) @top_k_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 4]) {
          constant %k: i64[1] = i64[1] [3]
          %y, %i = top_k(%x, %k) @top_k_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP111"
    severity = Severity.ERROR
