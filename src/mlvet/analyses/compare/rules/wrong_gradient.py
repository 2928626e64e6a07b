"""A gradient that a backend computes wrongly."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class WrongGradient(Rule):
    """A gradient that a backend computes wrongly, though the layer itself is right.

    ## What it does
    Differentiates every layer on every backend by its inputs and parameters (`mlvet compare --gradients`), and reports
    gradients that are many times the noise of rounding off from what two backends agree on in double precision.

    ## Why it matters
    Predictions agree, but training on that backend goes another way.

    ## Example
        image = keras.Input((8, 8, 3))
        hidden = keras.layers.Dense(6, activation="tanh")(keras.layers.Flatten()(image))
        model = keras.Model(image, keras.layers.Dense(3)(hidden))

    ## Use instead
        image = keras.Input((8, 8, 3))
        hidden = keras.layers.Dense(6, activation="sigmoid")(keras.layers.Flatten()(image))
        model = keras.Model(image, keras.layers.Dense(3)(hidden))

    ## How sure
    The example fires where the backend differentiates tanh wrongly. Observed: it was run and seen.
    """

    code = "CMP104"
    severity = Severity.ERROR
