"""Evaluation of a model whose dropout or batch norm still trains."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.analyses.shapes.suspicions.lineage import Lineage
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.ir.graph import Value
from mlvet.ir.program import Act, Event

RULE, LASTING = "no-eval-mode", "dropout-never-off"
_OPEN = frozenset(("no gradients", "drops"))
_JUDGED = frozenset((
    "arg_max", "equal", "softmax_cross_entropy_loss", "negative_log_likelihood_loss", "mse_loss", "l1_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "smooth_l1_loss", "huber_loss",
))  # fmt: skip
"""Operators by which outputs are compared with labels."""
_FEW = 12


def evaluation(lineage: Lineage, events: Sequence[Event]) -> Suspicions:
    """Calls without gradients whose results are judged, of a model that the program trains and does not set to eval."""
    calls = [n for n, each in enumerate(events) if each.act is Act.CALLED and each.facts >= _OPEN]
    if not calls or any("uncalled" in events[n].facts for n in calls):
        return
    trained = {value for each in events if each.act is Act.STEPPED for value in each.values}
    learned_from = lineage.origins(value for each in events if each.act is Act.DERIVED for value in each.values)
    for n in calls:
        call = events[n]
        if trained.isdisjoint(call.values) or not learned_from.isdisjoint(call.results):
            continue
        if _trains(call, events[:n], events) and _judged(lineage, call.results):
            yield Suspicion(
                RULE,
                call.location,
                "the model is evaluated without gradients, but its dropout or batch norm still works as in training, "
                "since eval() is not called: results hang on chance and on the batch; call eval() before and train() "
                "after",
                key=call.location,
                guards=call.guards,
            )


def _trains(call: Event, before: Sequence[Event], events: Sequence[Event]) -> bool:
    """Whether the model is surely in training mode: never set to another, or set to train and trained just before."""
    values = set(call.values)
    if not any(_concerns(each, values) for each in events if each.act is Act.EVALUATING):
        return True
    last = next((n for n in range(len(before) - 1, -1, -1) if _sets_mode(before[n], values)), None)
    if last is None or before[last].act is not Act.TRAINING or "perhaps" in before[last].facts:
        return False
    set_at = before[last]
    loops = call.loops[: len(set_at.loops)] == set_at.loops
    stepped = any(each.act is Act.STEPPED and not values.isdisjoint(each.values) for each in before[last:])
    return loops and set(set_at.guards) <= set(call.guards) and stepped


def _sets_mode(event: Event, values: set[Value]) -> bool:
    return event.act in (Act.TRAINING, Act.EVALUATING) and _concerns(event, values)


def _concerns(event: Event, values: set[Value]) -> bool:
    return not event.values or not values.isdisjoint(event.values)


def lasting_dropout(events: Sequence[Event]) -> Suspicions:
    """Dropout that goes on in a model that is set to be evaluated."""
    for event in events:
        if event.act is Act.DROPPED and "uncalled" not in event.facts:
            yield Suspicion(
                LASTING,
                event.location,
                "this dropout goes on in a model that is set to eval(), since nothing tells it so: results hang on "
                "chance; keep an nn.Dropout in the module, or pass training=self.training",
                key=event.location,
                guards=event.guards,
            )


def _judged(lineage: Lineage, results: Sequence[Value]) -> bool:
    pending = [(value, _FEW) for value in results]
    seen = set(results)
    while pending:
        value, steps = pending.pop()
        for user in lineage.users(value):
            if user.op in _JUDGED:
                return True
            for each in user.outputs if steps else ():
                if each not in seen:
                    seen.add(each)
                    pending.append((each, steps - 1))
    return False
