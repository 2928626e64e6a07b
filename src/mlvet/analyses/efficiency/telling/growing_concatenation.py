"""A tensor that grows by concatenation in a loop, which copies all of it in every iteration."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.growths import (
    Growth,
    Look,
    growth,
    items_looked_at,
    returns_inside,
    sizes_looked_at,
)
from mlvet.analyses.efficiency.telling.merging import joined
from mlvet.analyses.efficiency.telling.moves import inserted_after, inserted_before, stands_alone
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_LEAST_SHARE = 0.05
_BYTES = 5e9
_CALL = 4e-6
_TABLE_CALL = 2e-4
"""Seconds that pandas takes to join tables however small they are."""
_UNSEEN = 1e-3
"""Seconds that work is taken to need of which nobody knows what it is."""
_COUNTS = (50, 500, 5_000)
"""How often a loop may have to run for the suggestion to pay."""
_BUFFERS = ("numpy", "torch")
"""Libraries whose arrays are written in place."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """One suggestion for all that grows in one block of a loop, told at the first of them that is worth having."""
    beside = _beside(context, suggested)
    if next((each for each in beside if _alone(context, each) is not None), None) is not suggested:
        return None
    return joined([found for found in (_alone(context, each) for each in beside) if found is not None])


def _beside(context: Context, suggested: Suggested) -> list[Suggested]:
    """What is suggested of statements of the same block for the same loop, in their order."""
    statement = context.expressions[str(suggested.arguments[0])].statement
    parts = (each for _, each in ast.iter_fields(context.parents[statement]) if isinstance(each, list))
    block = {each: place for place, each in enumerate(next(part for part in parts if statement in part))}
    found: dict[int, Suggested] = {}
    for each in context.suggested:
        if each.pattern == suggested.pattern and each.arguments[1] == suggested.arguments[1]:
            place = block.get(context.expressions[str(each.arguments[0])].statement)
            if place is not None:
                found.setdefault(place, each)
    return [found[place] for place in sorted(found)]


def _alone(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to gather the parts in a list and to join them once, where the copies take a part worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    if suggested.arguments[2:] == ("row",):
        return _row(context, suggested, expression, loop)
    found = growth(context, expression)
    if found is None:
        return None
    items = items_looked_at(context, found, loop)
    if items is None or (any(not each.last for each in items) and found.library not in _BUFFERS):
        return None
    every = _every(context, expression, loop)
    trips, usual = (_trips(expression, loop, count, every) for count in (context.trips, context.usual_trips))
    innermost = expression.loops[-1] if expression.loops else loop
    rest = max(0.0, context.cost_of_iteration(innermost).seconds - context.own_cost(expression).seconds)
    unseen = context.works_unseen(innermost)
    if unseen:
        rest = max(rest, _UNSEEN)
    added = sum(_bytes(context, each) for each in found.parts)
    counts = [trips] if trips is not None else list(_COUNTS[:-1] if unseen else _COUNTS)
    if trips is None and usual is not None:
        counts = [*(each for each in counts if each < usual), usual]
    call = _TABLE_CALL if found.library == "pandas" else _CALL
    enough = next((n for n in counts if _share(n, added, rest, call) >= _LEAST_SHARE), None)
    if enough is None or enough < _COUNTS[0]:
        return None
    outline = context.program.outline
    looks = [*items, *sizes_looked_at(context, found, loop)]
    buffered = any(not each.last for each in items)
    cure = "parts gathered in a list and joined once after the loop are copied once"
    if buffered:
        cure = "one that has its full size before the loop is written row by row, and a slice of it is no copy"
    message = (
        f"`{context.text(expression.node)}` copies all of `{found.name}` in every iteration of the loop in line "
        f"{loop.node.lineno}; {cure}"
    )
    often = f"`{found.name}` grows" if every is None else "the loop runs"
    conditions = [] if trips is not None else [f"{often} at least {enough * (every or 1):,} times"]
    seen = [Related(f"of `{found.name}` only this is looked at in the loop", each.place) for each in looks]
    nobody = [Related(f"nobody looks at `{found.name}` before the loop ends", outline.head(loop.node))]
    fix = Fix(_counsel(found, looks, buffered)) if looks else _fix(context, loop, found)
    if loop not in expression.loops or returns_inside(context, found, loop):
        fix = Fix(f"keep the parts in a list, and join them where `{found.name}` is read")
    return context.finding(
        suggested, message, outline.location(expression.node), related=seen[:3] or nobody, conditions=conditions,
        fix=fix, data={"bytes": added, "trips": trips},
    )  # fmt: skip


def _row(context: Context, suggested: Suggested, expression: Expression, loop: Loop) -> Finding | None:
    """A row that is set behind the last of a table."""
    trips = context.trips(loop)
    if trips is not None and trips < _COUNTS[0]:
        return None
    node = expression.node
    assert isinstance(node, ast.Subscript)
    assert isinstance(node.value, ast.Attribute)
    name = ast.unparse(node.value.value)
    pandas = context.edits.reference("pandas") or "pd"
    joined = f"{name} = {pandas}.concat([{name}, {pandas}.DataFrame(rows, columns={name}.columns)])"
    message = (
        f"`{context.text(node)}` sets a row behind the last, which copies all of `{name}` in every iteration of the "
        f"loop in line {loop.node.lineno}; rows gathered in a list make a table once"
    )
    conditions = [] if trips is not None else [f"the loop runs at least {_COUNTS[0]} times"]
    return context.finding(
        suggested, message, context.program.outline.location(node), conditions=conditions,
        fix=Fix(f"`rows.append(...)` in the loop, `{joined}` after it"), data={"case": "row", "trips": trips},
    )  # fmt: skip


def _every(context: Context, expression: Expression, loop: Loop) -> int | None:
    """In how many iterations it grows once, by conditions such as `step % 10 == 0`; None if that is not known."""
    every = 1
    node: ast.AST = expression.statement
    while node is not loop.node and node in context.parents:
        node = context.parents[node]
        if isinstance(node, ast.If):
            for each in (each for each in ast.walk(node.test) if _is_remainder(each)):
                seen = context.program.seen(context.program.outline.of_node[each.right])
                if seen is None or not isinstance(seen.number, int) or seen.number < 1:
                    return None
                every *= seen.number
    return every


def _is_remainder(node: ast.AST) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


def _trips(
    expression: Expression, loop: Loop, count: Callable[[Loop], int | None], every: int | None
) -> int | None:  # fmt: skip
    """How often it grows in all: the product over the loops up to the outermost in which it grows."""
    if every is None:
        return None
    if loop not in expression.loops:
        found = count(loop)
        return None if found is None else found // every
    total = 1
    for each in reversed(expression.loops):
        found = count(each)
        if found is None:
            return None
        total *= found
        if each is loop:
            break
    return total // every


def _bytes(context: Context, part: ast.expr) -> float:
    seen = context.program.seen(context.program.outline.of_node[part])
    if seen is None or seen.tensor is None:
        return 8.0 if seen is not None and seen.kind == "number" else 4.0 * 32
    return 4 * context.sizes.of(seen.tensor)[0]


def _share(trips: int, added: float, rest: float, call: float) -> float:
    """The part of a loop that copying takes: half of the final size in each iteration, read and written."""
    copying = trips * added / _BYTES + call
    return (copying - 2 * added / _BYTES) / (copying + rest)


def _counsel(found: Growth, looks: list[Look], buffered: bool) -> str:
    """What to do where the loop looks at sizes or items."""
    if buffered:
        return (
            f"make `{found.name}` of its final size before the loop with `{found.library_name}.empty`, and write each "
            f"new part of it in the loop"
        )
    put = _steps(found)
    if any(each.last for each in looks):
        put += f"; the last item is in `{found.gathered}[-1]`"
    if any(not each.item for each in looks):
        put += "; count the rows in a number of their own"
    return put


def _steps(found: Growth) -> str:
    return f"`{found.begin}` before the loop, `{found.put}` in it, `{found.joined}` after it"


def _fix(context: Context, loop: Loop, found: Growth) -> Fix:
    text = context.edits
    title = _steps(found)
    replaced, outer = context.editable(found.statement), context.editable(loop.node)
    taken = found.gathered in context.used_names
    fits = isinstance(replaced, ast.stmt) and isinstance(outer, ast.For | ast.While | ast.AsyncFor)
    if taken or not fits or not found.plain or not isinstance(replaced, ast.stmt) or not isinstance(outer, ast.stmt):
        return Fix(title)
    if not text.begins_line(outer) or not stands_alone(text, replaced):
        return Fix(title)
    begin, after = found.begin, found.joined
    if found.begins_empty:
        begin = f"{found.gathered} = [] if {found.name} is None else [{found.name}]"
        after = f"if {found.gathered}:\n{text.indentation(outer)}    {found.joined}"
    edits = (
        inserted_before(text, outer, begin),
        text.replaced(replaced, found.put),
        inserted_after(text, outer, after),
    )
    reason = "a part that is changed in place after it was added changes the result"
    return Fix(title, edits, Applicability.UNSAFE, reason)
