"""Tensors are joined that differ outside the joined axis."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ConcatDims(Rule):
    """Tensors are joined that differ outside the joined axis.

    ## What it does
    Reports concatenations and stacks whose operands differ in rank or in a dim that is not joined.

    ## Why it matters
    There is no rectangular result, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%a: f32[8, 16, 28, 28], %b: f32[8, 16, 14, 14]) {
          %y = concat(%a, %b) {axis=1} @concat_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%a: f32[8, 16, 28, 28], %b: f32[8, 16, 28, 28]) {
          %y = concat(%a, %b) {axis=1} @concat_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP104"
    severity = Severity.ERROR
