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
    The model cannot be moved to that backend. Wrong shapes of weights or kernels are a usual cause; here ONNX Runtime
    refuses an index that is out of range, and OpenVINO does not.

    ## Example
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x) => (float[n, 1] y) {
          fifth = Constant <value_ints = [4]> ()
          y = Gather <axis = 1> (x, fifth)
        }

    ## Use instead
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 4] x) => (float[n, 1] y) {
          fourth = Constant <value_ints = [3]> ()
          y = Gather <axis = 1> (x, fourth)
        }

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP111"
    severity = Severity.ERROR
