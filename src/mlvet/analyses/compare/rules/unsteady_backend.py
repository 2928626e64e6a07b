"""A backend that yields other outputs in each run."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class UnsteadyBackend(Rule):
    """A backend that yields other outputs in each run.

    ## What it does
    Runs the model twice on the same examples on each backend, and reports outputs that differ by more than rounding.

    ## Why it matters
    A model that draws random numbers when it should not, or reads what was never written, cannot be validated.

    ## Example
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x) => (float[n, 4] y) {
          noise = RandomNormalLike (x)
          y = Add (x, noise)
        }

    ## Use instead
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x, float[n, 4] noise) => (float[n, 4] y) {
          y = Add (x, noise)
        }

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP122"
    severity = Severity.WARNING
