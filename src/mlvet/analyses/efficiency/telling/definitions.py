"""Where what an expression of a TensorFlow 1 program holds was made: through names, attributes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.telling.context import Context

_DEEPEST = 8
_ASSIGNING = ("assign",)


def definition(context: Context, node: ast.expr, depth: int = 0) -> ast.expr:
    """The expression that made the value of another; itself if that is not one alone."""
    if depth > _DEEPEST:
        return node
    found: ast.expr | None = None
    match node:
        case ast.Name():
            found = _set(context, node, depth)
        case ast.Attribute(attr="op", value=inner):
            return definition(context, inner, depth + 1)
        case ast.Attribute():
            found = _written(context, node.attr)
        case ast.Call():
            found = _returned(context, node)
    return node if found is None else definition(context, found, depth + 1)


def assignments(context: Context, fetched: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The variables that a fetch assigns to, with what it assigns, if that is all that it fetches."""
    found = definition(context, fetched)
    if isinstance(found, ast.Tuple | ast.List):
        for each in found.elts:
            yield from assignments(context, each)
    elif isinstance(found, ast.Call) and _called(context, found, _ASSIGNING):
        method = isinstance(found.func, ast.Attribute) and not _module(context, found.func.value)
        operands = [found.func.value, *found.args] if method and isinstance(found.func, ast.Attribute) else found.args
        if len(operands) >= 2:
            yield operands[0], operands[1]


def is_placeholder(context: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _called(context, node, ("placeholder",))


def is_constant(context: Context, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _called(context, node, ("constant", "convert_to_tensor"))


def _called(context: Context, node: ast.Call, names: tuple[str, ...]) -> bool:
    site = context.program.host.calls.get(context.program.outline.span(node))
    return site is not None and any(each.rpartition(".")[2] in names for each in site.names)


def _module(context: Context, node: ast.expr) -> bool:
    seen = context.program.host.seen.get(context.program.outline.span(node))
    return seen is not None and seen.kind == "module"


def _set(context: Context, node: ast.Name, depth: int) -> ast.expr | None:
    place = context.program.outline.of_node.get(node)
    name = None if place is None else context.program.names_read.get(place)
    settings = context.settings.get(name or "", [])
    if len(settings) != 1 or settings[0].loop is not None:
        return None
    target, statement = settings[0].target.node, settings[0].target.statement
    if not isinstance(statement, ast.Assign):
        return None
    values = (_aligned(context, each, statement.value, target, depth) for each in statement.targets)
    return next((each for each in values if each is not None), None)


def _aligned(context: Context, targets: ast.expr, value: ast.expr, target: ast.expr, depth: int) -> ast.expr | None:
    """What a target is set to, also as one of several values that are unpacked, if each of them is spelled out."""
    if targets is target:
        return value
    if depth > _DEEPEST or not isinstance(targets, ast.Tuple | ast.List) or target not in ast.walk(targets):
        return None
    whole = definition(context, value, depth + 1)
    if not isinstance(whole, ast.Tuple | ast.List) or len(whole.elts) != len(targets.elts):
        return None
    if any(isinstance(each, ast.Starred) for each in (*whole.elts, *targets.elts)):
        return None
    pairs = zip(targets.elts, whole.elts, strict=True)
    found = (_aligned(context, part, each, target, depth + 1) for part, each in pairs)
    return next((each for each in found if each is not None), None)


def _written(context: Context, attribute: str) -> ast.expr | None:
    """What an attribute is set to, if the file sets it once."""
    written = [by.statement for by, name in context.program.bindings.written if name == f".{attribute}"]
    if len(written) != 1 or not isinstance(written[0], ast.Assign):
        return None
    targets = written[0].targets
    return written[0].value if len(targets) == 1 and isinstance(targets[0], ast.Attribute) else None


def _returned(context: Context, node: ast.Call) -> ast.expr | None:
    """What a call returns, if it enters one function of the file that returns at one place."""
    site = context.program.host.calls.get(context.program.outline.span(node))
    if site is None or len(site.enters) != 1:
        return None
    function = context.program.outline.function_at.get(site.enters[0])
    if function is None or isinstance(function.node, ast.Module | ast.Lambda):
        return None
    returns = [each for each in ast.walk(function.node) if isinstance(each, ast.Return) and each.value is not None]
    return returns[0].value if len(returns) == 1 else None
