"""A layer that a backend computes wrongly."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class WrongLayer(Rule):
    """A layer that a backend computes wrongly, though the outputs of the model stay close.

    ## What it does
    Gives every layer on every backend the input that an oracle in double precision had, and reports layers whose error
    is several times the noise of rounding in that layer.

    ## Why it matters
    Later layers may hide the error for these inputs and not for others.

    ## Example
        keras.Sequential([keras.Input((64,)), keras.layers.Dense(64), keras.layers.Dense(3, activation="softmax")])

    ## Use instead
        keras.Sequential([keras.Input((64,)), keras.layers.Dense(64), keras.layers.Dense(3, activation="softmax")])

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP102"
    severity = Severity.WARNING
