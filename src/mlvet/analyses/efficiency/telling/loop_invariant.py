"""Work that a loop does again and again with the same result."""

from __future__ import annotations

from math import ceil

from mlvet.analyses.efficiency.costs import Cost
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import Hoist, hoist
from mlvet.analyses.efficiency.telling.meaning import changed_in_place, conditional, doubts, wants_gradients
from mlvet.analyses.efficiency.telling.passing import example
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_LEAST_SHARE = 0.05
"""The part of an iteration that work must take for its removal to be felt."""
_LEAST_SECONDS = 1e-5
"""The time that work must take by itself for its removal to be felt beside what Python does."""

_LEAST_HOSTED = 5e-4
"""The time that work of Python must take in an iteration for its removal to be felt."""
_LEAST_TOTAL = 2e-3
"""The time that the removal of work on tiny tensors must save in a whole run of the program."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to do the work once before the loop, where that saves a part of each iteration worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    outline = context.program.outline
    trips = context.trips(loop)
    if (trips is not None and trips < 2) or _builds(expression, loop) or changed_in_place(context, expression, loop):
        return None
    counted, all_of_it = context.cost(expression), context.cost_of_iteration(loop)
    saved = context.cost_of_one(expression)
    each = context.evaluations(expression, loop)
    hosted = context.host_seconds(expression.node)
    if hosted > max(saved.seconds, _LEAST_HOSTED, _LEAST_SHARE * all_of_it.seconds / each):
        return _hosted(context, suggested, expression, loop)
    share = min(1.0, each * counted.seconds / max(all_of_it.seconds, counted.seconds))
    unknown = all_of_it.guessed or context.works_unseen(loop) or expression.function in context.compiled
    if share < _LEAST_SHARE or not _felt(saved, unknown) or _of_numbers(context, expression):
        return None
    if conditional(context, expression, loop):
        return None
    least = max(2, ceil(_LEAST_TOTAL / (each * saved.seconds))) if saved.is_calling and not saved.guessed else 2
    runs = context.times(loop)
    if runs is not None and runs < least:
        return None
    often = "in every iteration of"
    if trips is not None:
        often = f"{trips:,} times in" if each == 1 else f"in each of {trips:,} iterations of"
    conditions = [] if runs is not None or (trips or 0) >= least else [f"the loop runs at least {least:,} times"]
    amount = f"about {share:.0%} of the tensor work" if not (saved.guessed or unknown) else "its part"
    message = (
        f"`{context.text(expression.node)}` yields the same {often} the loop of line {loop.node.lineno}; "
        f"computed once before the loop it would save {amount} of each iteration"
    )
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("nothing that it reads changes in this loop", outline.head(loop.node))], conditions=conditions,
        fix=_fix(context, suggested, expression, loop), data={"flops": saved.flops, "share": round(share, 3)},
    )  # fmt: skip


def _hosted(context: Context, suggested: Suggested, expression: Expression, loop: Loop) -> Finding | None:
    """Work of Python on many items, which costs more than what is then done with tensors."""
    if conditional(context, expression, loop):
        return None
    trips, outline = context.trips(loop), context.program.outline
    message = (
        f"`{context.text(expression.node)}` goes through the same items with the same result in every iteration of the "
        f"loop of line {loop.node.lineno}; once before the loop is enough"
    )
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("nothing that it reads changes in this loop", outline.head(loop.node))],
        conditions=[] if trips is not None else ["the loop runs at least 2 times"],
        fix=_fix(context, suggested, expression, loop), data={"case": "host"},
    )  # fmt: skip


def _felt(saved: Cost, unknown: bool) -> bool:
    """Whether work is enough to be felt; where sizes or the rest of an iteration are not known dense kernels are."""
    dense = saved.flops > _DENSE_BESIDE_BYTES * saved.bytes
    if saved.guessed:
        return dense
    return saved.flops > 0 and saved.seconds >= _LEAST_SECONDS and (dense or not unknown)


def _of_numbers(context: Context, expression: Expression) -> bool:
    """Whether the work is on single numbers, which costs no more than what Python does around it."""
    nodes = context.nodes_below(expression)
    values = [value for node in nodes for value in (*node.inputs, *node.outputs) if value is not None]
    return bool(values) and all(each.declared.shape == () for each in values)


_DENSE_BESIDE_BYTES = 1.5
"""The operations per byte that only products and convolutions reach."""


def _builds(expression: Expression, loop: Loop) -> bool:
    """Whether the work is part of the making of objects, which programs do once."""
    return "__init__" in (expression.function.title, loop.function.title)


def _fix(context: Context, suggested: Suggested, expression: Expression, loop: Loop) -> Fix:
    recorded = context.trains(loop) and wants_gradients(context, expression)
    under = (context.edits.reference("torch.no_grad") or "torch.no_grad") + "()" if recorded else ""
    moved = hoist(context, expression, loop, under)
    if moved is None:
        return Fix(example(context, expression, loop))
    reasons = doubts(context, expression, loop, moved)
    if recorded:
        reasons.insert(0, "no gradients flow through it any more to what asks for them")
    if suggested.granted:
        reasons.append("it rests on what the finding assumes")
    return Fix(
        _title(moved), moved.edits, Applicability.UNSAFE if reasons else Applicability.SAFE, "; ".join(reasons)
    )  # fmt: skip


def _title(moved: Hoist) -> str:
    last = moved.lines[-1].strip()
    shown = last if len(last) <= 70 else f"{moved.name} = ..."
    return f"`{shown}` before the loop"
