"""What operators that only move elements have in common: their facets, and how they read axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, equal
from mlvet.domains.tensors import Dims, Tensor, UnknownRank
from mlvet.ops.derivative import Derivative, SameMap
from mlvet.ops.index_map import Moves
from mlvet.ops.numeric import Numeric, Selection
from mlvet.ops.op import Infer, Op, Reference, pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Samples

Array = NDArray[Any]


def layout(
    name: str,
    infer: Infer,
    reference: Reference,
    samples: Samples,
    *,
    family: str = "layout",
    operands: tuple[int, ...] | None = (0,),
    fill: float | None = None,
    numeric: Numeric | None = None,
    derivative: Derivative | None = None,
    folds: bool = False,
) -> Op:
    """An operator whose result elements are elements of the operands listed (all, if None), or `fill`."""
    return pure(
        name,
        infer,
        reference,
        samples,
        family=family,
        numeric=numeric or Selection(operands, fill),
        index_map=Moves(operands),
        derivative=derivative or SameMap(operands),
        folds=folds,
    )


def axes_of(require: Require, axes: Sequence[int], rank: int) -> list[int]:
    """Axes counted from 0; those out of range or named twice are recorded."""
    found = [require.axis(axis, rank) for axis in axes]
    if found and not rank:
        raise UnknownRank("a scalar has no axes")
    require.holds(len(set(found)) == len(found), f"axes {list(axes)} name one axis twice", rule="illegal-argument")
    return found


def length_of(tensor: Tensor | None) -> int | None:
    """How many elements a one-dimensional operand has, if that is known."""
    if tensor is None or not tensor.ranked:
        return None
    size = tensor.size
    return size if isinstance(size, int) else None


def index_in_range(require: Require, indices: Tensor | None, size: Dim, what: str = "index") -> None:
    """Indices that are known must point into a size that is known, counted from either end."""
    known = require.known_ints(indices)
    if known and isinstance(size, int):
        worst = max(known, key=lambda index: index if index >= 0 else -index - 1)
        require.holds(-size <= worst < size, f"{what} {worst} is out of range for size {size}", "size-out-of-range")


def same_dims(require: Require, left: Dims, right: Dims, because: str, rule: str = "dims-differ") -> Dims:
    """Two shapes that must be equal; the better known dims of the two."""
    if not require.holds(len(left) == len(right), f"{because}: {len(left)} and {len(right)} dims", "rank-differs"):
        return left
    return tuple(require.equal(a, b, because, rule) for a, b in zip(left, right, strict=True))


def proper(require: Require, dims: Iterable[Dim], what: str = "size") -> Dims:
    """Sizes of a result; a negative one is recorded and not known."""
    negative = f"{what} {{}} is negative"
    return tuple(
        require.unknown()
        if isinstance(dim, int) and not require.holds(dim >= 0, negative.format(dim), "size-out-of-range")
        else dim
        for dim in dims
    )


def is_one(dim: Dim) -> bool | None:
    return equal(dim, 1)


def ints_of(array: Array | None) -> list[int]:
    """The elements of an integer operand as Python ints; TypeError if one of them is not a number."""
    return [] if array is None else [_whole(element) for element in np.ravel(array)]


def _whole(element: Any) -> int:
    return int(element)


def any_axis(draw: Draw, rank: int) -> int:
    return draw.integer(-rank, rank - 1)


def some_axes(draw: Draw, rank: int) -> list[int]:
    """Distinct axes, some counted from the end."""
    chosen = [axis for axis in range(rank) if draw.choice((True, False))]
    return [axis - rank if draw.choice((True, False)) else axis for axis in chosen]


def permutation(draw: Draw, count: int) -> list[int]:
    rest = list(range(count))
    return [rest.pop(draw.integer(0, len(rest) - 1)) for _ in range(count)]
