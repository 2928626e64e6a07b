"""What `why --against` says of an output in two runs: which inputs changed, and what of its change that makes."""

from __future__ import annotations

from dataclasses import dataclass

from mlvet.core.finding import Finding


@dataclass(frozen=True, slots=True)
class Change:
    """One input that is not the same in both runs; None stands for a run that does not have it.

    `attributed` is what of the output's change its own change makes to first order: the change times the mean of the
    derivatives of both runs. It is None where that is not a number.
    """

    input: str
    before: float | None
    after: float | None
    attributed: float | None

    @property
    def kind(self) -> str:
        return "added" if self.before is None else "removed" if self.after is None else "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One output in two runs; `changes` are ordered by what is attributed to them."""

    output: str
    before: float
    after: float
    changes: tuple[Change, ...]
    same: int
    """Inputs with the same value in both."""
    unlisted: int
    """Inputs that are among the first of one run only, so that their value in the other is not known."""
    rest: float
    """The part of the output's change that no input's change makes to first order."""
    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()

    @property
    def change(self) -> float:
        return self.after - self.before
