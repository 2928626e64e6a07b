"""A difference that rounding takes out of the domain."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told
from mlvet.core.grade import Severity


class Cancellation(HazardRule):
    """A difference that rounding takes out of the domain.

    ## What it does
    Reports square roots, logarithms and divisions of a difference that is safe in real numbers, but which rounding can
    make 0 or negative: E[x*x] - E[x]*E[x], x*x - 2x + 1.

    ## Why it matters
    Two nearly equal numbers lose all their digits when they are subtracted; the sign of what is left is chance.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %axes_mean_1: i64[1] = i64[1] [1]
          constant %axes_mean_2: i64[1] = i64[1] [1]
          %t = tanh(%x) @tanh_1
          %q = mul(%t, %t) @mul_1
          %a = reduce_mean(%q, %axes_mean_1) {keepdims=false} @mean_1
          %m = reduce_mean(%t, %axes_mean_2) {keepdims=false} @mean_2
          %b = mul(%m, %m) @mul_2
          %v = sub(%a, %b) @sub_1
          %y = sqrt(%v) @sqrt_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[8, 10]) {
          constant %axes_mean_1: i64[1] = i64[1] [1]
          constant %axes_mean_2: i64[1] = i64[1] [1]
          %t = tanh(%x) @tanh_1
          %m = reduce_mean(%t, %axes_mean_1) {keepdims=true} @mean_1
          %d = sub(%t, %m) @sub_1
          %q = mul(%d, %d) @mul_1
          %v = reduce_mean(%q, %axes_mean_2) {keepdims=false} @mean_2
          %y = sqrt(%v) @sqrt_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM115"
    severity = Severity.WARNING

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives {told.range}: {told.because}, so the result can be {told.outcome}"
