"""The classes of `open_rows.py` in Python. `native.c` has the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from struct import pack
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


class TracedFloat(float):
    """A float with its plain value `v` and its place `i`."""

    __slots__ = ("i", "v")
    v: float
    i: int


class Sum:
    """What a loop has added up so far: its parents, and the partial derivatives by them."""

    __slots__ = ("parents", "partials")

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.partials: list[float] = []

    @property
    def count(self) -> int:
        return len(self.parents)

    def start(self, total: Any) -> Any:
        """The plain value that a sum begins with; its place becomes the first parent."""
        if type(total) in _kinds:
            self.add(total.i, 1.0)
            return total.v
        return total

    def add(self, place: int, partial: float) -> None:
        self.parents.append(place)
        self.partials.append(partial)

    def term(self, value: Any, *operands: Any) -> Any:
        """The plain value of a term, whose operands become parents."""
        for operand, partial in zip(operands[::2], operands[1::2], strict=True):
            if type(operand) in _kinds:
                self.add(operand.i, partial)
        return value

    def product(self, a: Any, b: Any, site: Callable[..., Any]) -> Any:
        """The plain product of two floats; what is no float is left to the site."""
        if type(a) is TracedFloat:
            if type(b) is TracedFloat:
                self.parents += (a.i, b.i)
                self.partials += (b, a)
                return _times(a, b)
            if type(b) is float:
                self.parents.append(a.i)
                self.partials.append(b)
                return _times(a, b)
        elif type(a) is float and type(b) is TracedFloat:
            self.parents.append(b.i)
            self.partials.append(a)
            return _times(a, b)
        return site(self, a, b)


class Rows:
    """Rows that are still open; more than `most` of them, or of their entries, call `full`.

    `marks` has the number of a loop and the place at which one of its iterations began, not nearer to each other than
    `apart` rows and entries.
    """

    __slots__ = ("apart", "closed", "counts", "full", "last", "marks", "most", "packed", "parents", "partials")

    def __init__(self, full: Callable[[], None], most: int, apart: int) -> None:
        self.full, self.most, self.apart = full, min(most, _CACHED), apart
        self.closed = 1
        self.packed = 0
        self.last: dict[int, int] = {}
        self.marks: list[tuple[int, int]] = []
        self.counts: list[int] = []
        self.parents: list[int] = []
        self.partials: list[float] = []

    @property
    def count(self) -> int:
        return len(self.counts)

    def row(self, parents: Sequence[int], partials: Sequence[float]) -> int:
        """Write one row and return its place; parents that are 0 must be left out."""
        self.parents += parents
        self.partials += partials
        self.counts.append(len(parents))
        place = self.closed + len(self.counts) - 1
        if len(self.parents) > self.most or len(self.counts) > self.most:
            self.full()
        return place

    def written(self, value: Any, *operands: Any) -> Any:
        """A value with its place, whose row has the operands as parents."""
        pairs = zip(operands[::2], operands[1::2], strict=True)
        hanging = [(each.i, partial) for each, partial in pairs if type(each) in _kinds]
        return _traced(value, self.row([place for place, _ in hanging], [partial for _, partial in hanging]))

    def summed(self, sum: Sum) -> int:
        """Write the row of a sum and return its place."""
        return self.row(sum.parents, sum.partials)

    def turn(self, loop: int) -> None:
        """An iteration of a loop begins."""
        place = self.closed + len(self.counts)
        grown = self.packed + len(self.parents) + place
        if grown - self.last.get(loop, 0) >= self.apart:
            self.last[loop] = grown
            self.marks.append((loop, place))

    def taken(self) -> tuple[bytes, bytes, bytes]:
        """Counts, parents and partial derivatives, packed; these rows are closed."""
        entries = len(self.parents)
        self.packed += entries
        found = (
            pack(f"{len(self.counts)}i", *self.counts), pack(f"{entries}i", *self.parents),
            pack(f"{entries}d", *map(_bounded, self.partials)),
        )  # fmt: skip
        self.closed += len(self.counts)
        for each in (self.counts, self.parents, self.partials):
            each.clear()
        return found


_CACHED = 1 << 14
"""Entries after which lists are packed: so few stay in the processor's cache."""
_times = float.__mul__
_new = float.__new__
_kinds: frozenset[Any] = frozenset()
_traced: Callable[[Any, int], Any]


