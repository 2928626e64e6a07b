"""The one cure among proposals, or in words those that are likely."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal
from mlvet.analyses.shapes.remedies.trials import Judgement, Mark, Trials, cures, obstacles
from mlvet.core.fix import Applicability, Edit, Fix

Alike = Callable[[Mark], Iterable[Proposal]]
"""The proposals of the same kinds for another place that fails."""
_ROUNDS = 3
_TOLD = 2


def chosen(
    proposals: Iterable[Proposal], trials: Trials, before: Judgement, target: Mark, alike: Alike, merged: bool = False
) -> Fix | None:
    """The cure if only one meaning of a kind is one, where kinds are tried in their order.

    With `merged` an exchange of axes and a new axis count as one kind. Where several are cures they are told in words.
    """
    waiting = sorted(proposals, key=lambda each: _rank(each, merged))
    for _, group in groupby(waiting, key=lambda each: _rank(each, merged)):
        found: dict[Hashable, Proposal] = {}
        for each in group:
            if each.meaning not in found:
                cure = _curing(each, trials, before, target, alike)
                if cure is not None:
                    found[each.meaning] = cure
        if len(found) == 1 and not trials.refused:
            (cure,) = found.values()
            return Fix(cure.title, cure.edits, Applicability.UNSAFE, cure.reason)
        if found:
            return in_words([each.title for each in found.values()])
    return None


def in_words(titles: Sequence[str]) -> Fix:
    """Advice where no edit is sure."""
    return Fix("perhaps " + ", or ".join(titles[:_TOLD]))


def _rank(proposal: Proposal, merged: bool) -> tuple[Kind, int]:
    if merged and proposal.kind in (Kind.ORDER, Kind.ONES):
        return Kind.ORDER, 0
    return proposal.kind, proposal.risk


def _curing(proposal: Proposal, trials: Trials, before: Judgement, target: Mark, alike: Alike) -> Proposal | None:
    """The proposal if it is a cure, made also where the same is wrong and only now shows."""
    for _ in range(_ROUNDS):
        after = trials.judged(proposal.edits)
        if after is None:
            return None
        if cures(before, after, target):
            return proposal
        if target in after.told:
            return None
        more: list[Edit] = []
        for mark in obstacles(before, after, target):
            fitting = [each for each in alike(mark) if each.is_like(proposal)]
            if len(fitting) != 1 or set(fitting[0].edits) <= set(proposal.edits):
                return None
            more += fitting[0].edits
        proposal = replace(proposal, edits=tuple(dict.fromkeys((*proposal.edits, *more))))
    return None
