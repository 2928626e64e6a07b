"""Work in a function that a loop calls: how to compute it once before the loop and pass it on."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import before, new_name
from mlvet.core.fix import Edit


def example(context: Context, expression: Expression, loop: Loop) -> str:
    """Lines that can be run in place of a loop, with the work of an expression before it."""
    held = _held(context, expression)
    if loop in expression.loops:
        return f"before the loop of line {loop.node.lineno}:\n{held} = {ast.unparse(expression.node)}"
    call = call_in(context, expression.function, loop)
    work = None if call is None else in_names_of(context, expression.function, expression.node, call)
    if call is None or work is None:
        return f"compute `{context.text(expression.node)}` once before the loop and pass it on"
    passed = deepcopy(call)
    passed.keywords.append(ast.keyword(held, ast.Name(held, ast.Load())))
    parameter = f"let `{expression.function.title}` take `{held}` instead of computing it"
    return f"{parameter}:\n{held} = {ast.unparse(work)}\n{_head(loop)}\n    {ast.unparse(passed)}"


def passed_on(context: Context, function: Function, loop: Loop, hoisted: Sequence[str]) -> tuple[Edit, ...] | None:
    """The edits that compute assignments before a loop and pass their names to a function that it calls.

    The assignments are in the names of the function. None if the function is called elsewhere too, or in a way that
    cannot take more arguments.
    """
    call = call_in(context, function, loop)
    node = function.node
    if call is None or isinstance(node, ast.Module | ast.Lambda) or isinstance(loop.node, COMPREHENSIONS):
        return None
    uses = [each for each in context.program.outline.expressions if _names(each.node, function.title)]
    last = [*call.args, *(each.value for each in call.keywords)][-1:]
    plain = not (node.args.vararg or node.args.kwonlyargs or node.args.kwarg or node.args.defaults)
    if [each.node for each in uses] != [call.func] or not plain or not node.args.args or not last:
        return None
    if any(each.arg is None for each in call.keywords) or not context.edits.begins_line(loop.node):
        return None
    lines, names = [], []
    for each in hoisted:
        assigned = ast.parse(each).body[0]
        assert isinstance(assigned, ast.Assign)
        work = in_names_of(context, function, assigned.value, call)
        if work is None or _set_inside(context, work, loop):
            return None
        names.append(ast.unparse(assigned.targets[0]))
        lines.append(f"{names[-1]} = {ast.unparse(work)}")
    more = [f"{name}={name}" for name in names] if call.keywords else names
    return (
        before(context, loop.node, lines),
        context.edits.inserted(context.edits.end(node.args.args[-1]), "".join(f", {name}" for name in names)),
        context.edits.inserted(context.edits.end(last[0]), "".join(f", {each}" for each in more)),
    )


def _names(node: ast.expr, title: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == title) or (isinstance(node, ast.Attribute) and node.attr == title)


def _set_inside(context: Context, work: ast.expr, loop: Loop) -> bool:
    """Whether a loop sets a name that some work reads."""
    read = {each.id for each in ast.walk(work) if isinstance(each, ast.Name)}
    inside = (each.target for settings in context.settings.values() for each in settings if loop in each.target.loops)
    return any(isinstance(each.node, ast.Name) and each.node.id in read for each in inside)


def _held(context: Context, expression: Expression) -> str:
    statement = expression.statement
    if isinstance(statement, ast.Assign) and statement.value is expression.node:
        for each in statement.targets:
            if isinstance(each, ast.Name):
                return each.id
    return new_name(context, expression.node)


def _head(loop: Loop) -> str:
    node = loop.node
    if isinstance(node, COMPREHENSIONS):
        each = node.generators[0]
        return f"for {ast.unparse(each.target)} in {ast.unparse(each.iter)}:"
    if isinstance(node, ast.While):
        return f"while {ast.unparse(node.test)}:"
    return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}:"


def call_in(context: Context, function: Function, loop: Loop) -> ast.Call | None:
    """The call in a loop that enters a function, if there is one."""
    for each in context.program.outline.expressions:
        if loop in each.loops and isinstance(each.node, ast.Call):
            site = context.program.site(each)
            entered = [] if site is None else [context.program.outline.function_at.get(span) for span in site.enters]
            if function in entered:
                return each.node
    return None


def in_names_of(context: Context, function: Function, work: ast.expr, call: ast.Call) -> ast.expr | None:
    """An expression of a function in the names of a call of it, None if they cannot be read from the call."""
    node = function.node
    if isinstance(node, ast.Module) or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    parameters = set(names)
    values: dict[str, ast.expr] = {}
    if names[:1] in (["self"], ["cls"]):
        receiver = call.func
        if isinstance(receiver, ast.Attribute) and receiver.attr == function.title:
            receiver = receiver.value
        values[names.pop(0)] = receiver
    values |= dict(zip(names, call.args, strict=False))
    values |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    values |= _locals(context, function, values)
    own = {name.partition(".")[2] for name in context.settings if name.startswith(f"{function.name}.")}
    read = {each.id for each in ast.walk(work) if isinstance(each, ast.Name)}
    if read & (own | parameters) - set(values):
        return None
    found: ast.expr = _Renamed(values).visit(deepcopy(work))
    return found


def _locals(context: Context, function: Function, values: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """What the local names of a function are that are set once."""
    found: dict[str, ast.expr] = {}
    for name, settings in sorted(context.settings.items(), key=lambda each: each[1][0].target.node.lineno):
        owner, _, short = name.partition(".")
        if owner == function.name and len(settings) == 1 and short not in values:
            statement = settings[0].target.statement
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                found[short] = _Renamed(values | found).visit(deepcopy(statement.value))
    return found


class _Renamed(ast.NodeTransformer):
    """Names replaced by what they are bound to."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return deepcopy(self._values.get(node.id, node)) if isinstance(node.ctx, ast.Load) else node
