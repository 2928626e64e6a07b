"""The one thing every engine produces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about the user's program, where it is, how sure we are and why.

    `message` is the fact with both sides quoted, then the consequence. `related` become `note:` lines and
    `fix` the `help:` line of a report.
    """

    rule: str
    code: str
    severity: Severity
    certainty: Certainty
    message: str
    location: Location
    related: tuple[Related, ...] = ()
    evidence: Evidence | None = None
    assumptions: tuple[Assumption, ...] = ()
    fix: Fix | None = None
    fingerprint: str = ""

    @property
    def order(self) -> tuple[tuple[str, int, int, int, str], str, str]:
        """Key of the stable order in which findings are reported."""
        return (self.location.order, self.code, self.message)

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "code": self.code,
            "severity": self.severity.value,
            "certainty": self.certainty.value,
            "message": self.message,
            "location": self.location.to_json(),
            "related": [related.to_json() for related in self.related],
            "evidence": self.evidence.to_json() if self.evidence else None,
            "assumptions": [assumption.to_json() for assumption in self.assumptions],
            "fix": self.fix.to_json() if self.fix else None,
            "fingerprint": self.fingerprint,
        }
