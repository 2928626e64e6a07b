"""Numbers rounded to some digits: a way of writing a number, so their derivatives are those of what was rounded.

What is rounded to a whole number counts or chooses something; that jumps (`numbers.py`). Where digits were cut off is
kept, since no small change of an input shows such a derivative.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from typing import TypeAlias

from mlvet.runtime.provenance.breaks import users_frame
from mlvet.runtime.provenance.tape import TAPE

Rounding: TypeAlias = tuple[str, int, int | None]
"""File and line of the user's program, and the digits; None for whole numbers made whole, which changes nothing."""

_places: dict[Rounding, array[int]] = {}

ROUNDINGS: Mapping[Rounding, array[int]] = _places
"""The places on the tape of what was rounded in this process."""


def rounded(place: int, digits: int | None) -> int:
    """The place of a number after rounding."""
    made = TAPE.open.row((place,), (1.0,))
    noted(digits).append(made)
    return made


def noted(digits: int | None) -> array[int]:
    """The places rounded where the program stands now, to be added to."""
    frame = users_frame(sys._getframe(1))
    where = (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
    return _places.setdefault((*where, digits), array("q"))
