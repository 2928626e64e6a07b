"""Tensors brought to one element type, by the rule of Keras."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.promotion import Framework, Operand, promote
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.values.tensors import dtype_of


def alike_typed(values: Sequence[Any]) -> list[Any]:
    """Tensors in their common element type; as they are where it is not known."""
    tensors = [array(each) for each in values]
    kinds = [dtype_of(each) for each in tensors]
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds) or len(set(known)) <= 1:
        return tensors
    start: DType | None = known[0]
    wide = reduce(_wider, known[1:], start)
    return [cast(each, wide) for each in tensors]


def _wider(left: DType | None, right: DType) -> DType | None:
    if left is None:
        return None
    found = promote(left, right, Framework.KERAS)
    return found.dtype if isinstance(found, Operand) else None
