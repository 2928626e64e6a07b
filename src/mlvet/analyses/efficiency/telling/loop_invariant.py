"""Work that a loop does again and again with the same result."""

from __future__ import annotations

from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding

_LEAST_SHARE = 0.05
"""The part of an iteration that work must take for its removal to be felt."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to do the work once before the loop, where that saves a part of each iteration worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    outline = context.program.outline
    saved, all_of_it = context.cost(expression), context.cost_of_iteration(loop)
    trips = context.trips(loop)
    if saved.flops == 0 or (trips is not None and trips < 2):
        return None
    share = saved.seconds / max(all_of_it.seconds, saved.seconds)
    if share < _LEAST_SHARE:
        return None
    often = f"{trips:,} times" if trips is not None else "in every iteration"
    conditions = [] if trips is not None else ["the loop runs at least 2 times"]
    message = (
        f"`{context.text(expression.node)}` yields the same {often} in the loop of line {loop.node.lineno}; "
        f"computed once before the loop it would save about {share:.0%} of each iteration"
    )
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("nothing that it reads changes in this loop", outline.head(loop.node))], conditions=conditions,
        data={"flops": saved.flops, "share": round(share, 3)},
    )  # fmt: skip
