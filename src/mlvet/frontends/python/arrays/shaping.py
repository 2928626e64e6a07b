"""Other shapes of the same elements, and tensors put together or taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.domains.dims import Dim, floor_div
from mlvet.frontends.python.emission import emit, emit_all
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def reshape(x: TensorValue, sizes: Sequence[Dim]) -> Any:
    """The same elements in another shape, of which one size may be -1; 0 is a size like any other."""
    return emit("reshape", x, tuple(sizes), allowzero=int(0 in sizes))


def transpose(x: TensorValue, order: Sequence[int]) -> Any:
    """Dims in another order; negative numbers count from the end."""
    rank = rank_of(x)
    return emit("transpose", x, perm=tuple(axis % rank if rank else axis for axis in order))


def swapped(x: TensorValue, first: int, second: int) -> Any:
    """Two dims exchanged."""
    rank = rank_of(x)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    order = list(range(rank))
    try:
        order[first], order[second] = order[second], order[first]
    except IndexError:
        return emit("unsqueeze", x, (max(first, second) + 1,))
    return emit("transpose", x, perm=tuple(order))


def unsqueezed(x: TensorValue, axes: Sequence[int]) -> Any:
    """Dims of size 1 put in at these places of the result."""
    return emit("unsqueeze", x, tuple(axes))


def squeezed(x: TensorValue, axes: Sequence[int] | None, *, strict: bool = True) -> Any:
    """Dims of size 1 taken out; if not `strict`, named dims of another size stay as they are."""
    return emit("squeeze", x, None if axes is None else tuple(axes), strict=strict)


def flattened(x: TensorValue, start: int = 0, end: int = -1) -> Any:
    """The dims from start to end as one."""
    dims = dims_of(x)
    if dims is None:
        if (start, end) == (0, -1):
            return reshape(x, (-1,))
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    if not dims:
        return reshape(x, (1,))
    first, last = start % len(dims), end % len(dims)
    size: Dim = 1
    for dim in dims[first : last + 1]:
        size = size * dim
    return reshape(x, (*dims[:first], size, *dims[last + 1 :]))


def joined(xs: Sequence[TensorValue], axis: int, kind: type[TensorValue] | None = None) -> Any:
    """Tensors one after the other along an axis."""
    return emit("concat", *xs, axis=axis, kind=kind)


def stacked(xs: Sequence[TensorValue], axis: int, kind: type[TensorValue] | None = None) -> Any:
    """Tensors of one shape along a new axis."""
    return emit("stack", *xs, axis=axis, kind=kind)


def split(x: TensorValue, sizes: Sequence[Dim], axis: int) -> tuple[Any, ...]:
    """Pieces of these sizes along an axis."""
    return emit_all("split", x, tuple(sizes), count=len(sizes), axis=axis)


def chunks(x: TensorValue, count: int, axis: int) -> tuple[Any, ...]:
    """So many pieces of one size; the size along the axis must be a multiple."""
    dims = dims_of(x)
    if dims is None or not -len(dims) <= axis < len(dims):
        return emit_all("split", x, None, count=count, axis=axis, num_outputs=count)
    return split(x, [floor_div(dims[axis], count)] * count, axis)


def broadcast(x: TensorValue, sizes: Sequence[Dim]) -> Any:
    """The tensor repeated to a shape."""
    return emit("broadcast_to", x, tuple(sizes))
