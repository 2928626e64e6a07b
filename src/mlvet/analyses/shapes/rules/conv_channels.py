"""A convolution's channels do not fit its input."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ConvChannels(Rule):
    """A convolution's channels do not fit its input.

    ## What it does
    Reports convolutions whose kernel expects another number of channels than the input has, times the groups.

    ## Why it matters
    The kernel cannot be applied, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 3, 32, 32], %w: f32[16, 1, 3, 3]) {
          %y = conv(%x, %w) @conv_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 3, 32, 32], %w: f32[16, 3, 3, 3]) {
          %y = conv(%x, %w) @conv_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP105"
    severity = Severity.ERROR
