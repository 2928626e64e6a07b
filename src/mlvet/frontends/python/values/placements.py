"""On which device a tensor is, path by path, without a fork of the program for each device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlvet.core.location import Location
from mlvet.frontends.python.values.choices import Guard, conjoined
from mlvet.frontends.python.values.numbers import Scalar

DEVICE = "@device"
"""The cell of a tensor that holds its placement; a tensor without one may be anywhere."""

_MOST = 8
"""The most alternatives of one placement."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A device by its kind and number, or by the setting that names it.

    `how` says in words how a tensor got there, and `location` where. One that is `born` there is a part of a module,
    which moves with it. `maker` is the call that made the tensor there without being told a device.
    """

    kind: str
    index: int | None = None
    setting: Scalar | None = None
    how: str = field(default="", compare=False)
    location: Location | None = field(default=None, compare=False)
    born: bool = field(default=False, compare=False)
    maker: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        if self.setting is not None:
            return f"the device `{self.setting.name}`"
        return self.kind if self.index is None else f"{self.kind}:{self.index}"


@dataclass(frozen=True, slots=True)
class Placement:
    """The device of a tensor under each guard; None where it is not known. The guards exclude one another.

    Paths that no guard has are those on which the program fails before there is such a tensor.
    """

    alternatives: tuple[tuple[Guard, Spot | None], ...]

    @property
    def known(self) -> bool:
        return any(spot is not None for _, spot in self.alternatives)

    def told(self, how: str, location: Location | None, *, born: bool = False, maker: Any = None) -> Placement:
        """The same devices with other words on how a tensor got there."""
        return Placement(
            tuple(
                (guard, None if spot is None else replace(spot, how=how, location=location, born=born, maker=maker))
                for guard, spot in self.alternatives
            )
        )

    def possible(self, path: Guard) -> Iterator[tuple[Guard, Spot | None]]:
        """The alternatives that a path leaves, each with the outcomes that it adds to the path."""
        for guard, spot in self.alternatives:
            if conjoined(path, guard) is not None:
                yield guard - path, spot

    def stands_for(self, other: Placement) -> bool:
        """Whether a tensor of which this is known may as well be where another says it is."""
        if not self.known:
            return True
        return all(
            spot == own
            for guard, spot in other.alternatives
            for mine, own in self.alternatives
            if conjoined(guard, mine) is not None
        )


ANYWHERE = Placement(((frozenset(), None),))


def at(spot: Spot) -> Placement:
    """One device on all paths."""
    return Placement(((frozenset(), spot),))


def placement_of(value: Any) -> Placement:
    """Where a tensor is."""
    found = value.cells.get(DEVICE)
    return found if isinstance(found, Placement) else ANYWHERE


def united(alternatives: Iterable[tuple[Guard, Any]]) -> Placement:
    """What holds where paths meet; what is no placement may be anywhere."""
    found: list[tuple[Guard, Spot | None]] = []
    for guard, value in alternatives:
        parts = value.alternatives if isinstance(value, Placement) else ANYWHERE.alternatives
        found += [(both, spot) for inner, spot in parts if (both := conjoined(guard, inner)) is not None]
    return _settled(found)


def _settled(found: Sequence[tuple[Guard, Spot | None]]) -> Placement:
    if not found or len(found) > _MOST or all(spot is None for _, spot in found):
        return ANYWHERE
    first = found[0][1]
    if all(spot == first for _, spot in found):
        return Placement(((frozenset.intersection(*(guard for guard, _ in found)), first),))
    return Placement(tuple(found))
