"""Findings with the edits that cure them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from time import process_time

from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.analyses.shapes.remedies.axes import other_axes
from mlvet.analyses.shapes.remedies.choosing import chosen, in_words
from mlvet.analyses.shapes.remedies.elements import retyped
from mlvet.analyses.shapes.remedies.layouts import layouts, losses
from mlvet.analyses.shapes.remedies.needless import left_out
from mlvet.analyses.shapes.remedies.numbers import exchanged, numbers
from mlvet.analyses.shapes.remedies.places import Place, place, result_of, spans
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.shapes.remedies.rearrangements import flattened, reordered, with_ones
from mlvet.analyses.shapes.remedies.reshapes import fed, in_place_of_saying, targets
from mlvet.analyses.shapes.remedies.sequences import with_flatten
from mlvet.analyses.shapes.remedies.suggestions import ON_OPERANDS, suggested
from mlvet.analyses.shapes.remedies.trials import Judgement, Lines, Mark, Reading, Trials, judgement
from mlvet.analyses.text import Text
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.core.location import Location
from mlvet.domains.claims import Relation
from mlvet.frontends.python.observations import Observation
from mlvet.frontends.python.program import Interpreted
from mlvet.ir.host import Span

_MOST_FINDINGS = 4
"""The most findings of one program that are given a cure."""
_TYPES, _BROADCAST = "dtype-differs", "broadcast-mismatch"
_HELPING = {
    "annotation-differs": frozenset[Kind](),
    "size-out-of-range": frozenset((Kind.NUMBER,)),
    "illegal-argument": frozenset((Kind.NEEDLESS,)),
    "shape-not-static": frozenset((Kind.NEEDLESS,)),
    "reshape-size": frozenset((Kind.NUMBER,)),
    "axis-out-of-range": frozenset((Kind.AXIS, Kind.NEEDLESS, Kind.ONES)),
    "kernel-larger-than-input": frozenset((Kind.LAYOUT, Kind.NEEDLESS, Kind.ORDER, Kind.NUMBER)),
}
"""The kinds of proposals that can put an error right, where it is not all."""
_MISSING_FLATTEN = frozenset(("matmul-inner-dims", "dims-differ", "rank-differs", "broadcast-mismatch"))
_MOST_STEPS = 100_000
"""The most steps of a program that is worth trying again."""


def remedied(
    findings: Iterable[Finding],
    causes: Mapping[int, Contradiction],
    found: Interpreted,
    texts: Mapping[str, str],
    reading: Reading,
) -> list[Finding]:
    """Findings, each with a fix if an edit is surely a cure, or with advice if one is likely.

    `causes` has the contradictions that findings tell of, by the identity of the finding.
    """
    told = list(findings)
    if not told or found.steps > _MOST_STEPS:
        return told
    remedies = _Remedies(judgement(found, told), texts, reading)
    return [
        replace(each, fix=remedies.of(each, causes.get(id(each))))
        if each.fix is None and number < _MOST_FINDINGS
        else each
        for number, each in enumerate(told)
    ]


class _Remedies:
    """The cures of one program."""

    def __init__(self, before: Judgement, texts: Mapping[str, str], reading: Reading) -> None:
        self._texts = {path: Text(path, text) for path, text in texts.items() if _parses(text)}
        self._before = before
        self._trials = Trials(reading, texts)
        self._reading = reading
        self._seen: Mapping[Span, Observation] = {}

    def of(self, finding: Finding, cause: Contradiction | None) -> Fix | None:
        if cause is None:
            return self._suggested(finding)
        places = [finding.location, *(each.demand.node.location for each in cause.also)]
        self._watch([each for each in places if each is not None])
        target = Lines(()).mark(finding)
        helping = _HELPING.get(finding.rule, frozenset(Kind))
        proposals = [each for each in self._proposals(finding, cause) if each.kind in helping]
        fix = chosen(
            proposals, self._trials, self._before, target, lambda mark: self._alike(finding, mark),
            merged=finding.rule == _BROADCAST,
        )  # fmt: skip
        if fix is None:
            likely = [each.title for each in numbers(cause.demand, self._texts)]
            return in_words(likely) if likely else None
        return fix

    def _suggested(self, finding: Finding) -> Fix | None:
        text = self._texts.get(finding.location.path)
        if text is None:
            return None
        where = result = None
        if finding.rule in ON_OPERANDS:
            self._watch([finding.location])
            where = self._place(finding.location)
            result = None if where is None else result_of(where, self._seen)
        proposals = list(suggested(finding, text, where, result))
        target = Lines(()).mark(finding)
        return chosen(proposals, self._trials, self._before, target, lambda mark: self._suggested_alike(finding, mark))

    def _suggested_alike(self, finding: Finding, mark: Mark) -> Proposals:
        """Proposals where the same is suspected of another place that calls the same."""
        text = self._texts.get(finding.location.path)
        if text is None or mark[0] != finding.rule or finding.rule not in ON_OPERANDS:
            return
        for each in _siblings(text, finding.location):
            if each.line == mark[2] and (found := self._place(each)) is not None:
                yield from suggested(finding, text, found, result_of(found, self._seen))

    def _watch(self, locations: Iterable[Location]) -> None:
        """See what the operands at some places are, and at those that call the same."""
        wanted: set[Span] = set()
        for location in locations:
            text = self._texts.get(location.path)
            if text is not None:
                for each in (location, *_siblings(text, location)):
                    wanted.update(spans(text, each))
        if not wanted <= self._seen.keys():
            started = process_time()
            self._seen = {**self._seen, **self._reading({}, frozenset(wanted)).observations}
            self._trials.seconds += process_time() - started

    def _proposals(self, finding: Finding, cause: Contradiction) -> Proposals:
        where = self._place(finding.location)
        if where is not None and not cause.demand.constraint.assumed:
            yield from self._here(finding, where, cause)
        yield from exchanged(cause.demand, self._texts)
        yield from numbers(cause.demand, self._texts)

    def _here(self, finding: Finding, where: Place, cause: Contradiction) -> Proposals:
        where = replace(where, sides=_sides(cause))
        others = [list(_local(finding, replace(each, sides=where.sides))) for each in self._also(cause)]
        for proposal in _local(finding, where):
            yield _spread(proposal, others)
        yield from losses(where)
        if finding.rule != _TYPES:
            yield from layouts(where)
            yield from left_out(where)
            if finding.rule in _MISSING_FLATTEN:
                yield from with_flatten(where)
            yield from in_place_of_saying(where)

    def _also(self, cause: Contradiction) -> Iterator[Place]:
        for each in cause.also:
            location = each.demand.node.location
            found = None if location is None else self._place(location)
            if found is not None:
                yield found

    def _alike(self, finding: Finding, mark: Mark) -> Iterator[Proposal]:
        """Proposals for other places of the file that call the same and come to fail."""
        text = self._texts.get(finding.location.path)
        rule, path, line = mark
        if text is None or rule != finding.rule or path != text.path:
            return
        for each in _siblings(text, finding.location):
            if each.line == line and (found := self._place(each)) is not None:
                yield from _local(finding, found)

    def _place(self, location: Location) -> Place | None:
        text = self._texts.get(location.path)
        return None if text is None else place(text, location, self._seen)


def _local(finding: Finding, where: Place) -> Proposals:
    """Changes of the operands of one expression."""
    if finding.rule == _TYPES:
        yield from retyped(where)
        return
    yield from other_axes(where)
    yield from flattened(where)
    yield from fed(where)
    yield from reordered(where)
    yield from with_ones(where)
    yield from targets(where)


def _sides(cause: Contradiction) -> tuple[int, int] | None:
    """The two numbers that should be one, if it is numbers."""
    constraint = cause.demand.constraint
    left, right = constraint.left, constraint.right
    if constraint.relation in (Relation.EQUAL, Relation.BROADCAST) and isinstance(left, int) and isinstance(right, int):
        return int(left), int(right)
    return None


def _spread(proposal: Proposal, others: list[list[Proposal]]) -> Proposal:
    """A proposal made at all places that fail alike."""
    edits = list(proposal.edits)
    for each in others:
        first = next((other for other in each if other.is_like(proposal)), None)
        edits += first.edits if first is not None else ()
    return replace(proposal, edits=tuple(dict.fromkeys(edits)))


def _siblings(text: Text, location: Location) -> list[Location]:
    """Other calls of what is called at a place."""
    node = text.at(location)
    if not isinstance(node, ast.Call):
        return []
    called = ast.dump(node.func)
    return [text.place(each) for each in text.calls() if each is not node and ast.dump(each.func) == called]


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
