"""SARIF 2.1.0, within the limits that GitHub code scanning documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlvet import __version__
from mlvet.core.finding import Finding
from mlvet.core.grade import Severity
from mlvet.core.location import Location
from mlvet.core.result import Summary, Vetting
from mlvet.core.rule import HEADINGS, Page
from mlvet.report.place import disk_line, placed, project_path, uri, within
from mlvet.report.strict_json import dumps

Json = dict[str, Any]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.SUGGESTION: "note"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.SUGGESTION: "recommendation"}
_TOPICS = {
    "PY": "python",
    "SHP": "shapes",
    "CKP": "checkpoints",
    "EFF": "efficiency",
    "NUM": "numerics",
    "CMP": "backends",
    "PRV": "provenance",
}
_TEXT_LIMIT = 1024
_LOCATION_LIMIT = 100
_BASE = "SRCROOT"


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    fired: dict[str, Finding] = {}
    for finding in vetting.findings:
        fired.setdefault(finding.rule, finding)
    indices = {rule: index for index, rule in enumerate(sorted(fired))}
    driver = {
        "name": "mlvet",
        "semanticVersion": __version__,
        "rules": [_rule(fired[name], vetting) for name in indices],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The root folder of the analysed project."}}},
        "invocations": [_invocation(vetting.summary, vetting)],
        "results": [_result(finding, indices[finding.rule], vetting) for finding in vetting.findings],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(finding: Finding, vetting: Vetting) -> Json:
    """The descriptor of a rule, from its page; a rule outside the catalogue is described by its name."""
    rule = vetting.rules.get(finding.rule)
    page = rule.page() if rule else Page(finding.rule, {})
    severity = rule.severity if rule else finding.severity
    title = page.title or finding.rule
    sections = [(head, page.sections[head]) for head in HEADINGS if head in page.sections]
    return {
        "id": finding.rule,
        "name": "".join(part.capitalize() for part in finding.rule.split("-")),
        "shortDescription": {"text": _cut(title)},
        "fullDescription": {"text": _cut(page.sections.get("What it does") or title)},
        "help": {
            "text": "\n\n".join([title, *(f"{head}\n{body}" for head, body in sections)]),
            "markdown": "\n\n".join([f"**{title}**", *(f"## {head}\n\n{body}" for head, body in sections)]),
        },
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {
            "code": finding.code,
            "tags": ["machine-learning", *_topic(finding.code)],
            "problem.severity": _PROBLEM[severity],
        },
    }


def _topic(code: str) -> list[str]:
    prefix = code.rstrip("0123456789")
    return [_TOPICS[prefix]] if prefix in _TOPICS else []


def _result(finding: Finding, index: int, vetting: Vetting) -> Json:
    related = [note for note in finding.related if note.location is not None][:_LOCATION_LIMIT]
    result: Json = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": _message(placed(finding.message, finding.location)),
        "locations": [_location(finding.location, vetting)],
        "partialFingerprints": {"mlvet/v1": finding.fingerprint},
        "properties": {
            "code": finding.code,
            "certainty": finding.certainty.value,
            "evidence": finding.evidence.to_json() if finding.evidence else None,
            "assumptions": [assumption.text for assumption in finding.assumptions],
            "notes": [note.message for note in finding.related if note.location is None],
        },
    }
    if related:
        result["relatedLocations"] = [
            _location(note.location, vetting) | {"id": number, "message": _message(note.message)}
            for number, note in enumerate(related, start=1)
            if note.location is not None
        ]
    fixes = list(_fixes(finding, vetting))
    if fixes:
        result["fixes"] = fixes
    elif finding.fix:
        result["properties"]["help"] = finding.fix.title
    return result


def _message(text: str) -> Json:
    """A plain message; `[x](y)` would be read as a link, so the two brackets are kept apart."""
    return {"text": text.replace("](", "] (")}


def _location(place: Location, vetting: Vetting) -> Json:
    """A place; code scanning wants a line, so one that is none of the file's lines is put on the first."""
    location: Json = {
        "physicalLocation": {"artifactLocation": _artifact(place.path, vetting), "region": _region(place)}
    }
    if place.node is not None:
        location["logicalLocations"] = [{"name": place.node, "fullyQualifiedName": place.node, "kind": "element"}]
    elif place.cell is not None:
        name = f"cell {place.cell}"
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": within(place), "kind": "member"}]
        span = {key: value for key, value in place.to_json().items() if key != "path"}
        location["properties"] = {"notebook": span}
    return location


def _artifact(path: str, vetting: Vetting) -> Json:
    reference = uri(project_path(path, vetting))
    return {"uri": reference} if reference.startswith("file:") else {"uri": reference, "uriBaseId": _BASE}


def _region(place: Location) -> Json:
    if disk_line(place) is None:
        return {"startLine": 1}
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line or (place.line if place.end_column is not None else None),
        "endColumn": place.end_column if place.column is not None else None,
    }
    return {key: value for key, value in region.items() if value is not None}


def _fixes(finding: Finding, vetting: Vetting) -> Iterator[Json]:
    """The fix as replacements; one in a notebook is left out, for its lines are not lines of the file."""
    if not finding.fix or not finding.fix.edits or any(edit.location.cell is not None for edit in finding.fix.edits):
        return
    changes: dict[str, list[Json]] = {}
    for edit in finding.fix.edits:
        replacement: Json = {"deletedRegion": _region(edit.location)}
        if edit.content:
            replacement["insertedContent"] = {"text": edit.content}
        changes.setdefault(edit.location.path, []).append(replacement)
    yield {
        "description": {"text": finding.fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path, vetting), "replacements": replacements}
            for path, replacements in changes.items()
        ],
        "properties": {"applicability": finding.fix.applicability.value, "reason": finding.fix.reason},
    }


def _invocation(summary: Summary, vetting: Vetting) -> Json:
    notes: list[Json] = [{"level": "note", "message": {"text": note}} for note in summary.notes]
    problems: list[Json] = [
        {
            "level": "error",
            "message": {"text": problem.reason},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem.path, vetting)}}],
        }
        for problem in summary.problems
    ]
    return {"executionSuccessful": not summary.problems, "toolExecutionNotifications": [*notes, *problems]}


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"
