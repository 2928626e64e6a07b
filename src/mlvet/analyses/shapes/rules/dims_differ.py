"""Two dims that must agree differ."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DimsDiffer(Rule):
    """Two dims that must agree differ.

    ## What it does
    Reports operands whose dims must be equal and are not, such as the channels of a normalisation and its scale.

    ## Why it matters
    The operator refuses such operands, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 16, 5, 5], %s: f32[32], %b: f32[32], %m: f32[32], %v: f32[32]) {
          %y = batch_normalization(%x, %s, %b, %m, %v) @batch_normalization_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 16, 5, 5], %s: f32[16], %b: f32[16], %m: f32[16], %v: f32[16]) {
          %y = batch_normalization(%x, %s, %b, %m, %v) @batch_normalization_1
          return %y
        }

    ## How sure
    Proved, unless the shape of an operand had to be taken from the file's word because no rule could tell it;
    then likely.
    """

    code = "SHP109"
    severity = Severity.ERROR
