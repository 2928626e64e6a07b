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
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 1, 6, 6] x) => (float[n, 1, 3, 3] y, bool[n, 1, 3, 3] inside) {
          y, places = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 1> (x)
          limit = Constant <value_int = 36000> ()
          inside = Less (places, limit)
        }

    ## Use instead
        <ir_version: 9, opset_import: ["": 17]>
        model (float[n, 1, 6, 6] x) => (float[n, 1, 3, 3] y, bool[n, 1, 3, 3] inside) {
          y, places = MaxPool <kernel_shape = [2, 2], strides = [2, 2], storage_order = 0> (x)
          limit = Constant <value_int = 36000> ()
          inside = Less (places, limit)
        }

    ## How sure
    Observed: it was run and seen.
    """

    code = "CMP102"
    severity = Severity.WARNING
