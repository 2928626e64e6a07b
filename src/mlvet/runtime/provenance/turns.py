"""Iterations of loops, found among the rows of a tape and written as turns of a pattern.

A replay marks where iterations begin (`looping.py`). Rows between two marks of a loop are a block. Two blocks that have
the same lengths of rows, and parents that stay or move by the distance of the blocks, make a pattern; blocks that
follow it become turns. Marks only say where to look: a block becomes a turn if the turn gives back the same parents and
the same bits of all partial derivatives, and stays as it is otherwise.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mlvet.runtime.provenance.tape_parts import NONE_ODD, Groups, Numbers, Odd, Pattern, Rows, Turn, part_of

Mark = tuple[int, int]
_ODD = 8
"""One in so many entries may be told by itself."""
_LOOKED_AT = 8
"""Blocks from which groups are made at once, besides the one at hand."""
_MIXED = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows of following places, from which blocks are cut."""

    run: Sequence[Rows]
    firsts: list[int]
    entries: list[int]

    @classmethod
    def of(cls, run: Sequence[Rows]) -> Stretch:
        counted = np.cumsum([0, *(each.entries for each in run)]).tolist()
        return cls(run, [each.first for each in run], counted)

    @property
    def last(self) -> int:
        return self.run[-1].first + self.run[-1].count

    def before(self, place: int) -> int:
        """How many entries there are before a place."""
        at = bisect_right(self.firsts, place) - 1
        row = place - self.firsts[at]
        return self.entries[at] + (int(self.run[at].ends[row - 1]) if row else 0)

    def cut(self, first: int, last: int) -> Rows:
        """The rows from one place up to another; a part of one array where that is possible."""
        pieces = [each for each, _ in self._pieces(first, last)]
        if len(pieces) == 1:
            return pieces[0]
        sizes = np.cumsum([0, *(each.entries for each in pieces)])
        ends = [each.ends + size for each, size in zip(pieces, sizes, strict=False)]
        return Rows(
            first, np.concatenate(ends).astype(np.int32), np.concatenate([each.parents for each in pieces]),
            np.concatenate([each.partials for each in pieces]),
        )  # fmt: skip

    def kept(self, first: int, last: int) -> Iterator[Rows]:
        """The rows from one place up to another in pieces that share no array with rows that are not kept."""
        for each, whole in self._pieces(first, last):
            yield each if whole else Rows(each.first, each.ends.copy(), each.parents.copy(), each.partials.copy())

    def _pieces(self, first: int, last: int) -> Iterator[tuple[Rows, bool]]:
        """Parts of arrays, and whether each is all of one."""
        for at in range(bisect_right(self.firsts, first) - 1, len(self.run)):
            each = self.run[at]
            if each.first >= last:
                return
            begin, end = max(first - each.first, 0), min(last - each.first, each.count)
            if (begin, end) == (0, each.count):
                yield each, True
            elif begin < end:
                yield part_of(each, begin, end), False


