"""A window is larger than what it slides over."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class KernelLargerThanInput(Rule):
    """A window is larger than what it slides over.

    ## What it does
    Reports convolutions and pools whose window, dilation included, exceeds the padded input.

    ## Why it matters
    There is no place to put the window: frameworks raise, or yield an empty tensor.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 3, 4, 4], %w: f32[16, 3, 7, 7]) {
          %y = conv(%x, %w) @conv_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 3, 4, 4], %w: f32[16, 3, 7, 7]) {
          %y = conv(%x, %w) {pads=(3, 3, 3, 3)} @conv_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP106"
    severity = Severity.ERROR
