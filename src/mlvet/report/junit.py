"""JUnit XML: one test suite per file, one failed test case per finding."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from mlvet.core.finding import Finding
from mlvet.core.result import Problem, Vetting
from mlvet.report.notes import notes
from mlvet.report.terminal import one_line, visible

_BAD = {"failures": "failure", "errors": "error"}
_NONCHARACTERS = re.compile("[\ufffe\uffff]")


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    """The document; inputs that could not be analysed are errors, and a clean run is one test that passed."""
    cases: dict[str, list[Xml.Element]] = {}
    for finding in vetting.findings:
        cases.setdefault(finding.location.path, []).append(_failure(finding))
    for problem in vetting.summary.problems:
        cases.setdefault(problem.path, []).append(_error(problem))
    if not cases:
        cases["mlvet"] = [_element("testcase", name="No problems found", classname="mlvet")]
    total = _counts([case for group in cases.values() for case in group])
    root = _element("testsuites", name="mlvet", time=f"{vetting.summary.seconds:.3f}", **total)
    for path, group in cases.items():
        suite = _element("testsuite", name=path, **_counts(group))
        suite.extend(group)
        root.append(suite)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counts(cases: list[Xml.Element]) -> dict[str, str]:
    bad = {key: sum(case.find(tag) is not None for case in cases) for key, tag in _BAD.items()}
    return {"tests": str(len(cases)), **{key: str(count) for key, count in bad.items()}}


def _failure(finding: Finding) -> Xml.Element:
    place = finding.location
    where = str(place).removeprefix(place.path).removeprefix(":")
    case = _element("testcase", name=f"{finding.rule} ({where})" if where else finding.rule, classname=place.path)
    if place.line is not None and place.cell is None:
        case.set("line", str(place.line))
    kind = f"{finding.severity} {finding.certainty}"
    failure = _element("failure", message=one_line(finding.message), type=kind)
    failure.text = _xml("\n".join([f"{place}: {finding.message}", *map(str, notes(finding))]))
    case.append(failure)
    return case


def _error(problem: Problem) -> Xml.Element:
    case = _element("testcase", name="analysis", classname=problem.path)
    case.append(_element("error", message=one_line(problem.reason), type="not analysed"))
    return case


def _element(tag: str, **attributes: str) -> Xml.Element:
    return Xml.Element(tag, {key: _xml(value) for key, value in attributes.items()})


def _xml(text: str) -> str:
    """The text with what XML 1.0 cannot hold made visible."""
    return _NONCHARACTERS.sub("\ufffd", visible(text, keep="\n\t"))
