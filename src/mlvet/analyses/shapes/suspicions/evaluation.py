"""Evaluation of a model whose dropout or batch norm still trains."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.analyses.shapes.suspicions.lineage import Lineage
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.ir.graph import Value
from mlvet.ir.program import Act, Event

RULE = "no-eval-mode"
_JUDGED = frozenset((
    "arg_max", "equal", "softmax_cross_entropy_loss", "negative_log_likelihood_loss", "mse_loss", "l1_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "smooth_l1_loss", "huber_loss",
))  # fmt: skip
"""Operators by which outputs are compared with labels."""
_FEW = 12


def evaluation(lineage: Lineage, events: Sequence[Event]) -> Suspicions:
    """Calls without gradients whose results are judged, of a model that the program trains and never sets to eval."""
    calls = [each for each in events if each.act is Act.CALLED and {"no gradients", "drops"} <= each.facts]
    if not calls or any("uncalled" in each.facts for each in calls):
        return
    trained = {value for each in events if each.act is Act.STEPPED for value in each.values}
    evaluated = [each for each in events if each.act is Act.EVALUATING]
    losses = [value for each in events if each.act is Act.DERIVED for value in each.values]
    learned_from = lineage.origins(losses)
    for call in calls:
        values = set(call.values)
        if not values & trained or any(not each.values or values & set(each.values) for each in evaluated):
            continue
        if not learned_from.isdisjoint(call.results) or not _judged(lineage, call.results):
            continue
        yield Suspicion(
            RULE,
            call.location,
            "the model is evaluated without gradients, but its dropout or batch norm still works as in training, since "
            "nothing calls eval(): results hang on chance and on the batch; call eval() before and train() after",
            key=call.location,
            guards=call.guards,
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
