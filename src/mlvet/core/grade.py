"""How bad a finding is and how sure we are of it: two ordered scales."""

from __future__ import annotations

from enum import StrEnum


class Grade(StrEnum):
    """A scale whose members are declared from weakest to strongest."""

    @property
    def rank(self) -> int:
        return list(type(self)).index(self)

    def at_least(self, floor: Grade) -> bool:
        return self.rank >= floor.rank


class Severity(Grade):
    """What the finding does to the program: slows it, may break it, breaks it."""

    SUGGESTION = "suggestion"
    WARNING = "warning"
    ERROR = "error"


class Certainty(Grade):
    """How the finding is known.

    `possible` could not be excluded; `likely` holds under the listed assumptions; `observed` was run and
    seen; `proved` means that every run that takes the reported path fails.
    """

    POSSIBLE = "possible"
    LIKELY = "likely"
    OBSERVED = "observed"
    PROVED = "proved"
