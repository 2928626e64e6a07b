"""A function that is compiled anew in every iteration of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.host.outline import Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import moved_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_WRAPPING = 2e-3
"""Seconds that `torch.compile` takes for a function that it has compiled before."""
_LEAST_SHARE = 0.05
_TRACES = {
    "torch.jit.script": "compiles",
    "torch.jit.trace": "traces and compiles",
    "torch.compile": "wraps and guards",
}


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compile once before the loop, or to pass what varies as an argument."""
    name, loop_name, case = map(str, suggested.arguments)
    loop = context.loops[loop_name]
    trips = context.trips(loop)
    if trips is not None and trips < 2:
        return None
    outline = context.program.outline
    if case.startswith("definition"):
        function = next(each for each in outline.functions if each.name == name)
        node: ast.expr | ast.stmt = function.node  # type: ignore[assignment]
        quoted, compiler = f"{function.title}", _decorator(context, function)
        place = outline.location(node.decorator_list[0])  # type: ignore[union-attr]
        fix = _definition_fix(context, node, loop) if case == "definition" else None
    else:
        expression = context.expressions[name]
        node = expression.node
        quoted, place = context.text(node), outline.location(node)
        compiler = context.program.callees(expression)[0]
        fix = _call_fix(context, expression.statement, node, loop) if case == "steady" else None
    if compiler == "torch.compile":
        whole = context.cost_of_iteration(loop).seconds
        if _WRAPPING / (_WRAPPING + whole) < _LEAST_SHARE:
            return None
    work = _TRACES.get(compiler, "traces and compiles")
    often = f"in each of {trips:,} iterations" if trips is not None else "in every iteration"
    message = f"`{quoted}` {work} the function anew {often} of the loop in line {loop.node.lineno}"
    if case.endswith("value"):
        message += "; compiled once, it could take what varies as an argument"
        fix = Fix(f"compile before the loop a function that takes what varies as an argument: {_example(node)}")
    else:
        message += "; compiled once before the loop it is compiled for the first call only"
    return context.finding(
        suggested, message, place,
        related=[Related("the loop compiles again each time", outline.head(loop.node))],
        conditions=[] if trips is not None else ["the loop runs at least 2 times"], fix=fix,
        data={"compiler": compiler, "case": case},
    )  # fmt: skip


def _decorator(context: Context, function: Function) -> str:
    node = function.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    first = node.decorator_list[0]
    return context.program.dotted(first.func if isinstance(first, ast.Call) else first)


def _definition_fix(context: Context, node: ast.stmt | ast.expr, loop: Loop) -> Fix:
    assert isinstance(node, ast.stmt)
    return _moved(context, node, loop, set(), getattr(node, "name", ""))


def _call_fix(context: Context, statement: ast.stmt, node: ast.expr | ast.stmt, loop: Loop) -> Fix:
    """The edit that moves the assignment of the compiled function before the loop."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            read = set(_read_at_once(value))
            return _moved(context, statement, loop, read, name)
    return Fix(f"give it a name before the loop and call that: `compiled = {context.text(node)}`")


def _moved(context: Context, statement: ast.stmt, loop: Loop, read: set[str], name: str) -> Fix:
    title = f"make `{name}` before the loop"
    text = context.edits
    found, outer = context.editable(statement), context.editable(loop.node)
    set_inside = {
        each.id for each in ast.walk(loop.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    } - {name}
    once = sum(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
               for each in ast.walk(loop.node)) <= 1  # fmt: skip
    if isinstance(found, ast.stmt) and isinstance(outer, ast.stmt) and text.parents.get(found) is outer and once:
        edits = None if read & set_inside else moved_before(text, found, outer)
        if edits is not None:
            reason = "the function is compiled even if the loop does not run, and side effects of tracing happen once"
            return Fix(title, edits, Applicability.UNSAFE, reason)
    return Fix(title)


def _example(node: ast.expr | ast.stmt) -> str:
    match node:
        case ast.Call(func=func, args=[ast.Lambda(args=arguments, body=body), *_]):
            names = [each.arg for each in arguments.args]
            free = sorted(
                {each.id for each in ast.walk(body) if isinstance(each, ast.Name)} - set(names) - set(_modules(body))
            )
            return f"`compiled = {ast.unparse(func)}(lambda {', '.join([*names, *free])}: {ast.unparse(body)})`"
        case ast.FunctionDef(name=name, args=arguments):
            return f"`def {name}({', '.join([*(each.arg for each in arguments.args), '...'])})`"
    return "`compiled = compiler(lambda x, varying: ...)`"


def _read_at_once(node: ast.expr) -> Iterator[str]:
    """The names that an expression reads when it is evaluated, not those that functions in it read later."""
    if isinstance(node, ast.Name):
        yield node.id
    if not isinstance(node, ast.Lambda):
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.expr | ast.keyword):
                yield from _read_at_once(each.value if isinstance(each, ast.keyword) else each)


def _modules(body: ast.AST) -> list[str]:
    """Names that only stand before a dot or are called, which are modules and functions rather than values."""
    found = []
    for each in ast.walk(body):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
            found.append(each.value.id)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            found.append(each.func.id)
    return found
