"""A tensor has the wrong number of dims."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class RankDiffers(Rule):
    """A tensor has the wrong number of dims.

    ## What it does
    Reports operands with more or fewer dims than the operator takes.

    ## Why it matters
    The operator refuses such operands, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 32], %w: f32[16, 32, 3, 3]) {
          %y = conv(%x, %w) @conv_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 32, 5, 5], %w: f32[16, 32, 3, 3]) {
          %y = conv(%x, %w) @conv_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP107"
    severity = Severity.ERROR
