"""Loops over single elements that one statement over whole arrays replaces."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.elements import Nest, nests
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.vectorising import LONG_ROW, Unfit, Vectoriser
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_FEW = 30
"""So many elements are not worth a change in a loop that is itself repeated,"""
_FEW_ONCE = 1000
"""and so many not where the loop runs once."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compute with whole arrays, where the statement has a form for them."""
    asked = str(suggested.arguments[0])
    allowed = {str(each.arguments[0]) for each in context.suggested if each.pattern == suggested.pattern}
    found = {each.loops[0].name: each for each in nests(context.program) if each.loops[0].name in allowed}
    nest = found[asked]
    vectoriser = Vectoriser(context, nest)
    statement = _statement(vectoriser)
    outer = [other for other in found.values() if nest.loops[0] in other.loops[1:]]
    if statement is None or any(_statement(Vectoriser(context, other)) is not None for other in outer):
        return None
    counts = [context.trips(each) for each in nest.loops]
    often = 1
    for count in counts:
        often *= 1 if count is None else count
    loop = nest.loops[0]
    least = _FEW if loop.around or not isinstance(loop.function.node, ast.Module) else _FEW_ONCE
    if None not in counts and often < least:
        return None
    place = context.program.outline.location
    known = f"{often:,} elements" if None not in counts else "the elements"
    message = (
        f"`{context.text(nest.statement)}` goes through {known} one at a time, each with calls of its own; no "
        f"iteration needs another: `{statement}` does it in one"
    )
    conditions = [] if None not in counts else [f"the loop runs more than {least} times"]
    conditions += [f"a row has no more than {LONG_ROW:,} elements"] if vectoriser.row is None else []
    return context.finding(
        suggested, message, context.program.outline.head(loop.node),
        related=[Related("the statement of each element", place(nest.statement))], conditions=conditions,
        fix=_fix(context, nest, statement, bool(suggested.granted)), data={"statement": statement},
    )  # fmt: skip


def _statement(vectoriser: Vectoriser) -> str | None:
    try:
        return vectoriser.statement()
    except Unfit:
        return None


def _fix(context: Context, nest: Nest, statement: str, granted: bool) -> Fix:
    title = f"compute with whole arrays: `{statement}`"
    node = context.editable(nest.loops[0].node)
    if not isinstance(node, ast.For) or any(_is_read_later(nest, each) for each in nest.variables):
        return Fix(title)
    edits = (context.edits.replaced(node, statement),)
    if granted:
        return Fix(title, edits, Applicability.UNSAFE, "it rests on the assumptions that the finding lists")
    if nest.reduces:
        return Fix(title, edits, Applicability.UNSAFE, "a sum in another order is rounded otherwise")
    return Fix(
        title,
        edits,
        Applicability.UNSAFE,
        "arrays that share memory, and element types other than the arrays', give other results",
    )


def _is_read_later(nest: Nest, name: str) -> bool:
    """Whether the function reads a loop variable behind the loops before it sets it again."""
    loop = nest.loops[0]
    end = loop.node.end_lineno or 0
    later = [
        each
        for each in ast.walk(loop.function.node)
        if isinstance(each, ast.Name) and each.id == name and each.lineno > end
    ]
    first = min(later, key=lambda each: (each.lineno, each.col_offset), default=None)
    return first is not None and isinstance(first.ctx, ast.Load)
