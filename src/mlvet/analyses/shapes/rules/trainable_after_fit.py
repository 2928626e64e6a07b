"""Layers frozen or thawed without compiling again."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class TrainableAfterFit(Rule):
    """Layers frozen or thawed without compiling again.

    ## What it does
    Reports a second `fit` of a model of Keras where `trainable` of one of its layers was set since the first and
    the model was not compiled again.

    ## Why it matters
    The function that trains is made by the first fit and kept until `compile`, so the weights that train stay those
    of before.

    ## Example
        import numpy as np
        import keras

        base, head = keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)
        model = keras.Sequential([base, head])
        base.trainable = False
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.zeros((64, 8)), np.zeros((64, 1)))
        base.trainable = True
        model.fit(np.zeros((64, 8)), np.zeros((64, 1)))

    ## Use instead
        import numpy as np
        import keras

        base, head = keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)
        model = keras.Sequential([base, head])
        base.trainable = False
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.zeros((64, 8)), np.zeros((64, 1)))
        base.trainable = True
        model.compile(optimizer="adam", loss="mse")
        model.fit(np.zeros((64, 8)), np.zeros((64, 1)))

    ## How sure
    Likely.
    """

    code = "SHP215"
    severity = Severity.SUGGESTION
