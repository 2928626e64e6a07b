"""What a shape rule still tells when the rank of an operand is not known: the element types of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, UnknownRank
from mlvet.ops.op import Op
from mlvet.ops.require import Require

RANKS = (4, 2, 1, 3, 5)


def element_types(op: Op, operands: Sequence[Tensor | None], attributes: Mapping[str, Any]) -> tuple[DType | None, ...]:
    """The element types of the results, which do not hang on ranks: the rule is asked about the likeliest ranks."""
    if op.infer is None:
        return ()
    for rank in RANKS:
        require = Require()
        assumed = [_ranked(operand, index, rank) for index, operand in enumerate(operands)]
        try:
            found = op.infer(*assumed, require=require, **attributes)
        except (UnknownRank, TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
            continue
        if not require.violated:
            return tuple(result.dtype for result in (found if isinstance(found, tuple) else (found,)))
    return ()


def _ranked(operand: Tensor | None, index: int, rank: int) -> Tensor | None:
    if operand is None or operand.ranked:
        return operand
    return replace(operand, shape=tuple(symbol(f"{index}.{axis}") for axis in range(rank)))
