"""A tensor that grows by concatenation in a loop, which copies all of it in every iteration."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import inserted_after, inserted_before, stands_alone
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_LEAST_SHARE = 0.05
_BYTES = 5e9
_CALL = 4e-6
_COUNTS = (10, 100, 1_000, 10_000)
"""How often a loop may have to run for the suggestion to pay."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to gather the parts in a list and to join them once, where the copies take a part worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    node = expression.node
    assert isinstance(node, ast.Call)
    parts = _parts(node)
    if not parts:
        return None
    trips = _trips(context, expression, loop)
    rest = max(0.0, context.cost_of_iteration(expression.loops[-1]).seconds - context.own_cost(expression).seconds)
    added = sum(_bytes(context, each) for each in parts)
    counts = [trips] if trips is not None else list(_COUNTS)
    enough = next((n for n in counts if _share(n, added, rest) >= _LEAST_SHARE), None)
    if enough is None or enough < _COUNTS[0]:
        return None
    outline = context.program.outline
    name = _grown(node)
    message = (
        f"`{context.text(node)}` copies all of `{name}` in every iteration of the loop in line {loop.node.lineno}; "
        f"parts gathered in a list and joined once after the loop are copied once"
    )
    conditions = [] if trips is not None else [f"the loop runs at least {enough:,} times"]
    return context.finding(
        suggested, message, outline.location(node),
        related=[Related(f"nobody looks at `{name}` before the loop ends", outline.head(loop.node))],
        conditions=conditions, fix=_fix(context, expression, loop, name, parts), data={"bytes": added, "trips": trips},
    )  # fmt: skip


def _parts(node: ast.Call) -> list[ast.expr]:
    """What is added, without what has grown so far."""
    if isinstance(node.args[0], ast.Name):
        return node.args[1:2]
    return node.args[0].elts[1:] if isinstance(node.args[0], ast.List | ast.Tuple) else []


def _grown(node: ast.Call) -> str:
    first = node.args[0]
    return ast.unparse(first.elts[0] if isinstance(first, ast.List | ast.Tuple) else first)


def _trips(context: Context, expression: Expression, loop: Loop) -> int | None:
    """How often it grows in all: the product over the loops up to the outermost in which it grows."""
    total = 1
    for each in reversed(expression.loops):
        found = context.trips(each)
        if found is None:
            return None
        total *= found
        if each is loop:
            break
    return total


def _bytes(context: Context, part: ast.expr) -> float:
    seen = context.program.seen(context.program.outline.of_node[part])
    if seen is None or seen.tensor is None:
        return 8.0 if seen is not None and seen.kind == "number" else 4.0 * 32
    return 4 * context.sizes.of(seen.tensor)[0]


def _share(trips: int, added: float, rest: float) -> float:
    """The part of a loop that copying takes: half of the final size in each iteration, read and written."""
    copying = trips * added / _BYTES + _CALL
    return (copying - 2 * added / _BYTES) / (copying + rest)


def _fix(context: Context, expression: Expression, loop: Loop, name: str, parts: list[ast.expr]) -> Fix:
    node, text = expression.node, context.edits
    assert isinstance(node, ast.Call)
    gathered = f"{name}_parts"
    flat = isinstance(node.args[0], ast.Name) and not _axis(node)
    axis = "".join(f", {ast.unparse(each)}" for each in node.args[1 if not _is_append(node) else 2 :])
    axis += "".join(f", {each.arg}={ast.unparse(each.value)}" for each in node.keywords)
    function = ast.unparse(node.func)
    if _is_append(node):
        function = f"{function.rpartition('.')[0]}.concatenate"
    joined = f"{name} = {function}({gathered}{axis})"
    module = function.rpartition(".")[0]
    first = f"{module}.ravel({name})" if flat else name
    added = [f"{module}.ravel({ast.unparse(each)})" if flat else ast.unparse(each) for each in parts]
    put = f"{gathered}.append({added[0]})" if len(added) == 1 else f"{gathered}.extend([{', '.join(added)}])"
    title = f"`{gathered} = [{first}]` before the loop, `{put}` in it, `{joined}` after it"
    statement, outer = context.editable(expression.statement), context.editable(loop.node)
    taken = any(isinstance(each, ast.Name) and each.id == gathered for each in ast.walk(text.tree))
    plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(outer, ast.For | ast.While)
    named = not _is_append(node) or bool(module)
    if taken or not named or not plain or not isinstance(statement, ast.stmt) or not isinstance(outer, ast.stmt):
        return Fix(title)
    if not text.begins_line(outer) or not stands_alone(text, statement) or any(map(_starred, parts)):
        return Fix(title)
    edits = (
        inserted_before(text, outer, f"{gathered} = [{first}]"),
        text.replaced(statement, put),
        inserted_after(text, outer, joined),
    )
    return Fix(
        title, edits, Applicability.UNSAFE, "a part that is changed in place after it was added changes the result"
    )


def _is_append(node: ast.Call) -> bool:
    return isinstance(node.args[0], ast.Name)


def _axis(node: ast.Call) -> bool:
    return len(node.args) > 2 or any(each.arg == "axis" for each in node.keywords)


def _starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)
