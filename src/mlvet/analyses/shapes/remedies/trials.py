"""Trials: a program with some edits made is interpreted and judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import process_time

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.shapes.programs.analysis import vet
from mlvet.analyses.shapes.suspicions.analysis import suspicions
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix, apply_edits
from mlvet.core.grade import Severity
from mlvet.frontends.python.program import Interpreted
from mlvet.ir.host import Span

Reading = Callable[[Mapping[str, str], frozenset[Span]], Interpreted]
"""Interprets a program, given what some of its files contain and which expressions to watch."""
Mark = tuple[str, str, int]
"""A rule, a file and a line of the program as it is without the edits."""
_SECONDS = 3.0
"""The most processor time that all trials of one program may take."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is found in a program, and how much of it is known."""

    told: Mapping[Mark, Finding]
    unknown: int
    complete: bool
    open: Counter[tuple[str, int]]
    operators: Counter[tuple[str, int]]

    @property
    def marks(self) -> frozenset[Mark]:
        return frozenset(self.told)


@dataclass(slots=True)
class Trials:
    """The trials of one program, which are `refused` when those before have taken too long."""

    reading: Reading
    texts: Mapping[str, str]
    seconds: float = 0.0
    refused: bool = False
    _known: dict[tuple[Edit, ...], Judgement | None] = field(default_factory=dict)

    def judged(self, edits: tuple[Edit, ...]) -> Judgement | None:
        """The program with edits made, judged; None if they cannot be made or no more trials are allowed."""
        if edits in self._known:
            return self._known[edits]
        if self.seconds > _SECONDS:
            self.refused = True
            return None
        self._known[edits] = judged = self._judged(edits)
        return judged

    def _judged(self, edits: tuple[Edit, ...]) -> Judgement | None:
        changed = edited(self.texts, edits)
        if changed is None:
            return None
        started = process_time()
        found = self.reading(changed, frozenset())
        judged = judgement(found, _findings(found), edits)
        self.seconds += process_time() - started
        return judged


def _findings(found: Interpreted) -> list[Finding]:
    rules = catalogue()
    findings = vet(found.graph, found.demanded, rules).findings
    failing = [each.location for each in findings if each.severity is Severity.ERROR]
    return [*findings, *suspicions(found.graph, found.demanded, rules, failing)]


def judgement(found: Interpreted, findings: Iterable[Finding], edits: Iterable[Edit] = ()) -> Judgement:
    """What is found in an interpreted program, at the lines that it has without the edits."""
    lines = Lines(edits)
    undecided = [each for each in found.demands if each.constraint.decided is None and each.within is None]
    return Judgement(
        {lines.mark(each): each for each in findings},
        found.unknowns.total(),
        found.complete,
        Counter(
            lines.before(each.node.location.path, each.node.location.line) for each in undecided if each.node.location
        ),
        Counter(lines.before(each.location.path, each.location.line) for each in found.graph.nodes() if each.location),
    )


class Lines:
    """Lines of a program with edits made as lines of the program without them."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._added: list[tuple[str, int, int]] = []
        for edit in sorted(edits, key=lambda each: each.location.order):
            where = edit.location
            added = edit.content.count("\n") - ((where.end_line or 0) - (where.line or 0))
            if added:
                self._added.append((where.path, where.line or 0, added))

    def before(self, path: str, line: int | None) -> tuple[str, int]:
        line = line or 0
        shift = 0
        for other, start, added in self._added:
            if other == path and line > start + shift:
                shift += min(added, line - start - shift)
        return path, line - shift

    def mark(self, finding: Finding) -> Mark:
        return (finding.rule, *self.before(finding.location.path, finding.location.line))


def edited(texts: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str] | None:
    """The texts with the edits made, None if one is of no text or if they cannot all be made."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.location.path, []).append(edit)
    changed = {}
    for path, mine in by_path.items():
        if path not in texts:
            return None
        text, applied = apply_edits(texts[path], [Fix("trial", tuple(mine), Applicability.SAFE)])
        if not applied:
            return None
        try:
            compile(text, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        changed[path] = text
    return changed


def cures(before: Judgement, after: Judgement, target: Mark) -> bool:
    """Whether a finding is gone, none has come, and no less is known of the program than before."""
    return not obstacles(before, after, target) and target not in after.told


def obstacles(before: Judgement, after: Judgement, target: Mark) -> list[Mark]:
    """What speaks against edits: new findings, things that are no longer known where the target is."""
    place = target[1:]
    found = sorted(after.marks - before.marks)
    if after.unknown > before.unknown or (before.complete and not after.complete):
        found.append(("less is known", *place))
    if after.open[place] > before.open[place]:
        found.append(("what was decided is open", *place))
    if not after.operators[place] and before.operators[place]:
        found.append(("the operator is gone", *place))
    return found
