"""The tape of a replay: for each number that hangs on an input, its parents and the partial derivatives by them.

A number is known by its place, 1, 2, ...; 0 stands for all that hangs on no input. The row of a place lists its
parents, which are always smaller places, so that derivatives follow in one pass over the rows. Rows are gathered in
plain lists, which is the fastest that Python offers, and moved into arrays when they have grown. What a row cannot
hold, such as the product of two large matrices, is a step of its own that pulls derivatives back by a function.

One process replays one program, so there is one tape in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from struct import pack
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Places: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
Pullback: TypeAlias = Callable[[Numbers], Sequence[Numbers | None]]
Push: TypeAlias = Callable[[Sequence[Numbers]], Numbers]

_FULL = 1 << 14
"""Entries after which lists become arrays: so few stay in the processor's cache."""


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
    """Rows and steps in the order of their places.

    `parents`, `partials` and `counts` are the open lists that the fast ways of writing append to directly; each keeps
    its identity for the whole replay.
    """

    parents: list[int] = field(default_factory=list)
    partials: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    parts: list[Rows | Step] = field(default_factory=list)
    closed: int = 1
    """The first place whose row is still open."""

    @property
    def size(self) -> int:
        """How many places there are, with the one that stands for constants."""
        return self.closed + len(self.counts)

    def row(self, parents: Sequence[int], partials: Sequence[float]) -> int:
        """Write one row and return its place; parents that are 0 must be left out."""
        self.parents += parents
        self.partials += partials
        self.counts.append(len(parents))
        place = self.closed + len(self.counts) - 1
        if len(self.parents) > _FULL or len(self.counts) > _FULL:
            self.close()
        return place

    def rows(self, counts: NDArray[np.int64], parents: Places, partials: Numbers) -> int:
        """Write many rows at once and return the place of the first; entries by constants are dropped here."""
        self.close()
        first = self.closed
        hangs = parents > 0
        ends = np.cumsum(counts)
        if not hangs.all():
            kept = np.concatenate(([0], np.cumsum(hangs)))
            ends, parents, partials = kept[ends], parents[hangs], partials[hangs]
        self.parts.append(Rows(first, ends, parents.astype(np.int32), np.ascontiguousarray(partials, np.float64)))
        self.closed += len(counts)
        return first

    def inputs(self, count: int) -> int:
        """Places of so many numbers that nothing is known to make."""
        nothing = np.zeros(0)
        return self.rows(np.zeros(count, np.int64), nothing.astype(np.int64), nothing)

    def step(
        self, count: int, parents: Sequence[Places], pullback: Pullback, name: str, forward: Push | None = None
    ) -> int:
        """Write so many places that a function of whole arrays makes; returns the first of them."""
        self.close()
        first = self.closed
        self.parts.append(Step(first, count, tuple(parents), pullback, name, forward))
        self.closed += count
        return first

    def close(self) -> None:
        """Move the open rows into arrays; `struct` takes numbers out of lists faster than NumPy does."""
        if not self.counts:
            return
        ends = np.cumsum(np.array(self.counts, np.int64))
        parents = np.frombuffer(pack(f"{len(self.parents)}i", *self.parents), np.int32)
        partials = np.frombuffer(pack(f"{len(self.partials)}d", *self.partials))
        self.parts.append(Rows(self.closed, ends, parents, partials))
        self.closed += len(self.counts)
        self.parents.clear()
        self.partials.clear()
        self.counts.clear()


TAPE = Tape()
"""The tape of this process."""
