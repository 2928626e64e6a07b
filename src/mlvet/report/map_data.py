"""Localization maps as `summary.analyses.compare.maps` holds them, for those who draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlvet.core.result import Vetting

_USUAL_RATE = 2.0
"""The rate that layers of backends that agree stay below."""


@dataclass(frozen=True, slots=True)
class Place:
    """A layer: what stands before it, how far two backends are apart after it, and what each does wrong in it."""

    name: str
    kind: str
    after: tuple[str, ...]
    delta: float
    rate: float
    red: bool
    times: Mapping[str, float]
    wrong: tuple[str, ...]

    @property
    def worst(self) -> float | None:
        """The greater error of the two backends, in times the noise; None if no oracle knows the layer."""
        return max(self.times.values(), default=None)

    @property
    def heat(self) -> int:
        """How much of the deviation begins here, from 0 (nothing that rounding does not do) to 4."""
        return sum(self.rate > limit for limit in (_USUAL_RATE, 10.0, 1e3, 1e5))


@dataclass(frozen=True, slots=True)
class Map:
    """The layers of a model in an order in which they can run, for two backends."""

    backends: tuple[str, str]
    example: int
    places: tuple[Place, ...]
    shown: bool

    @property
    def title(self) -> str:
        return " and ".join(f"`{name}`" for name in self.backends)

    @property
    def guilty(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if place.wrong)

    @property
    def effort(self) -> str:
        """How many layers a person has to look at."""
        red = sum(place.red for place in self.places)
        return (
            f"layers to look at: {len(self.places)} without the map, {red} marked by rate, "
            f"{len(self.guilty)} wrong by {'its' if len(self.guilty) == 1 else 'their'} own error"
        )


def maps(vetting: Vetting) -> list[Map]:
    """All maps of a run, the most interesting first."""
    compared = vetting.summary.analyses.get("compare") or {}
    return [_map(each) for each in compared.get("maps", ())]


def figure(value: float | None) -> str:
    """A number in few letters."""
    if value is None:
        return "?"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _map(data: Mapping[str, Any]) -> Map:
    first, second = data["backends"]
    places = tuple(_place(each) for each in data["layers"])
    return Map((first, second), int(data.get("example", 0)), places, bool(data.get("shown", True)))


def _place(data: Mapping[str, Any]) -> Place:
    times = {name: float(value) for name, value in data.get("times_noise", {}).items()}
    return Place(
        data["layer"], data["kind"], tuple(data.get("after", ())), float(data["delta"]), float(data["rate"]),
        bool(data["red"]), times, tuple(data.get("wrong", ())),
    )  # fmt: skip
