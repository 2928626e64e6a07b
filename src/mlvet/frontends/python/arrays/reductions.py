"""Elements along axes combined to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.frontends.python.emission import emit
from mlvet.frontends.python.values.tensors import TensorValue


def reduced(
    op: str, x: TensorValue, axes: int | Sequence[int] | None = None, keepdims: bool = False, **rest: Any
) -> Any:
    """A reduction such as `reduce_sum` along some axes, all if none are named."""
    listed = (axes,) if isinstance(axes, int) else axes
    return emit(op, x, None if listed is None else tuple(listed), keepdims=int(keepdims), **rest)


def extreme_place(op: str, x: TensorValue, axis: int | None = None, keepdims: bool = False) -> Any:
    """`arg_max` or `arg_min` along an axis, of all elements in one row if none is named."""
    if axis is None:
        return emit(op, emit("reshape", x, (-1,)), axis=0, keepdims=0)
    return emit(op, x, axis=axis, keepdims=int(keepdims))
