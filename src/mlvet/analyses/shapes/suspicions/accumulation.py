"""Loops that compute gradients and take steps but never clear the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.core.evidence import Related
from mlvet.ir.program import Act, Event

RULE = "no-zero-grad"


def accumulation(events: Sequence[Event]) -> Suspicions:
    """Steps in a loop that also computes gradients, where nothing in the loop clears those of the same parameters."""
    clearings = _distinct(events, Act.CLEARED)
    if any(not event.complete for event in clearings):
        return
    gradients = _distinct(events, Act.DERIVED)
    for step in _distinct(events, Act.STEPPED):
        for gradient in gradients if step.values else ():
            loop = _shared(step, gradient)
            if loop and not any(_clears(each, step, loop) for each in clearings) and not _is_made(events, step, loop):
                yield _told(step, gradient, clearings)
                break


def _distinct(events: Sequence[Event], act: Act) -> list[Event]:
    """Events of one kind, those of other iterations of the same loops left out."""
    found: dict[object, Event] = {}
    for event in events:
        if event.act is act:
            subject = None if act is Act.DERIVED else id(event.subject)
            found.setdefault((subject, event.location, _names(event), event.guards), event)
    return list(found.values())


def _names(event: Event) -> tuple[str, ...]:
    return tuple(each.loop for each in event.loops)


def _shared(left: Event, right: Event) -> tuple[str, ...]:
    """The loops that two events are both in."""
    pairs = zip(_names(left), _names(right), strict=False)
    return tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _clears(clearing: Event, step: Event, loop: tuple[str, ...]) -> bool:
    """Whether gradients of the step's parameters may be cleared in the loop."""
    if _names(clearing)[: len(loop)] != loop:
        return False
    return clearing.subject is step.subject or not set(clearing.values).isdisjoint(step.values)


def _is_made(events: Sequence[Event], step: Event, loop: tuple[str, ...]) -> bool:
    """Whether the optimiser is made anew in the loop, so that it is no loop of its steps."""
    made = (each for each in events if each.act is Act.MADE and each.subject is step.subject)
    return any(_names(each)[: len(loop)] == loop for each in made)


def _told(step: Event, gradient: Event, clearings: Sequence[Event]) -> Suspicion:
    before = [each for each in clearings if each.subject is step.subject]
    where = ", which is cleared before the loop only" if before else ""
    return Suspicion(
        RULE,
        step.location,
        f"the loop computes gradients and takes steps, but nothing in it sets gradients to 0{where}: each step takes "
        "the sum of the gradients of all batches so far; call zero_grad() in each iteration",
        key=step.location,
        guards=step.guards,
        related=(Related("gradients are computed here", gradient.location),),
    )
