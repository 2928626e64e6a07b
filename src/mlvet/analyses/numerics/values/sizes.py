"""Integers that shape inference knows as expressions of sizes: each element has the bounds of its expression."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract
from mlvet.domains import grids
from mlvet.domains.bounds import tight_bounds
from mlvet.domains.boxes import Box
from mlvet.domains.dims import Expr, inhabited, symbols
from mlvet.domains.tensors import Tensor

_MOST = 64


def _tells_rank(element: Expr) -> bool:
    """Whether a number of dims is among the symbols, which unlike a size may be 0."""
    return any(each.name.startswith("rank(") for each in symbols(element))


def known(found: Abstract, out: Tensor) -> Abstract:
    """A tensor of sizes with what their expressions tell, at least 1 element and less than `grids.MANY`."""
    value = out.value
    if out.dtype is None or not out.dtype.is_integer:
        return found
    if value is None or found.exact is not None or not 0 < value.size <= _MOST or found.dims != value.shape:
        return found
    low, high = np.empty(value.shape), np.empty(value.shape)
    for index, element in np.ndenumerate(value):
        present = inhabited(element) if isinstance(element, Expr) and not _tells_rank(element) else element
        least, most = tight_bounds(present) if isinstance(present, Expr) else (float(present), float(present))
        low[index], high[index] = max(least, -float(grids.MANY)), min(most, grids.MANY - 1.0)
    if (low > high).any():
        return found
    cuts = tuple(grids.everywhere(size) for size in value.shape)
    if grids.cell_count(found.cuts) == 1 and found.rank == 0:
        return replace(found, box=Box(np.maximum(low, found.box.low), np.minimum(high, found.box.high), found.box.nan))
    return replace(found, cuts=cuts, box=Box(low, high, np.zeros(value.shape, bool)), form=None)
