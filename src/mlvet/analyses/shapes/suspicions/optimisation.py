"""Optimisers that change nothing of the model that is trained: parameters of another, frozen ones, layers left out."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.analyses.shapes.suspicions.lineage import Lineage
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.core.evidence import Related
from mlvet.ir.graph import Value
from mlvet.ir.program import Act, Event

WITHOUT, FROZEN = "optimizer-without-parameters", "frozen-parameters-trained"


def optimisation(lineage: Lineage, events: Sequence[Event]) -> Suspicions:
    """Optimisers whose steps are useless for the losses of the program."""
    optimisers = {id(each.subject): each for each in events if each.act is Act.MADE}
    steps = [each for each in events if each.act is Act.STEPPED and id(each.subject) in optimisers]
    if not steps or not all(each.complete for each in (*optimisers.values(), *steps)):
        return
    yield from _frozen(optimisers, steps)
    changed = {value for each in steps for value in each.values}
    told = set()
    for step in steps:
        made = optimisers[id(step.subject)]
        if id(made) in told or not step.values:
            continue
        mine = {value for each in steps if each.subject is step.subject for value in each.values}
        if mine.isdisjoint(lineage.used):
            left_out = [value for value in _used(lineage, step, events) if value not in changed]
            if not left_out:
                continue
            told.add(id(made))
            yield _other_model(lineage, made, step, left_out)
        else:
            late = _late(lineage, made, mine, changed, events)
            if late:
                told.add(id(made))
                yield _late_layers(lineage, made, step, late)


def _frozen(optimisers: dict[int, Event], steps: Sequence[Event]) -> Suspicions:
    for made in optimisers.values():
        mine = [each for each in steps if each.subject is made.subject]
        if mine and all("frozen" in each.facts for each in mine):
            yield Suspicion(
                FROZEN,
                mine[0].location,
                "all parameters of this optimiser have requires_grad=False, so its steps change nothing; give it the "
                "parameters that should train, or set requires_grad to True",
                key=made.location,
                guards=mine[0].guards,
                related=(Related("the optimiser is made here", made.location),),
            )


def _used(lineage: Lineage, step: Event, events: Sequence[Event]) -> list[Value]:
    """The parameters that the losses hang on whose gradients are computed in the loop of a step, if all are known."""
    beside = [each for each in events if each.act is Act.DERIVED and each.loops[:1] == step.loops[:1]]
    if not all(each.complete for each in beside):
        return []
    found = lineage.origins(value for each in beside for value in each.values)
    return [value for value, parameter in lineage.parameters.items() if value in found and parameter.trainable]


def _late(lineage: Lineage, made: Event, mine: set[Value], changed: set[Value], events: Sequence[Event]) -> list[Value]:
    """Parameters of a model of which the optimiser has others, that came to be after it was made."""
    known = set(list(lineage.parameters)[: made.declared])
    found: dict[Value, None] = {}
    for call in events:
        if call.act is Act.CALLED and not mine.isdisjoint(call.values) and "no gradients" not in call.facts:
            for value in call.values:
                parameter = lineage.parameters.get(value)
                if value not in changed and value not in known and parameter is not None and parameter.trainable:
                    found.setdefault(value)
    return list(found)


def _other_model(lineage: Lineage, made: Event, step: Event, left_out: list[Value]) -> Suspicion:
    names = _named(lineage, left_out)
    return Suspicion(
        WITHOUT,
        made.location,
        f"the loss hangs on {names}, but the optimiser has other parameters, which nothing uses, so its steps do not "
        "train the model; make it with the parameters of the model that is called",
        key=made.location,
        guards=step.guards,
        related=(Related("it takes its steps here", step.location),),
    )


def _late_layers(lineage: Lineage, made: Event, step: Event, late: list[Value]) -> Suspicion:
    return Suspicion(
        WITHOUT,
        made.location,
        f"the model got {_named(lineage, late)} after the optimiser was made, so the optimiser does not have them and "
        "its steps do not train them; make the optimiser when the model is complete",
        key=made.location,
        guards=step.guards,
        related=(Related("it takes its steps here", step.location),),
    )


def _named(lineage: Lineage, values: list[Value]) -> str:
    names = [f"`{lineage.parameters[value].name}` {value.declared}" for value in values]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
