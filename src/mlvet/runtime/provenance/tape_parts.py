"""What a tape consists of: rows as they were written, turns of a loop that repeat a pattern, and steps of whole arrays.

A turn holds what is its own in one iteration. The pattern that it shares with others has the places of parents: some
stay where they are, others move along with the iterations. Partial derivatives that are always alike in each iteration
form groups, so a turn has one number for each group that changes. Entries that do not follow are told one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance.open_rows import entries_of

Places: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int32]
Pullback: TypeAlias = Callable[[Numbers], Sequence[Numbers | None]]
Push: TypeAlias = Callable[[Sequence[Numbers]], Numbers]


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
    ends: Whole
    parents: Whole
    partials: Numbers

    @property
    def count(self) -> int:
        return len(self.ends)

    @property
    def entries(self) -> int:
        return len(self.parents)

    def plain(self) -> Rows:
        return self


def part_of(rows: Rows, begin: int, end: int) -> Rows:
    """Some of the rows, by their number."""
    start = int(rows.ends[begin - 1]) if begin else 0
    until = int(rows.ends[end - 1])
    ends = rows.ends[begin:end] - np.int32(start)
    return Rows(rows.first + begin, ends, rows.parents[start:until], rows.partials[start:until])


@dataclass(frozen=True, slots=True)
class Pattern:
    """Rows of an iteration. A parent below 0 moves along: it is counted from the place behind the iteration."""

    ends: Whole
    parents: Whole


@dataclass(frozen=True, slots=True)
class Groups:
    """Entries with one partial derivative: the `index` of each entry's group, groups that change before constant ones.

    A group that changes is told by the entry of `tellers`.
    """

    index: Whole
    tellers: Whole
    constants: Numbers


@dataclass(frozen=True, slots=True)
class Odd:
    """Entries that do not follow the pattern, in order."""

    at: Whole
    parents: Whole
    partials: Numbers


NONE_ODD = Odd(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Turn:
    """The rows of one iteration; `partials` are those of the groups that change, or of all entries without groups."""

    first: int
    pattern: Pattern
    groups: Groups | None
    partials: Numbers
    odd: Odd = NONE_ODD

    @property
    def count(self) -> int:
        return len(self.pattern.ends)

    @property
    def entries(self) -> int:
        return len(self.pattern.parents)

    def table(self) -> Numbers:
        """The partial derivative of each group, or of each entry."""
        return self.partials if self.groups is None else np.concatenate((self.partials, self.groups.constants))

    def plain(self) -> Rows:
        """The rows as they were written."""
        index = None if self.groups is None else self.groups.index
        parents, partials = entries_of(
            self.first + self.count, self.pattern.parents, index, self.table(), self.odd.at, self.odd.parents,
            self.odd.partials,
        )  # fmt: skip
        return Rows(self.first, self.pattern.ends, parents, partials)


Part: TypeAlias = Rows | Turn | Step


def size_in_bytes(parts: Iterable[Part]) -> int:
    """What the arrays of parts take; what several share counts once."""
    arrays: dict[int, int] = {}
    for part in parts:
        for each in _arrays(part):
            arrays[id(each)] = each.nbytes
    return sum(arrays.values())


def _arrays(part: Part) -> tuple[NDArray[np.int32] | Places | Numbers, ...]:
    if isinstance(part, Step):
        return part.parents
    if isinstance(part, Rows):
        return part.ends, part.parents, part.partials
    own = (part.pattern.ends, part.pattern.parents, part.partials, part.odd.at, part.odd.parents, part.odd.partials)
    return own if part.groups is None else (*own, part.groups.index, part.groups.tellers, part.groups.constants)
