"""The file declares a shape that the operator cannot yield."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DeclaredShapeDiffers(Rule):
    """The file declares a shape that the operator cannot yield.

    ## What it does
    Reports values whose declared shape or element type contradicts what the operator that makes them yields.

    ## Why it matters
    Runtimes warn, merge the two or refuse the model; tools that trust the declaration compute wrong sizes.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %w: f32[64, 10]) {
          %y: f32[8, 64] = matmul(%x, %w) @matmul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %w: f32[64, 10]) {
          %y: f32[8, 10] = matmul(%x, %w) @matmul_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP114"
    severity = Severity.WARNING