def _bounded(partial: Any) -> Any:
    """A partial derivative as a float can hold it."""
    return partial if type(partial) is not int or abs(partial) < 1 << 1023 else math.inf


def bind(whole: type[int], traced: Callable[[Any, int], Any]) -> None:
    """Say which ints have places, and what makes a number that is no float."""
    global _kinds, _traced
    _kinds, _traced = frozenset((TracedFloat, whole)), traced


def number(value: float, place: int) -> Any:
    """A float with its place."""
    made = _new(TracedFloat, value)
    made.v = value
    made.i = place
    return made


def entries_of(
    origin: int, parents: NDArray[np.int32], index: NDArray[np.int32] | None, partials: NDArray[np.float64],
    odd: NDArray[np.int32], odd_parents: NDArray[np.int32], odd_partials: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # fmt: skip
    """Parents and partial derivatives, written out.

    A parent below 0 is counted from `origin`; the partial derivatives are those of groups if there is an index; the
    entries at `odd` are told by themselves.
    """
    placed = parents + (np.int32(origin) & (parents >> 31))
    slopes = partials if index is None else partials[index]
    if len(odd):
        slopes = slopes.copy() if index is None else slopes
        placed[odd], slopes[odd] = odd_parents, odd_partials
    return placed, slopes


def swept(
    first: int, ends: NDArray[np.int32], parents: NDArray[np.int32], index: NDArray[np.int32] | None,
    partials: NDArray[np.float64], odd: NDArray[np.int32], odd_parents: NDArray[np.int32],
    odd_partials: NDArray[np.float64], stops: NDArray[np.bool_] | None, result: NDArray[np.float64],
) -> None:  # fmt: skip
    """Hand derivatives by rows on to their parents, last row first; `result` has the last place first.

    Parents and partial derivatives are as in `entries_of`; the rows of places in `stops` count as empty. SciPy's
    product of a sparse matrix and a vector does just that when the rows are reversed.
    """
    from scipy.sparse import _sparsetools

    size, rows, entries = len(result), len(ends), len(parents)
    reverse, mirrored, moves, order = _reversed(ends, parents, index, size)
    mirrored = mirrored - (np.int32(first + rows) & moves)
    slopes = partials[::-1] if order is None else partials[order]
    if len(odd):
        slopes = slopes.copy() if order is None else slopes
        mirrored[entries - 1 - odd], slopes[entries - 1 - odd] = size - 1 - odd_parents, odd_partials
    if stops is not None:
        counts = np.diff(reverse)
        kept = ~stops[first : first + rows][::-1]
        mirrored, slopes = mirrored[np.repeat(kept, counts)], slopes[np.repeat(kept, counts)]
        reverse = np.concatenate(([0], np.cumsum(counts * kept))).astype(np.int32)
    given = result[size - first - rows : size - first]
    _sparsetools.csc_matvec(size, rows, reverse, mirrored, np.ascontiguousarray(slopes), given, result)


def _reversed(
    ends: NDArray[np.int32], parents: NDArray[np.int32], index: NDArray[np.int32] | None, size: int
) -> _Arrays:
    """Rows last first: where they end, their parents counted from the end, which of these move (-1) and the index.

    Turns of one loop come one after the other, so those of the last call are kept.
    """
    key = (id(ends), id(parents), id(index), size)
    if key not in _LAST:
        reverse = np.concatenate((len(parents) - ends[::-1], [len(parents)])).astype(np.int32)
        turned = np.ascontiguousarray(parents[::-1])
        order = None if index is None else np.ascontiguousarray(index[::-1])
        _LAST.clear()
        _LAST[key] = (ends, parents, index), (reverse, np.int32(size - 1) - turned, turned >> 31, order)
    return _LAST[key][1]


_Arrays: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32] | None]
_LAST: dict[tuple[int, int, int, int], tuple[tuple[Any, ...], _Arrays]] = {}
"""The arrays of the last call, which are held so that no others take their numbers, and what was made of them."""
