"""A backend that fails on a model that others run."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class BackendCrash(Rule):
    """A backend that fails on a model that others run.

    ## What it does
    Reports errors, ends of the process and missing answers of one backend on a model that another backend runs. A layer
    or an operator that this version does not support is told apart and is no finding.

    ## Why it matters
    The model cannot be moved to that backend, and wrong shapes of weights or kernels are a usual cause.

    ## Example
        keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3)])

    ## Use instead
        keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3)])

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP111"
    severity = Severity.ERROR