@dataclass(slots=True)
class Followed:
    """The pattern that blocks are compared with, and the groups of its entries.

    `lost` counts bytes of partial derivatives that groups would save; `patience` is how many blocks must pass before
    other groups are tried, which doubles with each try.
    """

    pattern: Pattern
    groups: Groups | None = None
    lost: int = 0
    patience: int = 0
    tries: int = 0

    @property
    def entries(self) -> int:
        return len(self.pattern.parents)

    @property
    def count(self) -> int:
        return len(self.pattern.ends)

    def fitting(self, block: Rows) -> Rows | None:
        """The beginning of a block that has the pattern's rows."""
        if block.count < self.count or not np.array_equal(block.ends[: self.count], self.pattern.ends):
            return None
        return block if block.count == self.count else part_of(block, 0, self.count)

    def turn(self, block: Rows, following: Callable[[Followed], Iterable[Rows]]) -> Turn | None:
        """The turn that says the same as a block; groups are made anew, with the blocks that follow, if that pays."""
        parents = self.pattern.parents
        origin = np.int32(block.first + block.count)
        wrong = parents + (origin & (parents >> 31)) != block.parents
        if np.count_nonzero(wrong) * _ODD > self.entries:
            return None
        self.patience -= 1
        made = self._grouped(block, wrong)
        if self.patience < 0 and (made is None or self.lost > 4 * self.entries):
            self._regroup([block, *following(self)])
            made = self._grouped(block, wrong) or made
        if made is None:
            self.lost += 8 * self.entries
            made = Turn(block.first, self.pattern, None, block.partials.copy(), _odd(block, wrong))
        else:
            self.lost += 16 * len(made.odd.at)
        return made if np.isfinite(made.partials).all() and np.isfinite(made.odd.partials).all() else None

    def _grouped(self, block: Rows, wrong: NDArray[np.bool_]) -> Turn | None:
        if self.groups is None:
            return None
        partials = block.partials[self.groups.tellers]
        table = np.concatenate((partials, self.groups.constants))
        other = wrong | (table.view(np.int64)[self.groups.index] != block.partials.view(np.int64))
        if np.count_nonzero(other) * _ODD > self.entries:
            return None
        return Turn(block.first, self.pattern, self.groups, partials, _odd(block, other))

    def _regroup(self, blocks: Sequence[Rows]) -> None:
        if len(blocks) == 1:
            return
        found = groups_of([each.partials for each in blocks], self.groups)
        if found is not None:
            self.groups = found
        self.lost = 0
        self.tries += 1
        self.patience = 1 << min(self.tries, 30)


def _odd(block: Rows, wrong: NDArray[np.bool_]) -> Odd:
    at = np.flatnonzero(wrong).astype(np.int32)
    return Odd(at, block.parents[at], block.partials[at]) if len(at) else NONE_ODD


def pattern_of(block: Rows, following: Rows) -> Pattern | None:
    """The pattern of two blocks; their first entries are at different places, so what stays is not what moves."""
    distance = following.first - block.first
    if not block.entries or not np.array_equal(block.ends, following.ends):
        return None
    apart = following.parents - block.parents
    moves = apart == distance
    if np.count_nonzero(moves | (apart == 0)) * _ODD < block.entries * (_ODD - 1):
        return None
    origin = np.int32(following.first + following.count)
    parents = np.where(moves, following.parents - origin, following.parents).astype(np.int32)
    return Pattern(following.ends.copy(), parents)


