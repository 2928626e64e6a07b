"""The least that each answer of a program takes for granted, among cases that are choices of the program.

With an answer denied and all cases granted nothing satisfies the program, and an unsatisfiable core says which cases
are enough for the answer. A case of a core is needed if the answer fails when it alone is denied, which one solution
tells for all answers at once. Mostly what is needed is enough; where it is not, cases are left out one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import clingo


class Grounds:
    """The cases of a grounded program, as literals, with the program."""

    def __init__(self, control: clingo.Control, cases: Sequence[int]) -> None:
        self._control = control
        self._cases = cases

    def of(self, answers: Sequence[int]) -> dict[int, list[int]]:
        """The cases that answers rest on, none of which can be left out; all cases together yield the answers."""
        cores = {each: self._core(each, self._cases) or [] for each in answers}
        needed = self._needed(cores)
        return {each: self._thinned(each, core, needed[each]) for each, core in cores.items()}

    def _core(self, answer: int, granted: Iterable[int]) -> list[int] | None:
        """Those of some cases that are enough for an answer; None if all of them are not."""
        with self._control.solve(assumptions=[*granted, -answer], yield_=True) as handle:
            if not handle.get().unsatisfiable:
                return None
            core = set(handle.core())
        return [each for each in self._cases if each in core]

    def _needed(self, cores: dict[int, list[int]]) -> dict[int, set[int]]:
        """For each answer the cases of its core without which it fails even if all others are granted."""
        resting: dict[int, list[int]] = {}
        for answer, core in cores.items():
            for case in core:
                resting.setdefault(case, []).append(answer)
        needed: dict[int, set[int]] = {each: set() for each in cores}
        for case, answers in resting.items():
            others = [-each if each == case else each for each in self._cases]
            with self._control.solve(assumptions=others, yield_=True) as handle:
                model = handle.model()
                for each in answers if model is not None else ():
                    if not model.is_true(each):
                        needed[each].add(case)
        return needed

    def _thinned(self, answer: int, core: list[int], needed: set[int]) -> list[int]:
        """A core without the cases that can be left out."""
        if len(needed) == len(core):
            return core
        alone = [each for each in core if each in needed]
        if self._core(answer, alone) is not None:
            return alone
        left = core
        for case in core:
            if case not in needed:
                fewer = [each for each in left if each != case]
                left = fewer if self._core(answer, fewer) is not None else left
        return left
