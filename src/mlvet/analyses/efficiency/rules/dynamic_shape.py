"""A shape is known only at run time although it need not be."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DynamicShape(Rule):
    """A shape is known only at run time although it need not be.

    ## What it does
    Suggests to sum, average or count with a mask over all elements where a loop first cuts out those that the mask
    selects; and to give the placeholders of TensorFlow 1 that are fed together their sizes, where all that is fed
    has one size and gradients are computed in many short steps.

    ## Why it matters
    How many elements a mask selects is known only after it was looked at, so that they are counted, memory is asked for
    and they are copied; JAX and TensorFlow choose or compile kernels anew for each number of them. Gradients in a graph
    ask in every run for shapes that are not known.

    ## Example
        import torch

        x = torch.rand(64, 1000)
        total = 0.0
        for step in range(100):
            mask = x > step / 100
            total += x[mask].sum()

    ## Use instead
        import torch

        x = torch.rand(64, 1000)
        total = 0.0
        for step in range(100):
            mask = x > step / 100
            total += torch.where(mask, x, 0).sum()

    ## How sure
    Likely. Small arrays of NumPy and PyTorch, for which the copy is cheaper, are not reported, nor are shapes left open
    in a `tf.function` or a layer of Keras, where measurements show no gain. Placeholders are reported only if all that
    may be fed to them is seen, none of them has to stay open, and the graph is not exported.
    """

    code = "EFF161"
    severity = Severity.SUGGESTION
