"""A formula in a loop equals one of which a part never changes."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class AlgebraicLoopInvariant(Rule):
    """A formula in a loop equals one of which a part never changes.

    ## What it does
    Rewrites sums and products of matrices by the laws of algebra, and suggests the cheapest form it finds, with what
    no iteration changes computed before the loop. It needs the extra `mlvet[algebra]`; without it nothing is told.

    ## Why it matters
    Eager libraries compute a formula as it is written. `D @ (X - D.T @ A)` takes two large products in each iteration,
    `DX - DDt @ A` takes a single one, if `DX = D @ X` and `DDt = D @ D.T` are known.

    ## Example
        import numpy as np

        D = np.random.randn(100, 1000)
        X = np.random.randn(1000, 1000)
        A = np.zeros((100, 1000))
        for step in range(50):
            A = A + 1e-4 * D @ (X - D.T @ A)

    ## Use instead
        import numpy as np

        D = np.random.randn(100, 1000)
        X = np.random.randn(1000, 1000)
        A = np.zeros((100, 1000))
        DX, DDt = D @ X, D @ D.T
        for step in range(50):
            A = A + 1e-4 * (DX - DDt @ A)

    ## How sure
    Likely, under the assumptions that the finding lists. Which form is cheaper is estimated from known sizes and from
    how often the loop runs; where that is not known, the finding states from how many iterations on it pays.
    """

    code = "EFF112"
    severity = Severity.SUGGESTION
