"""What the inputs and parameters of a graph are assumed to hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mlvet.domains.intervals import Interval


class Origin(Enum):
    """Where a range comes from; the first two are the user's word, the last four are ours."""

    GIVEN = "given"
    DATA = "data"
    STORED = "stored"
    INITIALISER = "initialiser"
    MEANING = "meaning"
    HEURISTIC = "heuristic"
    DTYPE = "dtype"


@dataclass(frozen=True, slots=True)
class Assumed:
    """The range of every element of a value, where it comes from, and why in words."""

    interval: Interval
    origin: Origin
    why: str
