"""An argument that the operator does not take."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class IllegalArgument(Rule):
    """An argument that the operator does not take.

    ## What it does
    Reports attributes and operands outside of what the operator is defined for.

    ## Why it matters
    Runtimes refuse the node, so the model fails when it is loaded or first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 4, 6]) {
          %y = transpose(%x) {perm=(0, 2, 2)} @transpose_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 4, 6]) {
          %y = transpose(%x) {perm=(0, 2, 1)} @transpose_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP112"
    severity = Severity.ERROR
