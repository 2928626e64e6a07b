"""One cause per place and reason: reports of several checkers about the same thing, put together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from mlvet.analyses.pycheck.checker import Diagnosis
from mlvet.analyses.pycheck.judgement import Cause, quoted
from mlvet.analyses.pycheck.project import Project

_ATTRIBUTE = (
    r"[Cc]ould not import [`\"'](\w+)",
    r"(?:attribute|member|name) [`\"'](\w+)",
    r"[`\"'](\w+)[`\"'] (?:is not a known attribute|is unknown import symbol|member)",
    r"no [`\"'](\w+)[`\"'] member",
    r"[Mm]odule [`\"'][\w.]+[`\"'] has no (?:attribute|member) [`\"'](\w+)",
    r"undefined name [`\"'](\w+)[`\"'] in `?__all__",
)
_DEFINITE = ("is uninitialized", "is unbound", "referenced before assignment", "before assignment")


def causes(diagnoses: Iterable[Diagnosis], project: Project) -> list[Cause]:
    """Group diagnoses by file, line, rule and subject.

    In a file that is not Python only the first syntax error counts.
    """
    kept = _readable(list(diagnoses))
    grouped: dict[tuple[str, int, str, str], list[Diagnosis]] = defaultdict(list)
    for diagnosis in kept:
        if diagnosis.rule is not None and diagnosis.path in project.sources:
            subject = subject_of(diagnosis)
            grouped[(diagnosis.path, _line(diagnosis, project), _rule(diagnosis), subject)].append(diagnosis)
    _join_names(grouped)
    return [
        Cause(rule, path, subject, tuple(reports))
        for (path, _, rule, subject), reports in sorted(grouped.items(), key=lambda item: item[0])
    ]


def _readable(diagnoses: list[Diagnosis]) -> list[Diagnosis]:
    broken: dict[str, Diagnosis] = {}
    for diagnosis in diagnoses:
        if diagnosis.rule == "syntax-error" and diagnosis.checker in ("ruff", "pyflakes", "mlvet"):
            first = broken.setdefault(diagnosis.path, diagnosis)
            if (diagnosis.line, diagnosis.column) < (first.line, first.column):
                broken[diagnosis.path] = diagnosis
    for diagnosis in diagnoses:
        if diagnosis.rule == "syntax-error":
            broken.setdefault(diagnosis.path, diagnosis)
    return [diagnosis for diagnosis in diagnoses if broken.get(diagnosis.path, diagnosis) is diagnosis]


def _line(diagnosis: Diagnosis, project: Project) -> int:
    """The line that identifies the place; all complaints about one call are about the line on which it starts."""
    if diagnosis.rule != "argument-mismatch":
        return diagnosis.line
    tree = project.tree(diagnosis.path)
    call = tree.call_around(diagnosis.line, max(diagnosis.column, 1)) if tree else None
    return call.lineno if call is not None else diagnosis.line


def _rule(diagnosis: Diagnosis) -> str:
    definite = diagnosis.rule == "possibly-undefined" and any(words in diagnosis.message for words in _DEFINITE)
    return "undefined-variable" if definite else diagnosis.rule or ""


def subject_of(diagnosis: Diagnosis) -> str:
    """The name that a report is about, where two checkers would name the same one."""
    text = diagnosis.message.split("\n")[0]
    if diagnosis.rule in ("undefined-variable", "possibly-undefined"):
        return next(iter(quoted(text)), "")
    if diagnosis.rule == "missing-module":
        return next((piece for piece in quoted(text) if re.fullmatch(r"[\w.]+", piece)), "")
    if diagnosis.rule == "missing-attribute":
        if diagnosis.code == "unassigned-attribute":
            return quoted(text)[0].rpartition(".")[2]
        return next((found.group(1) for pattern in _ATTRIBUTE if (found := re.search(pattern, text))), "")
    return ""


def _join_names(grouped: dict[tuple[str, int, str, str], list[Diagnosis]]) -> None:
    """A name that one checker calls undefined and another possibly undefined is one cause."""
    for path, line, rule, subject in list(grouped):
        if rule == "possibly-undefined" and (path, line, "undefined-variable", subject) in grouped:
            grouped[(path, line, "undefined-variable", subject)] += grouped.pop((path, line, rule, subject))
