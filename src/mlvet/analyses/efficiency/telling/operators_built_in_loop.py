"""Operators that a loop adds to the graph in every iteration."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.building import built_before
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding

_FEW = 10
"""Building this often is not felt beside what a session takes to start."""
_RARE = 100
"""Building once in so many iterations is not felt beside them."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to build before the loop; one for each loop, at the first operator that it builds."""
    loop = context.loops[str(suggested.arguments[1])]
    built = _built(context, loop)
    trips = context.trips(loop)
    if not built or context.expressions[str(suggested.arguments[0])] is not built[0]:
        return None
    if (trips is not None and trips < _FEW) or _mostly_runs(context, loop, built):
        return None
    place = context.program.outline.location
    first, others = built[0], built[1:]
    more = "" if not others else f" and {len(others)} more operator{'s' if len(others) > 1 else ''}"
    often = f"{trips:,} times" if trips is not None else "in every iteration"
    inside = first.function is loop.function and loop in first.loops
    where = f"the loop of line {loop.node.lineno}" + ("" if inside else ", which calls this function,")
    message = (
        f"{where} adds `{context.text(first.node)}`{more} to the graph {often}: the graph grows, and each run first "
        "has to take in what is new"
    )
    related = [Related("the loop runs the graph", context.program.outline.head(loop.node))]
    related += [Related("built in every iteration too", place(each.node)) for each in others[:8]]
    conditions = [] if trips is not None else [f"the loop runs more than {_FEW} times"]
    conditions += [f"`{context.text(test)}` holds often" for test in _tests(context, first, loop)]
    return context.finding(
        suggested, message[0].upper() + message[1:], place(first.node), related=related, conditions=conditions,
        fix=built_before(context, loop, built, bool(suggested.granted)), data={"operators": len(built)},
    )  # fmt: skip


def _built(context: Context, loop: Loop) -> list[Expression]:
    """Everything that a loop builds, in the order of the text, without what is built on first use or seldom."""
    names = [each.arguments for each in context.suggested if each.pattern == "operators-built-in-loop"]
    found = [context.expressions[str(one)] for one, other in names if other == loop.name]
    kept = [
        each
        for each in found
        if not any(_is_first_use(test) or _is_rare(context, test) for test in _tests(context, each, loop))
    ]
    return sorted(kept, key=lambda each: (each.node.lineno, each.node.col_offset))


def _mostly_runs(context: Context, loop: Loop, built: list[Expression]) -> bool:
    """Whether an iteration runs the graph many times in a loop inside, beside which building is not felt."""
    outline = context.program.outline
    return any(
        (usual is None or usual >= _RARE) and any(_runs(context, each) for each in outline.within(inner))
        for inner in outline.loops_in[loop]
        if not any(inner in each.loops for each in built)
        for usual in [context.usual_trips(inner)]
    )


def _runs(context: Context, expression: Expression) -> bool:
    called = isinstance(expression.node, ast.Call)
    return called and any(name.endswith("Session.run") for name in context.program.callees(expression))


def _tests(context: Context, expression: Expression, loop: Loop) -> list[ast.expr]:
    """The conditions inside of a loop, or of the function that it calls, under which an expression is evaluated."""
    found = []
    place = context.runs.blocks.places.get(expression.statement)
    while place is not None and place.statement is not loop.node and not isinstance(place.statement, ast.FunctionDef):
        parent = None if place.parent is None else place.parent.statement
        if isinstance(parent, ast.If):
            found.append(parent.test)
        place = place.parent
    return found


def _is_first_use(test: ast.expr) -> bool:
    """Whether a condition holds once: something is not there yet, or it is the first iteration."""
    for node in ast.walk(test):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return True
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], ast.Is | ast.NotIn):
                return True
            if isinstance(node.ops[0], ast.Eq) and isinstance(node.left, ast.Name):
                return True
    return False


def _is_rare(context: Context, test: ast.expr) -> bool:
    """Whether a condition holds once in many iterations: a count is a multiple of a large number."""
    for node in ast.walk(test):
        match node:
            case ast.BinOp(op=ast.Mod(), right=ast.expr() as every):
                expression = context.program.outline.of_node.get(every)
                seen = None if expression is None else context.program.seen(expression)
                if seen is not None and isinstance(seen.number, int | float) and seen.number >= _RARE:
                    return True
    return False
