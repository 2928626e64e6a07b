"""Running an operator's facets on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dtypes import of
from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY, Op
from mlvet.ops.require import Require

Operands = Sequence[NDArray[Any] | None]


def results(op: Op, operands: Operands, attributes: dict[str, Any]) -> tuple[NDArray[Any], ...]:
    """The reference's results, always as a tuple, with warnings about overflow kept quiet."""
    assert op.reference is not None
    with np.errstate(all="ignore"):
        found = op.reference(*operands, **attributes)
    return tuple(np.asarray(result) for result in (found if isinstance(found, tuple | list) else (found,)))


def inferred(
    op: Op, operands: Sequence[Tensor | None], attributes: dict[str, Any], require: Require
) -> tuple[Tensor, ...]:
    """The shape rule's results, always as a tuple."""
    assert op.infer is not None
    found = op.infer(*operands, require=require, **attributes)
    return found if isinstance(found, tuple) else (found,)


def is_real(array: NDArray[Any] | None) -> bool:
    """Whether an operand is floating-point data."""
    return array is not None and of(array.dtype).is_float


def in_double(operands: Operands) -> list[NDArray[Any] | None]:
    """The operands with floating-point data made f64."""
    return [array if array is None else array.astype(_DOUBLE.get(array.dtype.kind, array.dtype)) for array in operands]


_DOUBLE = {"f": np.float64, "c": np.complex128}


def replaced(operands: Operands, new: dict[int, NDArray[Any]]) -> list[NDArray[Any] | None]:
    return [new.get(index, array) for index, array in enumerate(operands)]


class _Applied:
    def __init__(self, outputs: tuple[Any, ...]) -> None:
        self.outputs = outputs


class Eager:
    """A builder that computes at once, so that a decomposition can be run on arrays."""

    def add(self, name: str, *operands: Any, **attributes: Any) -> NDArray[Any]:
        return results(REGISTRY[name], operands, attributes)[0]

    def node(self, name: str, operands: Sequence[Any], _: Any = 1, attributes: Any = None, **__: Any) -> _Applied:
        return _Applied(results(REGISTRY[name], operands, dict(attributes or {})))

    def constant(self, _: str, data: Any) -> NDArray[Any]:
        array = np.asarray(data)
        if isinstance(data, np.ndarray):
            return array
        return array.astype({"f": np.float32, "b": np.bool_}.get(array.dtype.kind, np.int64))
