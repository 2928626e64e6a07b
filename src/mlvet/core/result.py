"""What one run of the pipeline hands to the reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.rule import Catalogue
from mlvet.core.source import Source


@dataclass(frozen=True, slots=True)
class Hidden:
    """How many findings were made but are not shown, and why; `unsure` counts the less certain by their certainty."""

    unsure: Mapping[Certainty, int] = field(default_factory=dict)
    severity: int = 0
    suppressed: int = 0
    baseline: int = 0

    @property
    def certainty(self) -> int:
        return sum(self.unsure.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "certainty": self.certainty,
            "by_certainty": {grade.value: self.unsure[grade] for grade in Certainty if self.unsure.get(grade)},
            "severity": self.severity,
            "suppressed": self.suppressed,
            "baseline": self.baseline,
        }


@dataclass(frozen=True, slots=True)
class Problem:
    """An input that could not be analysed, and why; it makes the exit code 2."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run. `notes` are facts about the run itself, such as a checker that did not answer."""

    files: int = 0
    seconds: float = 0.0
    operators_analysed: int = 0
    operators_unanalysed: int = 0
    hidden: Hidden = field(default_factory=Hidden)
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    analyses: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "operators": {"analysed": self.operators_analysed, "unanalysed": self.operators_unanalysed},
            "seconds": round(self.seconds, 3),
            "hidden": self.hidden.to_json(),
            "notes": list(self.notes),
            "problems": [{"path": problem.path, "reason": problem.reason} for problem in self.problems],
            "analyses": dict(self.analyses),
        }


@dataclass(frozen=True, slots=True)
class Vetting:
    """The outcome of one run: shown findings in stable order, the summary, and what reports need to render them.

    `root` is the absolute folder of the project; `base` the absolute folder that shown paths are relative to.
    """

    findings: tuple[Finding, ...]
    summary: Summary
    sources: Mapping[str, Source]
    rules: Catalogue
    root: str
    base: str

    def count(self) -> Counter[Severity]:
        return Counter(finding.severity for finding in self.findings)
