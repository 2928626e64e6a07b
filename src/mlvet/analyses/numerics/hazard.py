"""A place where NaN or infinity can arise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Node


class Verdict(Enum):
    """What the analysis says of a node.

    GUARDED: it can yield NaN or infinity, but only in elements that a selection discards. UNKNOWN: it has no rule.
    """

    SAFE = "safe"
    HAZARD = "hazard"
    GUARDED = "guarded"
    UNKNOWN = "unknown"


class Outcome(Enum):
    """What arises."""

    NAN = "NaN"
    INFINITY = "infinity"
    EITHER = "NaN or infinity"
    WRAPPED = "a meaningless integer"
    GRADIENT = "an infinite or NaN gradient"


@dataclass(frozen=True, slots=True)
class Hazard:
    """A node that could not be shown safe.

    `operand` is the index of the guilty operand, None if it is the result that leaves the element type; `interval` is
    what that operand, or the result before rounding, can be. `backward` says that the gradient fails, not the value.
    """

    node: Node
    rule: str
    operand: int | None
    interval: Interval
    outcome: Outcome
    backward: bool = False
