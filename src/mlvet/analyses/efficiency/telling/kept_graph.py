"""A tensor that is kept together with the graph that it was computed by."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to keep the value of the tensor without its graph."""
    expression = context.expressions[str(suggested.arguments[0])]
    keeper = context.expressions[str(suggested.arguments[1])]
    loop = context.loops[str(suggested.arguments[2])]
    trips = context.trips(loop)
    if trips is not None and trips < 2:
        return None
    outline = context.program.outline
    name, holder = context.text(expression.node), _holder(context, keeper)
    message = (
        f"`{name}` is added to `{holder}` with the graph that computed it, so that the graphs of all iterations stay "
        f"in memory as long as `{holder}` does; `{name}.detach()` keeps the value only"
    )
    node = context.editable(expression.node)
    fix = None
    if isinstance(node, ast.expr):
        edits = context.edits.suffixed(node, ".detach()")
        fix = Fix(f"keep `{name}.detach()`", edits, Applicability.SAFE)
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related(f"`{holder}` outlives the iterations of this loop", outline.head(loop.node))],
        conditions=[] if trips is not None else ["the loop runs at least 2 times"], fix=fix, data={"saves": "memory"},
    )  # fmt: skip


def _holder(context: Context, keeper: Expression) -> str:
    """What gathers: the target of a sum, or what a method such as `append` is called on."""
    match keeper.node:
        case ast.Call(func=ast.Attribute(value=receiver)):
            return context.text(receiver)
    return context.text(keeper.node)
