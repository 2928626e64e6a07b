"""Counters in local variables: `counter = counter.next` moves a variable along a chain of strokes.

That takes a third of the time of `counter += 1.0`, which makes a number each time. From the last stroke the way leads
back to the first. It runs in C, so that no frame of mlvet stands in a traceback, and counts how often it was taken.
"""

from __future__ import annotations

import builtins
import sys
from itertools import repeat
from operator import length_hint

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeAlias

    _Repeat: TypeAlias = "repeat[Stroke]"
else:
    _Repeat = repeat

LENGTH = 64
"""Strokes of a chain: 3 kB, few enough to stay in the nearest cache beside the program's own values."""


class Stroke:
    """Where a counter stands: so many hits since it was last at the first stroke, as a float."""

    __slots__ = ("next", "number")

    next: Stroke | Last
    number: float


class Last(_Repeat):
    """The last stroke, whose `next` is the first."""

    __slots__ = ("number",)

    next = property(builtins.next)
    number: float


class Chain:
    """The strokes of one counter. All functions that run at the same time share them."""

    __slots__ = ("_last", "first")

    def __init__(self) -> None:
        self.first = stroke = Stroke()
        for number in range(LENGTH - 2):
            stroke.number = float(number)
            stroke.next = after = Stroke()
            stroke = after
        stroke.number = float(LENGTH - 2)
        stroke.next = self._last = Last(self.first, sys.maxsize)
        self._last.number = float(LENGTH - 1)

    def passed(self) -> int:
        """How many hits the counters had before they were last at the first stroke."""
        return LENGTH * (sys.maxsize - length_hint(self._last))
