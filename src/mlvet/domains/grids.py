"""Partitions of a tensor into boxes of indices: along each axis the positions where it is cut.

A grid of cells is an array with one entry per box. An axis of unknown size is never cut. Cuts are aligned by union, so
that cells of two grids over one tensor correspond; an array over one grid is read on another by `regrid`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim

Cuts: TypeAlias = tuple[tuple[int, ...], ...]
"""Per axis the positions, in order, at which a new cell begins; 0 is not among them."""

MANY = 2**31
"""More elements than an axis of unknown size has."""


def uncut(rank: int) -> Cuts:
    """One cell for the whole tensor."""
    return ((),) * rank


@cache
def everywhere(size: int) -> tuple[int, ...]:
    """The cuts that make each index of an axis a cell of its own."""
    return tuple(range(1, size))


def cells(cuts: Cuts) -> tuple[int, ...]:
    """How many cells there are along each axis."""
    return tuple(len(axis) + 1 for axis in cuts)


def cell_count(cuts: Cuts) -> int:
    count = 1
    for axis in cuts:
        count *= len(axis) + 1
    return count


def element_counts(cuts: tuple[int, ...], size: Dim) -> NDArray[np.float64]:
    """How many elements each cell of an axis has, or can have if the size is unknown."""
    if not isinstance(size, int):
        return np.full(1, float(MANY))
    edges = np.array((0, *cuts, size), dtype=np.float64)
    return edges[1:] - edges[:-1]


def union(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    """The cuts of two partitions of one axis together."""
    if left == right or not right:
        return left
    if not left:
        return right
    return tuple(sorted({*left, *right}))


def limited(cuts: Cuts, most: int) -> Cuts:
    """At most so many cells: the axes with most cuts lose them first."""
    while cell_count(cuts) > most:
        longest = max(range(len(cuts)), key=lambda axis: len(cuts[axis]))
        cuts = tuple(() if axis == longest else kept for axis, kept in enumerate(cuts))
    return cuts


def refine(array: NDArray[Any], axis: int, old: tuple[int, ...], new: tuple[int, ...]) -> NDArray[Any]:
    """An array over the old cells of an axis, read on cells of which each lies in one old one."""
    if old == new:
        return array
    starts = np.array((0, *new))
    return np.take(array, np.searchsorted(np.array(old, dtype=np.int64), starts, side="right"), axis=axis)


def firsts(old: tuple[int, ...], new: tuple[int, ...]) -> NDArray[np.int64]:
    """Of the cells between old cuts, the first in each cell between new cuts, which are some of the old."""
    return np.searchsorted(np.array((0, *old)), np.array((0, *new)))


def regrid(array: NDArray[Any], old: Cuts, new: Cuts, merge: np.ufunc) -> NDArray[Any]:
    """An array over old cells read on new ones; where a new cell meets several old ones they are merged."""
    if old == new:
        return array
    for axis, (had, wanted) in enumerate(zip(old, new, strict=True)):
        if had == wanted or (had and array.shape[axis] == 1):
            continue
        both = union(had, wanted)
        array = refine(array, axis, had, both)
        if both != wanted:
            array = merge.reduceat(array, firsts(both, wanted), axis=axis)
    return array


def boundaries(array: NDArray[Any], sizes: Sequence[int]) -> Cuts:
    """The coarsest grid on whose cells an array over elements is constant."""
    cuts: list[tuple[int, ...]] = []
    for axis, size in enumerate(sizes):
        if size < 2:
            cuts.append(())
            continue
        moved = np.moveaxis(array, axis, 0)
        changes = (moved[1:] != moved[:-1]).reshape(size - 1, -1).any(axis=1)
        cuts.append(tuple((np.flatnonzero(changes) + 1).tolist()))
    return tuple(cuts)


def sample(array: NDArray[Any], cuts: Cuts) -> NDArray[Any]:
    """One element of each cell, from an array over elements."""
    return array[np.ix_(*(np.array((0, *axis)) for axis in cuts))] if cuts else array
