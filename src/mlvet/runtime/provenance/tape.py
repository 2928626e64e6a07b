"""The tape of a replay: for each number that hangs on an input, its parents and the partial derivatives by them.

A number is known by its place, 1, 2, ...; 0 stands for all that hangs on no input. The row of a place lists its
parents, which are always smaller places, so that derivatives follow in one pass over the rows. Rows that are open
(`open_rows.py`) are moved into arrays when they have grown, and iterations of loops into turns (`turns.py`) when the
arrays have. What a row cannot hold, such as the product of two large matrices, is a step of its own that pulls
derivatives back by a function.

One process replays one program, so there is one tape in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance import open_rows
from mlvet.runtime.provenance.tape_parts import (
    Numbers,
    Part,
    Places,
    Pullback,
    Push,
    Rows,
    Step,
    Turn,
    size_in_bytes,
)  # fmt: skip
from mlvet.runtime.provenance.turns import Turns

__all__ = ["TAPE", "Numbers", "Part", "Places", "Pullback", "Push", "Rows", "Step", "Tape", "Turn"]

_FULL = 1 << 20
"""Open rows or entries that become arrays."""
_WAITING = 1 << 22
"""Entries of arrays among which iterations are looked for."""
_APART = 1 << 13
"""Rows and entries that a loop writes between two marks at least."""


@dataclass(slots=True)
class Tape:
    """Rows and steps in the order of their places; `open` has the rows that are no arrays yet.

    Rows of `parts` from `_waiting` on may still become turns.
    """

    parts: list[Part] = field(default_factory=list)
    full: int = _FULL
    waiting: int = _WAITING
    apart: int = _APART
    open: open_rows.Rows = field(init=False)
    _turns: Turns = field(init=False)
    _begins: int = 0
    _entries: int = 0
    _due: int = 0

    def __post_init__(self) -> None:
        self.open = open_rows.Rows(self.close, self.full, self.apart)
        self._turns = Turns(self.open.marks)
        self._due = self.waiting

    @property
    def size(self) -> int:
        """How many places there are, with the one that stands for constants."""
        return self.open.closed + self.open.count

    @property
    def bytes(self) -> int:
        """What the closed rows take."""
        return size_in_bytes(self.parts)

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
        self._written(
            Rows(
                first, ends.astype(np.int32), parents.astype(np.int32), np.ascontiguousarray(partials, np.float64)
            )
        )  # fmt: skip
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
        self._compress(ended=True)
        self.parts.append(Step(first, count, tuple(parents), pullback, name, forward))
        self._begins, self._entries = len(self.parts), 0
        return first

    def close(self) -> None:
        """Move the open rows into arrays."""
        if not self.open.count:
            return
        first = self.open.closed
        counts, parents, partials = self.open.taken()
        ends = np.cumsum(np.frombuffer(counts, np.int32), dtype=np.int32)
        self._written(Rows(first, ends, np.frombuffer(parents, np.int32), np.frombuffer(partials)))

    def finish(self) -> None:
        """Move the open rows into arrays, and all that repeats into turns."""
        self.close()
        self._compress(ended=True)

    def _beginning(self, count: int) -> int:
        """The first of so many places that are written as a whole."""
        self.close()
        first = self.open.closed
        self.open.closed += count
        return first

    def _written(self, rows: Rows) -> None:
        self.parts.append(rows)
        self._entries += rows.entries
        if self._entries > self._due:
            self._compress(ended=False)

    def _compress(self, *, ended: bool) -> None:
        if not self.open.marks:
            return
        run = [each for each in self.parts[self._begins :] if isinstance(each, Rows)]
        done, waiting = self._turns.of(run, ended=ended)
        self.parts[self._begins :] = [*done, *waiting]
        self._begins = len(self.parts) - len(waiting)
        self._entries = sum(each.entries for each in waiting)
        self._due = max(self.waiting, self._entries + self._entries // 4)


TAPE = Tape()
"""The tape of this process."""
