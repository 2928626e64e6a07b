"""Matrices whose inner dims differ are multiplied."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class MatmulInnerDims(Rule):
    """Matrices whose inner dims differ are multiplied.

    ## What it does
    Reports matrix products, linear layers and einsums whose contracted dims differ.

    ## Why it matters
    The product is not defined, so the model fails at its first run.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 64], %w: f32[32, 10]) {
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

    code = "SHP101"
    severity = Severity.ERROR
