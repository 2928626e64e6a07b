"""A dim is no multiple of what it is cut into."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class NotDivisible(Rule):
    """A dim is no multiple of what it is cut into.

    ## What it does
    Reports groups, heads, blocks and equal splits that do not divide a dim.

    ## Why it matters
    The dim cannot be cut evenly, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64, 5, 5]) {
          %y = depth_to_space(%x) {blocksize=3} @depth_to_space_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64, 5, 5]) {
          %y = depth_to_space(%x) {blocksize=4} @depth_to_space_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP110"
    severity = Severity.ERROR
