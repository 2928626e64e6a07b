"""A loop goes through arrays element by element."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ScalarLoop(Rule):
    """A loop goes through arrays element by element.

    ## What it does
    Suggests the statement over whole arrays that does what loops over single elements do, for NumPy, PyTorch and JAX:
    elementwise results, sums, products of matrices, and items at indices that an array holds.

    ## Why it matters
    Each access to an element is a call into the library that makes an object; the arithmetic beside it is nothing.

    ## Example
        import numpy as np

        x = np.random.rand(10000)
        y = np.random.rand(10000)
        z = np.empty(10000)
        for i in range(10000):
            z[i] = x[i] * y[i] + 1

    ## Use instead
        import numpy as np

        x = np.random.rand(10000)
        y = np.random.rand(10000)
        z = np.empty(10000)
        z[:] = x * y + 1

    ## How sure
    Likely, where no iteration reads what another writes. Of containers of which the type is not known it is assumed
    that their elements share one.
    """

    code = "EFF151"
    severity = Severity.SUGGESTION
