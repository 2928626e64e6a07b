"""What a process that replays a program gives back; the process that asks loads this and no array library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlvet.analyses.provenance.measuring import Ground
from mlvet.analyses.provenance.probing import Probe
from mlvet.core.explanation import Break, Explanation

if TYPE_CHECKING:
    from mlvet.runtime.provenance.nan_origins import Made


@dataclass(slots=True)
class Answer:
    """What the replaying process gives back."""

    explanations: list[Explanation] = field(default_factory=list)
    turning: list[Turning] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    seen: list[tuple[bool, float]] = field(default_factory=list)
    """Outcomes and margins of watched comparisons."""
    origins: list[Made] = field(default_factory=list)
    losses: list[Break] = field(default_factory=list)
    probe: Probe = field(default_factory=Probe)
    ground: Ground = field(default_factory=Ground)
    runs: list[dict[str, float] | None] = field(default_factory=list)
    """The outputs of runs with inputs moved."""
    entries: int = 0
    seconds: float = 0.0
    """How long the replay took."""


@dataclass(frozen=True, slots=True)
class Turning:
    """An unstable comparison, in words that another process understands."""

    place: tuple[str, int, int, int]
    outcome: bool
    margin: float
    input: str
    change: float