def groups_of(blocks: Sequence[Numbers], before: Groups | None) -> Groups | None:
    """Entries that are alike in each of some blocks, and were before; none if that saves little or is not finite."""
    first = blocks[0].view(np.uint64)
    mixed = np.zeros(len(first), np.uint64) if before is None else before.index.astype(np.uint64) * _MIXED
    steady = np.ones(len(first), np.bool_)
    for each in blocks:
        bits = each.view(np.uint64)
        steady &= bits == first
        mixed ^= bits
        mixed ^= mixed >> np.uint64(29)
        mixed *= _MIXED
        mixed ^= mixed >> np.uint64(32)
    _, tellers, index = np.unique(mixed, return_index=True, return_inverse=True)
    constant = steady[tellers]
    changing = len(tellers) - int(constant.sum())
    if 2 * changing > len(first) or not np.isfinite(blocks[0][tellers]).all():
        return None
    order = np.argsort(constant, kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    told = tellers[order].astype(np.int32)
    return Groups(number[index], told[:changing], blocks[0][told[changing:]])


def _loops(marks: Sequence[Mark], stretch: Stretch) -> dict[int, list[int]]:
    """The places in a stretch at which iterations of each loop begin."""
    found: dict[int, list[int]] = {}
    for loop, place in marks:
        if stretch.firsts[0] <= place < stretch.last and (loop not in found or place > found[loop][-1]):
            found.setdefault(loop, []).append(place)
    return found


@dataclass(slots=True)
class Turns:
    """What is known of the loops of a tape; `marks` has loops and places, in order."""

    marks: list[Mark]
    followed: dict[int, Followed] = field(default_factory=dict)
    _looked: int = 0

    def of(self, run: Sequence[Rows], *, ended: bool) -> tuple[list[Rows | Turn], list[Rows]]:
        """Rows of following places as rows and turns, and the last rows, which may still become a turn.

        Unless the run has ended, nothing is done before the loop that repeats most began again.
        """
        if not run:
            return [], []
        stretch = Stretch.of(run)
        loops = _loops(self.marks, stretch)
        if ended:
            self.marks.clear()
        loop = self._chosen(loops, stretch)
        if loop is None or (not ended and loops[loop][-1] <= self._looked):
            return (list(run), []) if ended else ([], list(run))
        self._looked = loops[loop][-1]
        done = list(self._parts(stretch, stretch.firsts[0], stretch.last, loop, loops, ended))
        until = done[-1].first + done[-1].count if done else stretch.firsts[0]
        rest = list(stretch.kept(until, stretch.last)) if until < stretch.last else []
        self.marks[:] = [each for each in self.marks if each[1] >= until]
        return done, rest

    def _chosen(self, loops: dict[int, list[int]], stretch: Stretch) -> int | None:
        """The loop with the most entries in iterations of one length, one after the other."""
        best, most = None, 0
        for loop, places in loops.items():
            counted = [(place, stretch.before(place)) for place in places]
            sizes = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(counted)]
            followed = self.followed.get(loop)
            known = [(followed.count, followed.entries)] if followed else []
            padded = [(0, 0), *sizes, (0, 0)]
            repeated = sum(
                size[1] for at, size in enumerate(sizes) if size in (padded[at], padded[at + 2], *known)
            )  # fmt: skip
            if repeated > most:
                best, most = loop, repeated
        return best

    def _parts(
        self, stretch: Stretch, first: int, last: int, loop: int, loops: dict[int, list[int]], ended: bool
    ) -> Iterator[Rows | Turn]:
        """The rows from one place up to another in blocks of a loop; the last one is left out unless all has ended."""
        places = [each for each in loops[loop] if first <= each < last]
        blocks = list(pairwise([*places, last] if ended else places))
        others = {each: found for each, found in loops.items() if each != loop}
        done = first
        for number, (begin, end) in enumerate(blocks):
            block = stretch.cut(begin, end)
            later = blocks[number + 1 :]
            made = self._turn(stretch, loop, block, later[:: 1 + len(later) // _LOOKED_AT])
            if made is not None:
                yield from self._between(stretch, done, begin, others)
                yield made
                done = begin + made.count
            elif not ended and number == len(blocks) - 1:
                last = begin
        yield from self._between(stretch, done, last if ended else min(last, blocks[-1][1]), others)

    def _turn(self, stretch: Stretch, loop: int, block: Rows, others: Sequence[tuple[int, int]]) -> Turn | None:
        """A block as a turn of the pattern that was followed, or of one that it makes with the next."""

        def following(pattern: Followed) -> Iterator[Rows]:
            for each in others:
                if (cut := pattern.fitting(stretch.cut(*each))) is not None:
                    yield cut

        followed = self.followed.get(loop)
        fitting = followed.fitting(block) if followed else None
        if followed and fitting:
            made = followed.turn(fitting, following)
            if made is not None:
                return made
        if not others:
            return None
        after = stretch.cut(*others[0])
        pattern = pattern_of(block, part_of(after, 0, block.count) if after.count > block.count else after)
        if pattern is None:
            return None
        followed = Followed(pattern)
        made = followed.turn(block, following)
        if made is not None:
            self.followed[loop] = followed
        return made

    def _between(self, stretch: Stretch, first: int, last: int, loops: dict[int, list[int]]) -> Iterator[Rows | Turn]:
        """Rows that are no turn of one loop may be turns of others."""
        if first >= last:
            return
        inside = {loop: places for loop, found in loops.items() if (places := [e for e in found if first <= e < last])}
        loop = self._chosen(inside, stretch)
        if loop is None:
            yield from stretch.kept(first, last)
        else:
            yield from self._parts(stretch, first, last, loop, inside, ended=True)
