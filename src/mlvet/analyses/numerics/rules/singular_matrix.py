"""The inverse of a matrix that can be singular."""

from __future__ import annotations

from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told


class SingularMatrix(HazardRule):
    """The inverse of a matrix that can be singular.

    ## What it does
    Reports inverses, solutions and decompositions of matrices that cannot be shown to have an inverse.

    ## Why it matters
    The inverse of a singular matrix does not exist: the operator yields infinity, NaN or an error.

    ## Example
        mlvet-graph 1 "model"
        graph(%x: f32[3, 3]) {
          %t = tanh(%x) @tanh_1
          %y = inverse(%t) @inverse_1
          return %y
        }

    ## Use instead
        mlvet-graph 1 "model"
        graph(%x: f32[2, 2]) {
          constant %fixed: f32[2, 2] = f32[2, 2] [2.0, 0.0, 1.0, 2.0]
          %i = inverse(%fixed) @inverse_1
          %t = tanh(%x) @tanh_1
          %y = matmul(%t, %i) @matmul_1
          return %y
        }

    ## How sure
    Observed if an input within the assumed ranges was run and showed it; possible otherwise.
    """

    code = "NUM112"

    @staticmethod
    def message(told: Told) -> str:
        return f"`{told.operator}` receives a matrix that can be singular, so the result can be {told.outcome}"
