"""The classes of `open_rows.py` in Python. `native.c` has the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from struct import pack
from typing import Any

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
    """Rows that are still open; more than `most` of them, or of their entries, call `full`."""

    __slots__ = ("closed", "counts", "full", "most", "parents", "partials")

    def __init__(self, full: Callable[[], None], most: int) -> None:
        self.full, self.most = full, min(most, _CACHED)
        self.closed = 1
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

    def taken(self) -> tuple[bytes, bytes, bytes]:
        """Counts, parents and partial derivatives, packed; these rows are closed."""
        entries = len(self.parents)
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


def swept(
    ends: NDArray[np.int32], parents: NDArray[np.int32], partials: NDArray[np.float64], given: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:  # fmt: skip
    """Hand derivatives by rows on to their parents, row after row; `given` may be a part of `result`.

    SciPy's product of a sparse matrix and a vector does just that.
    """
    from scipy.sparse import _sparsetools

    _sparsetools.csc_matvec(len(result), len(given), ends, parents, partials, given, result)
