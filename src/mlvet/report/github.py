"""Workflow commands of GitHub Actions, one annotation per finding."""

from __future__ import annotations

from mlvet.core.finding import Finding
from mlvet.core.grade import Severity
from mlvet.core.result import Vetting
from mlvet.report.notes import notes
from mlvet.report.place import disk_line, placed, project_path
from mlvet.report.terminal import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.SUGGESTION: "notice"}


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    return "".join(f"{_annotation(finding, vetting)}\n" for finding in vetting.findings)


def _annotation(finding: Finding, vetting: Vetting) -> str:
    place = finding.location
    properties: dict[str, object] = {"file": project_path(place.path, vetting)}
    if disk_line(place) is not None:
        end_line = place.end_line or place.line
        properties |= {"line": place.line, "col": place.column, "endLine": end_line}
        if end_line == place.line:  # GitHub rejects columns of a span over several lines
            properties["endColumn"] = place.end_column
        else:
            del properties["col"]
    properties["title"] = finding.rule
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    text = "\n".join([placed(finding.message, place), *map(str, notes(finding)), f"certainty: {finding.certainty}"])
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    escaped = visible(text, keep="\n\r").replace("%", "%25")
    return escaped.replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
