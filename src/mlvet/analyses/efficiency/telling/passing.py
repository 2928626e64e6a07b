"""Work in a function that a loop calls: an example of how to compute it once and pass it on."""

from __future__ import annotations

import ast
from copy import deepcopy

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import new_name


def example(context: Context, expression: Expression, loop: Loop) -> str:
    """Lines that can be run in place of a loop, with the work of an expression before it."""
    if loop in expression.loops:
        return _within(context, expression, loop)
    call = _call(context, expression.function, loop)
    held = _held(context, expression)
    if call is None:
        return f"compute `{context.text(expression.node)}` once before the loop and pass it on"
    work = _bound(context, expression, call)
    if work is None:
        return f"compute `{context.text(expression.node)}` once before the loop and pass it on"
    passed = deepcopy(call)
    passed.keywords.append(ast.keyword(held, ast.Name(held, ast.Load())))
    parameter = f"let `{expression.function.title}` take `{held}` instead of computing it"
    return f"{parameter}:\n{held} = {ast.unparse(work)}\n{_head(loop)}\n    {ast.unparse(passed)}"


def _within(context: Context, expression: Expression, loop: Loop) -> str:
    """The work as a statement of its own, where the edit is not determined."""
    held = _held(context, expression)
    return f"before the loop of line {loop.node.lineno}:\n{held} = {ast.unparse(expression.node)}"


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


def _call(context: Context, function: Function, loop: Loop) -> ast.Call | None:
    """The call in a loop that enters a function, if there is one."""
    for each in context.program.outline.expressions:
        if loop in each.loops and isinstance(each.node, ast.Call):
            site = context.program.site(each)
            entered = [] if site is None else [context.program.outline.function_at.get(span) for span in site.enters]
            if function in entered:
                return each.node
    return None


def _bound(context: Context, expression: Expression, call: ast.Call) -> ast.expr | None:
    """An expression of a function in the names of a call of it, None if they cannot be read from the call."""
    node = expression.function.node
    if isinstance(node, ast.Module):
        return expression.node
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    values: dict[str, ast.expr] = {}
    if names[:1] in (["self"], ["cls"]):
        receiver = call.func
        if isinstance(receiver, ast.Attribute) and receiver.attr == expression.function.title:
            receiver = receiver.value
        values[names.pop(0)] = receiver
    values |= dict(zip(names, call.args, strict=False))
    values |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    values |= _locals(context, expression, values)
    own = {name.partition(".")[2] for name in context.settings if name.startswith(f"{expression.function.name}.")}
    read = {each.id for each in ast.walk(expression.node) if isinstance(each, ast.Name)}
    if read & (own | set(names)) - set(values):
        return None
    found: ast.expr = _Renamed(values).visit(deepcopy(expression.node))
    return found


def _locals(context: Context, expression: Expression, values: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """What the local names of a function are, that are set once and that an expression reads."""
    found: dict[str, ast.expr] = {}
    for name, settings in sorted(context.settings.items(), key=lambda each: each[1][0].target.node.lineno):
        owner, _, short = name.partition(".")
        if owner == expression.function.name and len(settings) == 1 and short not in values:
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
