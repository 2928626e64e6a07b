"""Take suppressed findings out, and report the suppressions that were not needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mlvet.analyses.suppressions.rules.unused_suppression import UnusedSuppression
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue, did_you_mean
from mlvet.core.source import Source
from mlvet.core.suppression import Suppression, suppressions


def apply(
    findings: Iterable[Finding],
    sources: Mapping[str, Source],
    catalogue: Catalogue,
    looked_for: Callable[[str, str], bool],
) -> tuple[list[Finding], int, list[Finding]]:
    """The findings that stand, how many were suppressed, and one finding per unused suppression.

    `looked_for(rule, path)` says whether a rule was really searched in a file; only then is its comment unused.
    """
    comments = {path: found for path, source in sources.items() if (found := suppressions(source))}
    used: set[tuple[str, Suppression, str]] = set()
    standing: list[Finding] = []
    suppressed = 0
    for finding in findings:
        path = finding.location.path
        source = sources.get(path)
        line = source.flat_line(finding.location) if source else None
        hits = [c for c in comments.get(path, ()) if line is not None and _silences(c, finding, line)]
        if hits:
            suppressed += 1
            used.update((path, comment, finding.rule) for comment in hits)
        else:
            standing.append(finding)
    unused = [
        finding
        for path, found in comments.items()
        for comment in found
        for finding in _unused(
            sources[path], comment, catalogue, {r for p, c, r in used if p == path and c is comment}, looked_for
        )
    ]
    return standing, suppressed, unused


def _silences(comment: Suppression, finding: Finding, line: int) -> bool:
    return comment.covers(line) and (
        comment.rules is None or bool({finding.rule, finding.code.lower()} & set(comment.rules))
    )


def _unused(
    source: Source, comment: Suppression, catalogue: Catalogue, used: set[str], looked_for: Callable[[str, str], bool]
) -> list[Finding]:
    codes = {rule.code.lower(): name for name, rule in catalogue.items()}
    if comment.rules is None:
        idle = [] if used or not all(looked_for(name, source.path) for name in catalogue) else ["any rule"]
        unknown: list[str] = []
    else:
        names = {written: codes.get(written, written) for written in comment.rules}
        unknown = [written for written, name in names.items() if name not in catalogue]
        idle = [
            w for w, name in names.items() if name in catalogue and name not in used and looked_for(name, source.path)
        ]
    messages = ["the list of rules is empty, so nothing is suppressed"] if comment.rules == () else []
    messages += [f"`{name}` is not a rule{did_you_mean(name, list(catalogue))}" for name in unknown]
    messages += [
        f"nothing here needs the suppression of {name if name == 'any rule' else f'`{name}`'}" for name in idle
    ]
    whole = comment.rules is None or len(idle) + len(unknown) == len(comment.rules)
    return [_finding(source, comment, message, whole=whole) for message in messages]


def _finding(source: Source, comment: Suppression, message: str, *, whole: bool) -> Finding:
    where = source.location(comment.line, comment.column, comment.line, comment.end_column)
    return Finding(
        UnusedSuppression.name, UnusedSuppression.code, UnusedSuppression.severity, Certainty.PROVED, message, where,
        fix=_removal(source, comment, where) if whole and source.verbatim else None,
    )  # fmt: skip


def _removal(source: Source, comment: Suppression, where: Location) -> Fix:
    before = source.lines[comment.line - 1][: comment.column - 1]
    after = source.lines[comment.line - 1][comment.end_column - 1 :]
    start = len(before.rstrip()) + 1 if not after.strip() else comment.column
    rest = "#" if after.strip() and not after.lstrip().startswith("#") else ""  # words after it stay a comment
    edit = Edit(Location(where.path, where.line, start, where.line, comment.end_column), rest)
    return Fix("remove the comment", (edit,), Applicability.SAFE)
