"""A backend whose plain model differs from its own layers."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class FusionDependent(Rule):
    """A backend whose plain model differs from its own layers run one by one.

    ## What it does
    Runs the model as a whole and layer by layer on the same backend, and reports where the two part: a backend joins
    layers, or computes them in another precision, and the results change.

    ## Why it matters
    The deviation vanishes as soon as somebody looks at hidden states, so it is not found by looking at them.

    ## Example
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x) => (float[n, 4] z) {
          y = Relu (x)
          z = Softmax <axis = 1> (y)
        }

    ## Use instead
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x) => (float[n, 4] z) {
          y = Relu (x)
          z = Softmax <axis = 1> (y)
        }

    ## How sure
    The example fires where the backend that joins the two operators is wrong. Observed: it was run and seen.
    """

    code = "CMP121"
    severity = Severity.WARNING
