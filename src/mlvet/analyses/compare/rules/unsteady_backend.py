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
        keras.Sequential([keras.Input((8,)), keras.layers.Lambda(lambda x: x + keras.random.normal((1, 8)))])

    ## Use instead
        keras.Sequential([keras.Input((8,)), keras.layers.GaussianNoise(1.0)])

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP122"
    severity = Severity.WARNING
