"""Element types that must agree differ."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DtypeDiffers(Rule):
    """Element types that must agree differ.

    ## What it does
    Reports operands of an operator that takes one element type, and operands of a type it does not take.

    ## Why it matters
    Runtimes refuse the node; nothing is converted silently in a model file.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %w: f16[64, 10]) {
          %y = matmul(%x, %w) @matmul_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %w: f32[64, 10]) {
          %y = matmul(%x, %w) @matmul_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP113"
    severity = Severity.ERROR
