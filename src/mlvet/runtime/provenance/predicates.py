"""Comparisons of traced numbers: which came near to another outcome, and what they compared.

Each place of the program keeps the comparisons with the smallest margins. A comparison is known by its place in the
program and by how often that place had compared before, so that another run of the same program can find it again and
take the other side.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, TypeAlias

Parent: TypeAlias = tuple[int, float]
Deciding: TypeAlias = Callable[[bool, float], bool]
"""What decides instead of the numbers, of the outcome that they would give and their margin."""
Place: TypeAlias = tuple[str, int, int]
"""File, line and a number that tells comparisons of one line apart."""

_MADE = "<mlvet"
"""With what the names of files begin that are not there, of code that a replay makes."""
_KEPT = 24
"""Comparisons that are kept for each place of the program."""


@dataclass(frozen=True, slots=True, order=True)
class Predicate:
    """A comparison: left minus right is `margin`, and `parents` are places on the tape with its partial derivatives."""

    closeness: float
    place: Place
    ordinal: int
    outcome: bool
    margin: float
    parents: tuple[Parent, ...]
    tape_size: int


@dataclass(slots=True)
class Site:
    """One place of the program that compares; `reach` is the margin from which on a comparison is not kept."""

    place: Place
    count: int = 0
    plain: int = 0
    """How often it compared numbers that hang on no input."""
    reach: float = float("inf")
    nearest: list[tuple[float, int, Predicate]] = field(default_factory=list)
    forced: dict[int, Deciding] = field(default_factory=dict)
    """What decides at single ordinals: another run takes the other side there."""


@dataclass(slots=True)
class Predicates:
    """All places of the program that compared traced numbers."""

    sites: dict[Place, Site] = field(default_factory=dict)
    forced: Mapping[Place, Mapping[int, Deciding]] = field(default_factory=dict)
    size: Callable[[], int] = lambda: 0
    by_code: dict[tuple[int, int], Site] = field(default_factory=dict)
    codes: list[CodeType] = field(default_factory=list)
    """Kept, so that the number of each in `by_code` stays its own."""

    def site(self, place: Place) -> Site:
        if place not in self.sites:
            forced = dict(self.forced.get(place, {}))
            self.sites[place] = Site(place, forced=forced)
        return self.sites[place]

    def near(self, site: Site, outcome: bool, margin: float, parents: tuple[Parent, ...]) -> bool:
        """Keep a comparison that came near; returns the outcome to go on with. The site has counted it already."""
        ordinal = site.count
        if ordinal in site.forced:
            return site.forced[ordinal](outcome, margin)
        if site.forced or margin != margin:
            return outcome
        closeness = abs(margin)
        hanging = tuple(each for each in parents if each[0])
        found = Predicate(closeness, site.place, ordinal, outcome, margin, hanging, self.size())
        heapq.heappush(site.nearest, (-closeness, ordinal, found))
        if len(site.nearest) > _KEPT:
            heapq.heappop(site.nearest)
            site.reach = -site.nearest[0][0]
        return outcome

    def site_of(self, frame: Any) -> Site:
        """The place at which a frame stands; code is known by its identity, since its hash is slow.

        A function that was made for one site of the program stands where it is called.
        """
        key = (id(frame.f_code), frame.f_lasti)
        if key not in self.by_code:
            self.codes.append(frame.f_code)
            while frame.f_code.co_filename.startswith(_MADE) and frame.f_back is not None:
                frame = frame.f_back
            self.by_code[key] = self.site((frame.f_code.co_filename, frame.f_lineno, frame.f_lasti))
        return self.by_code[key]

    def seen(self, outcome: bool, margin: float, left: Parent, right: Parent, depth: int = 2) -> bool:
        """A comparison by the numbers' own operators, at the line of the program that made it."""
        frame: Any = sys._getframe(depth)
        site = self.by_code.get((id(frame.f_code), frame.f_lasti)) or self.site_of(frame)
        site.count += 1
        if -site.reach < margin < site.reach:
            return self.near(site, outcome, margin, (left, right))
        return outcome

    def all(self) -> list[Predicate]:
        """Those that were kept, nearest first."""
        return sorted(each for site in self.sites.values() for _, _, each in site.nearest)


PREDICATES = Predicates()
"""The comparisons of this process."""
