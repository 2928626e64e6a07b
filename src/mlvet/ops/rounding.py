"""Rounding to integers, and bits turned over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains.dtypes import i32
from mlvet.ops.derivative import Zero
from mlvet.ops.enclosures_elementwise import INVERTED
from mlvet.ops.numeric import Monotone
from mlvet.ops.pointwise import pointwise
from mlvet.ops.samples import Tensors


def _or_whole(function: Callable[..., Any]) -> Callable[..., Any]:
    """Integers, and sizes among them, are whole already."""
    return lambda x: function(x) if x.dtype.kind not in "Oiub" else x.copy()


floor = pointwise("floor", _or_whole(np.floor), Monotone(), derivative=Zero(), folds=True)
ceil = pointwise("ceil", _or_whole(np.ceil), Monotone(), derivative=Zero(), folds=True)
truncate = pointwise("trunc", _or_whole(np.trunc), Monotone(), derivative=Zero(), folds=True)
round_half_even = pointwise("round", _or_whole(np.rint), Monotone(), derivative=Zero(), folds=True)
bitwise_not = pointwise(
    "bitwise_not", np.invert, INVERTED, derivative=Zero(), samples=Tensors(low=-100, high=100, dtype=i32)
)
