"""A selection that hides NaN from the value but not from the gradient."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told
from mlvet.core.grade import Severity


class GradientThroughWhere(HazardRule):
    """A selection that hides NaN from the value but not from the gradient.

    ## What it does
    Reports operators that can yield NaN or infinity in elements that a `where` discards, if a gradient flows through
    them to a trainable parameter.

    ## Why it matters
    The derivative of what is discarded is multiplied by 0, and 0 * inf is NaN: the weights become NaN though every
    value is sound.

    ## Example
        mlvet-graph 1 "model"
        parameter %w: f32[4] name="w"
        graph(%x: f32[4]) {
          constant %zero: f32[] = f32[] [0.0]
          %t = mul(%w, %x) @mul_1
          %p = greater(%t, %zero) @greater_1
          %l = log(%t) @log_1
          %y = where(%p, %l, %zero) @where_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        parameter %w: f32[4] name="w"
        graph(%x: f32[4]) {
          constant %zero: f32[] = f32[] [0.0]
          constant %least: f32[] = f32[] [1e-06]
          constant %one: f32[] = f32[] [1.0]
          %t = mul(%w, %x) @mul_1
          %p = greater(%t, %least) @greater_1
          %s = where(%p, %t, %one) @where_1
          %l = log(%s) @log_1
          %y = where(%p, %l, %zero) @where_2
          return %y
        }

    ## How sure
    Observed if weights within the assumed ranges were run and showed it; possible otherwise.
    """

    code = "NUM114"
    severity = Severity.WARNING

    @staticmethod
    def message(told: Told) -> str:
        discarded = "and a `where` discards its result where it fails, but not the gradient"
        return f"`{told.operator}` receives {told.range}, {discarded}, so the weights can become NaN in training"
