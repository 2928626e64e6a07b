"""Small floats are computed with in float32 and rounded at the end, as accelerators and ONNX do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes


def wide(x: NDArray[Any]) -> NDArray[Any]:
    """The array in float32 if its elements are floats of fewer bits, else itself."""
    dtype = dtypes.of(x.dtype)
    return x.astype(np.float32) if dtype.is_float and dtype.bits < 32 else x


def narrow(x: Any, like: NDArray[Any]) -> NDArray[Any]:
    """The result in the element type of an operand; what is too large becomes infinite without a warning."""
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(like.dtype)
