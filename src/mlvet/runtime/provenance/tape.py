"""The tape of a replay: for each number that hangs on an input, its parents and the partial derivatives by them.

A number is known by its place, 1, 2, ...; 0 stands for all that hangs on no input. The row of a place lists its
parents, which are always smaller places, so that derivatives follow in one pass over the rows. Rows that are open
(`open_rows.py`) are moved into arrays when they have grown. What a row cannot hold, such as the product of two large
matrices, is a step of its own that pulls derivatives back by a function.

One process replays one program, so there is one tape in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance import open_rows

Places: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
Pullback: TypeAlias = Callable[[Numbers], Sequence[Numbers | None]]
Push: TypeAlias = Callable[[Sequence[Numbers]], Numbers]

_FULL = 1 << 20
"""Open rows or entries that become arrays."""


@dataclass(frozen=True, slots=True)
class Step:
    """Places that follow from whole arrays: `pullback` makes the derivatives by these arrays of those by the result.

    `first` and `count` are the places of the result, in the order of its elements; `parents` has the places of each
    array's elements, 0 for elements that hang on no input. `forward`, where it is known, goes the other way: from
    changes of the arrays to that of the result.
    """

    first: int
    count: int
    parents: tuple[Places, ...]
    pullback: Pullback
    name: str
    forward: Push | None = None


@dataclass(slots=True)
class Rows:
    """Rows of following places: `ends` counts the entries up to each row's end."""

    first: int
    ends: NDArray[np.int64]
    parents: NDArray[np.int32]
    partials: Numbers

    @property
    def count(self) -> int:
        return len(self.ends)


@dataclass(slots=True)
class Tape:
    """Rows and steps in the order of their places; `open` has the rows that are no arrays yet."""

    parts: list[Rows | Step] = field(default_factory=list)
    open: open_rows.Rows = field(init=False)

    def __post_init__(self) -> None:
        self.open = open_rows.Rows(self.close, _FULL)

    @property
    def size(self) -> int:
        """How many places there are, with the one that stands for constants."""
        return self.open.closed + self.open.count

    def row(self, parents: Sequence[int], partials: Sequence[float]) -> int:
        """Write one row and return its place; parents that are 0 must be left out."""
        return self.open.row(parents, partials)

    def rows(self, counts: NDArray[np.int64], parents: Places, partials: Numbers) -> int:
        """Write many rows at once and return the place of the first; entries by constants are dropped here."""
        first = self._beginning(len(counts))
        hangs = parents > 0
        ends = np.cumsum(counts)
        if not hangs.all():
            kept = np.concatenate(([0], np.cumsum(hangs)))
            ends, parents, partials = kept[ends], parents[hangs], partials[hangs]
        self.parts.append(Rows(first, ends, parents.astype(np.int32), np.ascontiguousarray(partials, np.float64)))
        return first

    def inputs(self, count: int) -> int:
        """Places of so many numbers that nothing is known to make."""
        nothing = np.zeros(0)
        return self.rows(np.zeros(count, np.int64), nothing.astype(np.int64), nothing)

    def step(
        self, count: int, parents: Sequence[Places], pullback: Pullback, name: str, forward: Push | None = None
    ) -> int:
        """Write so many places that a function of whole arrays makes; returns the first of them."""
        first = self._beginning(count)
        self.parts.append(Step(first, count, tuple(parents), pullback, name, forward))
        return first

    def close(self) -> None:
        """Move the open rows into arrays."""
        if not self.open.count:
            return
        first = self.open.closed
        counts, parents, partials = self.open.taken()
        ends = np.cumsum(np.frombuffer(counts, np.int32), dtype=np.int64)
        self.parts.append(Rows(first, ends, np.frombuffer(parents, np.int32), np.frombuffer(partials)))

    def _beginning(self, count: int) -> int:
        """The first of so many places that are written as a whole."""
        self.close()
        first = self.open.closed
        self.open.closed += count
        return first


TAPE = Tape()
"""The tape of this process."""
