"""Reports of mlvet set beside the truth of the programs: what is found, what is missed, what is false."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.table import mlvet

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
KINDS = {
    "compiled-in-loop": "operators-built-in-loop",
    "kept-graph": "missing-no-grad",
    "host-encoding": "host-one-hot-or-padding",
}
"""The patterns of rules whose own names the truth does not have."""


@dataclass(slots=True)
class Judged:
    """One program: its true inefficiencies, those that were reported, and the reports that are false."""

    name: str
    truth: Sequence[Mapping[str, Any]]
    found: list[Mapping[str, Any]] = field(default_factory=list)
    false: list[Mapping[str, Any]] = field(default_factory=list)
    reports: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def required(self) -> list[Mapping[str, Any]]:
        return [each for each in self.truth if each["required"]]

    @property
    def missed(self) -> list[Mapping[str, Any]]:
        return [each for each in self.required if each not in self.found]


def truth() -> dict[str, Any]:
    programs: dict[str, Any] = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))["programs"]
    return programs


def reports(*options: str, folder: Path = PROGRAMS) -> dict[str, list[dict[str, Any]]]:
    """What mlvet suggests for each program, by its path below the folder."""
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in mlvet("--select", "EFF", "--jobs", "2", *options, ".", cwd=folder)["findings"]:
        found.setdefault(finding["location"]["path"], []).append(finding)
    return found


def judged(*options: str) -> list[Judged]:
    """Every program with what is reported of it."""
    said = reports(*options)
    return [_judged(name, each, said.get(name, [])) for name, each in truth().items()]


def _judged(name: str, known: Mapping[str, Any], said: Sequence[Mapping[str, Any]]) -> Judged:
    result = Judged(name, known["inefficiencies"], reports=list(said))
    for report in said:
        true = [each for each in known["inefficiencies"] if _is_about(report, each)]
        result.found += (each for each in true if each not in result.found)
        if not true and not _is_allowed(report, known["must_not"]):
            result.false.append(report)
    return result


def _is_about(report: Mapping[str, Any], inefficiency: Mapping[str, Any]) -> bool:
    pattern = KINDS.get(report["rule"], report["rule"])
    lines = range(report["location"]["line"], (report["location"].get("end_line") or report["location"]["line"]) + 1)
    told = any(each["line"] in lines for each in inefficiency["at"])
    return told and pattern in (inefficiency["pattern"], *inefficiency["also_as"])


def _is_allowed(report: Mapping[str, Any], must_not: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a report that would be wrong states what excludes the case: an assumption, told at its line."""
    pattern = KINDS.get(report["rule"], report["rule"])
    for each in must_not:
        named = pattern == each["pattern"] and report["location"]["line"] in [at["line"] for at in each["at"]]
        if named and each["allowed_if"] and report["assumptions"]:
            return True
    return False
