"""GitLab's Code Quality report: a JSON array with one object per finding."""

from __future__ import annotations

from typing import Any

from mlvet.core.finding import Finding
from mlvet.core.grade import Severity
from mlvet.core.result import Vetting
from mlvet.report.place import disk_line, placed, project_path
from mlvet.report.strict_json import dumps

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.SUGGESTION: "info"}


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    return dumps([_issue(finding, vetting) for finding in vetting.findings]) + "\n"


def _issue(finding: Finding, vetting: Vetting) -> dict[str, Any]:
    """One issue; GitLab wants a line, so a place in a notebook or model file is told in the description."""
    place = finding.location
    lines = {"begin": disk_line(place) or 1}
    if disk_line(place) is not None and place.end_line is not None:
        lines["end"] = place.end_line
    return {
        "description": placed(finding.message, place),
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": project_path(place.path, vetting), "lines": lines},
    }
