"""What derivatives do not show: digits that were rounded off, and comparisons by which alone an input may act."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.findings import Unused
from mlvet.analyses.provenance.study import Study
from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.runtime.provenance.predicates import Predicate
from mlvet.runtime.provenance.roundings import ROUNDINGS, Rounding

Line = tuple[str, int]

_LINES = 16
"""Lines whose comparisons are looked at one by one; those of all others are looked at together."""
_NAMED = 3


def roundings(adjoint: NDArray[np.float64]) -> list[Rounding]:
    """What was rounded on the way to an output, of its derivatives by every place."""
    return [each for each, places in ROUNDINGS.items() if adjoint[np.frombuffer(places, np.int64)].any()]


def rounding_notes(found: Iterable[Rounding]) -> list[str]:
    """Where digits were rounded off, told once for an output."""
    cut = [(path, line, digits) for path, line, digits in found if digits is not None]
    if not cut:
        return []
    places = _listed([f"{os.path.basename(path)}:{line} to {_digits(digits)}" for path, line, digits in cut])
    return [
        f"rounded at {places}: derivatives are those of the number before rounding, of which a small change of an "
        "input need not show anything"
    ]


def _digits(count: int) -> str:
    return f"{count} digit" if count == 1 else f"{count} digits"


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _NAMED:,} other places" if len(words) > _NAMED else ""
    return ", ".join(words[:_NAMED]) + more


@dataclass(frozen=True, slots=True)
class Compared:
    """Which inputs the comparisons of a run hang on, in all and by line; jumps to whole numbers count as such."""

    inputs: NDArray[np.bool_]
    lines: dict[Line, NDArray[np.bool_]] = field(default_factory=dict)

    @classmethod
    def of(cls, predicates: Sequence[Predicate], sweeps: Sweeps, places: NDArray[np.int64]) -> Compared:
        by_line: dict[Line, set[int]] = {}
        for each in predicates:
            by_line.setdefault(each.place[:2], set()).update(place for place, _ in each.parents)
        lines = list(by_line)
        found = {line: sweeps.tainted(by_line[line])[places] for line in lines[:_LINES]}
        rest = {place for line in lines[_LINES:] for place in by_line[line]}
        every = [*found.values(), sweeps.tainted(rest)[places]]
        return cls(np.logical_or.reduce(every), found)

    def notes(self, study: Study, idle: Iterable[Unused]) -> list[list[str]]:
        """What may decide each output from which no derivative leads back, to a variable or to any input."""
        found: list[list[str]] = [[] for _ in study.outputs]
        blank = [not study.row(output).any() for output in range(len(study.outputs))]
        for output, name in enumerate(study.outputs):
            if blank[output] and self.inputs.any():
                found[output].append(self._note(name, "the inputs", "them", self.inputs))
        for each in idle:
            for output in each.outputs:
                if not blank[output] and self.inputs[each.members].any():
                    variable = f"`{each.variable}`"
                    found[output].append(self._note(study.outputs[output], variable, variable, each.members))
        return found

    def _note(self, output: str, inputs: str, them: str, members: NDArray[Any]) -> str:
        places = [f"{os.path.basename(path)}:{line}" for (path, line), by in self.lines.items() if by[members].any()]
        where = f" ({_listed(places)})" if places else ""
        return (
            f"no derivative leads from {inputs} to `{output}`; comparisons or whole numbers that hang on {them}{where} "
            "may decide it"
        )
