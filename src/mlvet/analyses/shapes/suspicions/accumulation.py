"""Loops that compute gradients and take steps but never clear the gradients."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.core.evidence import Related
from mlvet.ir.graph import Iteration
from mlvet.ir.program import Act, Event

RULE = "no-zero-grad"


def accumulation(events: Sequence[Event]) -> Suspicions:
    """Steps in a loop that also computes gradients, where nothing in the loop clears those of the same parameters."""
    clearings = [event for event in events if event.act is Act.CLEARED]
    if any(not event.complete for event in clearings):
        return
    gradients = [event for event in events if event.act is Act.DERIVED]
    for step in events:
        if step.act is not Act.STEPPED or not step.values:
            continue
        for gradient in gradients:
            loop = _shared(step.loops, gradient.loops)
            if loop and not any(_clears(each, step, loop) for each in clearings):
                yield _told(step, gradient, clearings)
                break


def _shared(left: Sequence[Iteration], right: Sequence[Iteration]) -> tuple[Iteration, ...]:
    """The loops that two events are both in, in the same iteration."""
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return tuple(left[:count])


def _clears(clearing: Event, step: Event, loop: tuple[Iteration, ...]) -> bool:
    """Whether gradients of the step's parameters may be cleared in an iteration of the loop."""
    names, others = [each.loop for each in loop], [each.loop for each in clearing.loops]
    if others[: len(names)] != names:
        return False
    return clearing.subject is step.subject or bool(set(clearing.values) & set(step.values))


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
