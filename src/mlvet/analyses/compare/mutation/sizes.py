"""Arrays like one that a layer has seen, of other sizes: even and odd, few and small, so that many fit in a second.

Some backends compile every operator for every size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_EXAMPLES = 2
_SIZES = (4, 5, 7, 8)
_CHANNELS = (1, 2, 4)


def other_sizes(
    array: Array, random: np.random.Generator, *, keep: tuple[int, ...] = (), channels_last: bool = True
) -> Array:
    """The array cut or repeated to other sizes. Axes in `keep` stay as they are."""
    sizes = list(array.shape)
    for axis in range(1, array.ndim):
        if axis not in keep and array.shape[axis] > 1:
            sizes[axis] = int(random.choice(_SIZES))
    if channels_last and array.ndim > 2:
        sizes[-1] = int(random.choice(_CHANNELS))
    found = array[:_EXAMPLES]
    for axis, size in enumerate(sizes):
        if axis:
            found = np.take(found, range(size), axis=axis, mode="wrap")
    if found.dtype.kind == "f":
        scale = float(np.std(found)) if np.isfinite(found).all() else 0.0
        found = found + (0.1 * (scale or 1.0)) * random.normal(size=found.shape)
    return np.ascontiguousarray(found.astype(array.dtype))
