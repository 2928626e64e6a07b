"""A view joins axes that do not lie side by side in memory."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ViewOfPermuted(Rule):
    """A view joins axes that do not lie side by side in memory.

    ## What it does
    Reports `view` of a tensor whose axes were permuted, where the new shape joins axes that the permutation has torn
    apart.

    ## Why it matters
    A view never moves elements, and PyTorch refuses one that would have to.

    ## Example
        import torch

        heads = torch.matmul(torch.randn(8, 6, 32, 32), torch.randn(8, 6, 32, 16))
        joined = heads.permute(0, 2, 1, 3).view(8, 32, 96)

    ## Use instead
        import torch

        heads = torch.matmul(torch.randn(8, 6, 32, 32), torch.randn(8, 6, 32, 16))
        joined = heads.permute(0, 2, 1, 3).reshape(8, 32, 96)

    ## How sure
    Likely, as the strides of a tensor are known from the operators that made it alone.
    """

    code = "SHP123"
    severity = Severity.ERROR
