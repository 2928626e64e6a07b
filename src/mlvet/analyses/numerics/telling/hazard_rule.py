"""What the rules of the numerics engine have in common: a message made of what was found out about one operator."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import ClassVar

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


@dataclass(frozen=True, slots=True)
class Told:
    """What a message can tell of an operator that may fail.

    `low` to `high` is what the guilty operand can be, or the result if none is to blame. Safe operands lie between
    `safe_low` and `safe_high`; an open end is not safe itself. `largest` and `smallest` are the greatest finite and the
    smallest positive normal number of the element type `dtype`, which is the result's. Operands beyond
    `limit`, where it is known, overflow. `outcome` says what arises; `because` is the cause in words, for the rules
    that have one. `name` is what the program calls the operand, if it does.
    """

    operator: str
    low: float
    high: float
    outcome: str
    dtype: str = "f32"
    integer: bool = False
    least: float = -inf
    largest: float = inf
    smallest: float = 0.0
    safe_low: float = -inf
    safe_high: float = inf
    open_low: bool = False
    open_high: bool = False
    limit: float = inf
    because: str = ""
    name: str = ""

    @property
    def range(self) -> str:
        if self.low < self.high:
            return f"{f'`{self.name}` in ' if self.name else ''}[{number(self.low)}, {number(self.high)}]"
        return f"`{self.name}`, {number(self.low)}" if self.name else number(self.low)

    @property
    def below(self) -> bool:
        """Whether it can be less than every safe number, and less than the open end of them."""
        return self.low < self.safe_low

    @property
    def at_low(self) -> bool:
        """Whether it can be the open end below the safe numbers, or a subnormal number that is flushed to it."""
        gap = self.smallest if self.safe_low == 0 else 0.0
        return self.open_low and self.low <= max(self.safe_low, self.safe_low + gap) and self.high >= self.safe_low

    @property
    def reach(self) -> str:
        """How it leaves the safe numbers: `which reaches 0`."""
        if 0 == self.safe_low < self.low < self.smallest:
            return f"which reaches {number(self.low)}, a subnormal number that many backends flush to 0"
        if self.below or (self.low <= self.safe_low and self.open_low):
            above = self.high > self.safe_high or (self.open_high and self.high == self.safe_high)
            if above:
                return f"which leaves {self.safe}"
            return f"which reaches {'below ' if self.below else ''}{number(self.safe_low)}"
        return f"which reaches {'above ' if self.high > self.safe_high else ''}{number(self.safe_high)}"

    @property
    def safe(self) -> str:
        """The safe numbers."""
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{number(self.safe_low)}, {number(self.safe_high)}{right}"


class HazardRule(Rule):
    """A rule about operators that can yield NaN or infinity."""

    severity: ClassVar[Severity] = Severity.ERROR

    @staticmethod
    def message(told: Told) -> str:
        """The fact, then the consequence."""
        raise NotImplementedError


def number(value: float) -> str:
    """A number as people write it."""
    if not isfinite(value):
        return "inf" if value > 0 else "-inf"
    return f"{value + 0.0:g}"
