"""JUnit XML: one test suite per file, one failed test case per finding."""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree as Xml

from mlvet.core.finding import Finding
from mlvet.core.result import Problem, Vetting
from mlvet.report.notes import notes
from mlvet.report.terminal import one_line, visible

_NONCHARACTERS = re.compile("[\ufffe\uffff]")


def render(vetting: Vetting, *, color: bool = False) -> str:  # noqa: ARG001 - one signature for all formats
    """The document; inputs that could not be analysed are errors, and a clean run is one test that passed."""
    findings, problems = vetting.findings, vetting.summary.problems
    root = _element("testsuites", name="mlvet", time=f"{vetting.summary.seconds:.3f}")
    by_path = groupby(
        sorted(findings, key=lambda finding: finding.location.path), lambda finding: finding.location.path
    )
    for path, group in by_path:
        cases = [_failure(path, finding) for finding in group]
        root.append(_suite(path, cases, failures=len(cases), errors=0))
    for problem in problems:
        root.append(_suite(problem.path, [_error(problem)], failures=0, errors=1))
    if not findings and not problems:
        root.append(_suite("mlvet", [_element("testcase", name="No problems found", classname="mlvet")], 0, 0))
    for key, count in {
        "tests": max(1, len(findings) + len(problems)),
        "failures": len(findings),
        "errors": len(problems),
    }.items():
        root.set(key, str(count))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _suite(name: str, cases: list[Xml.Element], failures: int, errors: int) -> Xml.Element:
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors)}
    suite = _element("testsuite", name=name, **counts)
    suite.extend(cases)
    return suite


def _failure(path: str, finding: Finding) -> Xml.Element:
    place = finding.location
    where = str(place).removeprefix(path).removeprefix(":")
    case = _element("testcase", name=f"{finding.rule} ({where})" if where else finding.rule, classname=path)
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
