"""Backends that do not agree on the outputs of a model."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class InconsistentBackends(Rule):
    """Backends that do not agree on the outputs of a model.

    ## What it does
    Runs a model on several backends, and reports pairs whose outputs are so far apart that a prediction changes: a
    class distance of at least 8 or a MAD distance of at least 0.2 by default. It names the layer that does it and the
    backend that is wrong, which is found by giving each layer the input that an oracle in double precision had. Where
    a converter makes another model of it, the converter is blamed.

    ## Why it matters
    The same weights give other answers elsewhere. What was validated is not what is served.

    ## Example
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 1, 6, 6] x) => (float[n, 1, 3, 3] y, int64[n, 1, 3, 3] places) {
          y, places = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 1> (x)
        }

    ## Use instead
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 1, 6, 6] x) => (float[n, 1, 3, 3] y, int64[n, 1, 3, 3] places) {
          y, places = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 0> (x)
        }

    ## How sure
    Observed: it was run and seen. Likely where no oracle knows the layer and the backends alone disagree.
    """

    code = "CMP101"
    severity = Severity.ERROR
