"""Files that a loop reads again in every iteration."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import moved_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_MUTABLE = "what was read is the same object in all iterations, so that a change of it would last"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to read once before the loop."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    trips = context.trips(loop)
    if trips is not None and trips < 2:
        return None
    outline = context.program.outline
    often = f"in each of {trips:,} iterations" if trips is not None else "in every iteration"
    message = (
        f"`{context.text(expression.node)}` reads the same {often} of the loop in line {loop.node.lineno}; read once "
        f"before the loop it is there for all of them"
    )
    conditions = [
        "nobody writes what is read while the loop runs",
        "reading takes a part of each iteration worth having",
    ]
    if trips is None:
        conditions.append("the loop runs at least 2 times")
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("none of its arguments changes in this loop", outline.head(loop.node))], conditions=conditions,
        fix=_fix(context, expression, loop),
    )  # fmt: skip


def _fix(context: Context, expression: Expression, loop: Loop) -> Fix:
    title = f"`{context.text(expression.node)}` before the loop"
    text = context.edits
    statement, outer = context.editable(expression.statement), context.editable(loop.node)
    if loop not in expression.loops:
        title = f"call what reads with `{context.text(expression.node)}` before the loop, and pass on what it yields"
    if (
        not isinstance(statement, ast.Assign)
        or not isinstance(outer, ast.stmt)
        or text.parents.get(statement) is not outer
    ):
        return Fix(title)
    stores = [each.id for each in ast.walk(outer) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    targets = [
        each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    read = {each.id for each in ast.walk(statement.value) if isinstance(each, ast.Name)}
    if read & set(stores) or any(stores.count(each) > 1 for each in targets) or not targets:
        return Fix(title)
    edits = moved_before(text, statement, outer)
    return Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, _MUTABLE)
