"""NumPy as it is without a replay: the rules of this package compute with its own functions."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    import numpy as np
else:

    def _kept(module: ModuleType) -> ModuleType:
        copy = ModuleType(module.__name__)
        vars(copy).update(vars(module))
        return copy

    np = _kept(numpy)
    np.linalg = _kept(numpy.linalg)
    np.random = _kept(numpy.random)

__all__ = ["np"]
