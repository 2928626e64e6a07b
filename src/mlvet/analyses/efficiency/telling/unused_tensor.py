"""Tensors that nothing reads."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.bindings import Setting
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_LEAST_SHARE = 0.05
"""The part of an iteration or a function that must be saved for it to be felt."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to leave out what is computed for nothing, where it costs something."""
    expression = context.expressions[str(suggested.arguments[0])]
    settings = [each for each in context.program.bindings.settings if each.value is expression]
    names = [each.target.node.id for each in settings if isinstance(each.target.node, ast.Name)]
    if not names or all(each.startswith("_") for each in names) or not isinstance(expression.statement, ast.Assign):
        return None
    if (
        expression.statement.value is not expression.node
        or expression.statement.targets[0] is not settings[0].target.node
    ):
        return None
    if _is_looked_up(context, names):
        return None
    saved = context.cost(expression)
    loop = expression.loops[-1] if expression.loops else None
    whole = context.cost_of_iteration(loop) if loop is not None else context.cost_of_function(expression.function)
    share = saved.seconds / max(whole.seconds, saved.seconds)
    if not saved.flops or share < _LEAST_SHARE:
        return None
    followers = _followers(context, settings)
    if any(_is_tried(context, each.target.statement) for each in (*settings, *followers)):
        return None
    place = context.program.outline.location
    unread = f"nothing reads `{names[0]}`"
    if followers:
        only = ", ".join(sorted({f"`{each.name.partition('.')[2]}`" for each in followers}))
        unread = f"`{names[0]}` serves {only} only, which nothing reads"
    of = "each iteration" if loop is not None else f"`{expression.function.title}`"
    message = f"{unread}: without it about {share:.0%} of {of} would be saved"
    return context.finding(
        suggested, message[0].upper() + message[1:], place(expression.node),
        related=[Related("computed from it and not read", place(each.value.node)) for each in followers if each.value],
        fix=_fix(context, [*settings, *followers], names[0]), data={"share": round(share, 3)},
    )  # fmt: skip


def _is_looked_up(context: Context, names: list[str]) -> bool:
    """Whether names are deleted somewhere, or can be read by their text."""
    outline = context.program.outline
    return outline.reads_by_text or not outline.deleted.isdisjoint(names)


def _is_tried(context: Context, statement: ast.stmt) -> bool:
    """Whether somebody waits for a statement to fail."""
    inner: ast.AST = statement
    outer = context.parents.get(inner)
    while outer is not None:
        if isinstance(outer, ast.Try) and outer.handlers and inner in outer.body:
            return True
        if isinstance(outer, ast.With) and any("raises" in ast.unparse(each.context_expr) for each in outer.items):
            return True
        inner, outer = outer, context.parents.get(outer)
    return False


def _followers(context: Context, settings: list[Setting]) -> list[Setting]:
    """The names that are computed from unread ones, which are unread too."""
    found: list[Setting] = []
    pending = list(settings)
    while pending:
        name = pending.pop().name
        for read, of in context.program.bindings.reads:
            if of != name:
                continue
            for each in context.program.bindings.settings:
                inside = each.value is not None and any(node is read.node for node in ast.walk(each.value.node))
                if inside and each not in found and each not in settings:
                    found.append(each)
                    pending.append(each)
    return found


def _fix(context: Context, settings: list[Setting], name: str) -> Fix:
    title = f"leave out `{name}`" if len(settings) == 1 else f"leave out `{name}` and what is computed from it"
    edits: list[Edit] = []
    text = context.edits
    for statement in dict.fromkeys(each.target.statement for each in settings):
        node = context.editable(statement)
        if not isinstance(node, ast.Assign) or not text.begins_line(node):
            return Fix(title)
        parent = text.parents[node]
        if any(getattr(parent, block, None) == [node] for block in ("body", "orelse", "finalbody")):
            edits.append(text.replaced(node, "pass"))
            continue
        end = node.end_lineno or node.lineno
        if text.line(end)[text.end(node)[1] - 1 :].strip()[:1] not in ("", "#"):
            return Fix(title)
        edits.append(text.removed((node.lineno, 1), (end + 1, 1)))
    return Fix(title, tuple(edits), Applicability.SAFE)
