"""Following elements through operators: the reference of an operator run on small operands whose elements are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlvet.domains.dims import Expr, product
from mlvet.domains.tensors import SMALL, Tensor, UnknownValue, Unranked, exact
from mlvet.ops.index_map import Moves
from mlvet.ops.op import Effects, Op

REFUSALS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""What an operator raises on attributes or elements that are no valid arguments; anything else is a defect of ours."""


def folded(
    op: Op, operands: Sequence[Tensor | None], attributes: Any, results: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    """The results with their elements, where those of all operands are known and few."""
    if op.reference is None or op.effects is not Effects.PURE or not operands:
        return results
    arrays: list[Any] = []
    symbolic = False
    for operand in operands:
        if operand is None:
            arrays.append(None)
        elif operand.value is None:
            return results
        else:
            symbolic = symbolic or _is_symbolic(operand)
            arrays.append(operand.value)
    if (symbolic and not _follows_symbols(op, operands)) or not all(_small(result) for result in results):
        return results
    if _of_nothing(op, arrays):
        return results
    try:
        with np.errstate(all="ignore"):
            found = op.reference(*arrays, **attributes)
    except (UnknownValue, AssertionError, *REFUSALS):
        return results
    values = found if isinstance(found, tuple) else (found,)
    return tuple(_with_value(result, value) for result, value in zip(results, values, strict=False))


def _of_nothing(op: Op, arrays: Sequence[Any]) -> bool:
    """Whether something is computed of no elements, such as their mean, of which NumPy complains."""
    return not isinstance(op.index_map, Moves) and any(array is not None and np.size(array) == 0 for array in arrays)


def _follows_symbols(op: Op, operands: Sequence[Tensor | None]) -> bool:
    """Whether the reference is right on symbols; on sizes made floats only where elements are moved, not computed."""
    floats = any(operand is not None and operand.dtype is not None and operand.dtype.is_float for operand in operands)
    return op.folds and (not floats or op.name == "cast" or isinstance(op.index_map, Moves))


def _is_symbolic(operand: Tensor) -> bool:
    value = operand.value
    return value is not None and value.dtype == object and any(isinstance(element, Expr) for element in value.flat)


def _small(result: Tensor) -> bool:
    if result.value is not None or isinstance(result.shape, Unranked):
        return False
    size = product(result.shape)
    return isinstance(size, int) and size <= SMALL


def _with_value(result: Tensor, value: Any) -> Tensor:
    array = np.asarray(value)
    if result.dtype is None or array.shape != result.shape:
        return result
    return replace(result, value=exact(array, result.dtype))
