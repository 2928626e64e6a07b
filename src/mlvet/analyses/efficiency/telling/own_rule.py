"""What a rule of the user's own reports."""

from __future__ import annotations

from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.finding import Finding


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The user's words at the expression or loop that the rule names; None where it names neither."""
    place, name, words = map(str, suggested.arguments)
    outline = context.program.outline
    if place in context.expressions:
        location = outline.location(context.expressions[place].node)
    elif place in context.loops:
        location = outline.head(context.loops[place].node)
    else:
        return None
    return context.finding(suggested, f"{words} ({name})", location, data={"name": name})
