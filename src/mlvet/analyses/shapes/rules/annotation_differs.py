"""A tensor is not what its annotation says."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class AnnotationDiffers(Rule):
    """A tensor is not what its annotation says.

    ## What it does
    Reports arguments and results whose shape contradicts their annotation with jaxtyping, and annotations of one
    function that contradict each other.

    ## Why it matters
    Readers and run-time checkers rely on the annotation; either it or the call is wrong.

    ## Example
        import torch
        from jaxtyping import Float
        from torch import Tensor


        def centre(points: Float[Tensor, "count 3"]) -> Float[Tensor, "3"]:
            return points.mean(dim=1)


        middle = centre(torch.zeros(8, 3))

    ## Use instead
        import torch
        from jaxtyping import Float
        from torch import Tensor


        def centre(points: Float[Tensor, "count 3"]) -> Float[Tensor, "3"]:
            return points.mean(dim=0)


        middle = centre(torch.zeros(8, 3))

    ## How sure
    Proved.
    """

    code = "SHP121"
    severity = Severity.WARNING
