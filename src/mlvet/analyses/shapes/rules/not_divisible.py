"""A dim is no multiple of what it is cut into."""

from __future__ import annotations

from mlvet.analyses.shapes.judgement import ShapeRule
from mlvet.core.grade import Severity


class NotDivisible(ShapeRule):
    """A dim is no multiple of what it is cut into.

    ## What it does
    Reports groups, heads, blocks and equal splits that do not divide a dim.

    ## Why it matters
    The dim cannot be cut evenly, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 6, 16, 16], %w: f32[8, 1, 3, 3]) {
          %y = conv(%x, %w) {group=4} @conv_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 8, 16, 16], %w: f32[8, 2, 3, 3]) {
          %y = conv(%x, %w) {group=4} @conv_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP110"
    severity = Severity.ERROR
