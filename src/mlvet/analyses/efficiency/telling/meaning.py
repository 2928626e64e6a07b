"""What could change the meaning of a program if work is done before a loop instead of in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import Hoist, chain, withs

_LEAVES = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_SAME_VALUES = ("no_grad", "inference_mode", "autocast", "device", "name_scope", "set_grad_enabled")
"""What `with` statements that can be repeated around the work call."""
_LAYOUT = frozenset(
    (
        "transpose", "reshape", "squeeze", "unsqueeze", "expand", "flatten", "identity", "stop_gradient", "slice",
        "split", "unstack", "view", "moveaxis", "swapaxes", "broadcast_to", "getitem",
    )
)  # fmt: skip
"""Operators whose result may share its elements with an operand."""

_READERS = frozenset(("builtins.print", "builtins.float", "builtins.int", "builtins.len", "builtins.str"))


def doubts(context: Context, expression: Expression, loop: Loop, moved: Hoist) -> list[str]:
    """Why the program may do something else after the edit; empty if it cannot."""
    found: list[str] = []
    if not surely_done(context, expression, loop) and not harmless(context, expression):
        found.append("the work is also done where the loop does not come to it")
    for each in withs(context, expression.statement, loop):
        if not all(repeatable(item.context_expr) for item in each.items):
            found.append(f"it is no longer done inside `{context.header(each)}`")
    if escapes(context, expression, loop, moved):
        found.append(f"all iterations then share `{moved.name}`, which may be changed in place where it goes")
    return found


def surely_done(context: Context, expression: Expression, loop: Loop) -> bool:
    """Whether the first iteration surely runs and surely evaluates an expression."""
    if not context.trips(loop):
        return False
    for each in chain(context, expression.statement, loop):
        if not isinstance(each, ast.With | ast.For) or (isinstance(each, ast.For) and not _runs(context, each)):
            return False
    if isinstance(loop.node, COMPREHENSIONS):
        return not any(each.ifs for each in loop.node.generators) and not _optional(context, expression)
    earlier = (each for body in loop.node.body for each in ast.walk(body) if isinstance(each, _LEAVES))
    return not any(each.lineno <= expression.node.lineno for each in earlier) and not _optional(context, expression)


def conditional(context: Context, expression: Expression, loop: Loop) -> bool:
    """Whether a branch of the loop, or of the function that it is in, decides that work is done at all."""
    around = context.parents.get(expression.statement)
    while around is not None and around is not loop.node and not isinstance(around, _SCOPES):
        if isinstance(around, ast.If | ast.Try):
            return True
        around = context.parents.get(around)
    return False


def _runs(context: Context, node: ast.For) -> bool:
    return bool(context.program.trips(node))


def _optional(context: Context, expression: Expression) -> bool:
    """Whether a part of the statement decides that an expression is evaluated at all."""
    found = context.parents.get(expression.node)
    while isinstance(found, ast.expr | ast.keyword):
        if isinstance(found, ast.IfExp | ast.BoolOp | ast.Lambda):
            return True
        found = context.parents.get(found)
    return False


def harmless(context: Context, expression: Expression) -> bool:
    """Whether work reads nothing but modules and known numbers, so that it can fail nowhere if not everywhere."""
    of_node = context.program.outline.of_node
    for each in ast.walk(expression.node):
        if isinstance(each, ast.Name):
            seen = context.program.seen(of_node[each])
            if seen is None or (seen.kind not in ("module", "function") and seen.number is None):
                return False
    return True


def repeatable(node: ast.expr) -> bool:
    """Whether work is the same inside of another `with` of the same kind."""
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute | ast.Name) and ast.unparse(called).endswith(_SAME_VALUES)


def changed_in_place(context: Context, expression: Expression, loop: Loop) -> bool:
    """Whether the loop changes the value of an expression after it was computed."""
    statement = expression.statement
    if not isinstance(statement, ast.Assign) or statement.value is not expression.node:
        parent = context.parents.get(expression.node)
        return isinstance(parent, ast.Attribute) and parent.attr.endswith("_")
    targets = {each.id for each in statement.targets if isinstance(each, ast.Name)}
    mutated = {name.partition(".")[2] for by, name in context.program.bindings.mutations if loop in by.loops}
    return bool(targets & mutated) or any(not isinstance(each, ast.Name) for each in statement.targets)


def escapes(context: Context, expression: Expression, loop: Loop, moved: Hoist) -> bool:
    """Whether something of a loop may keep the work itself, not a value computed from it, and could change it."""
    targets = (target for one in moved.moved for target in one.targets)
    moved_names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    readers: list[ast.expr] = []
    if moved.name not in moved_names:
        names = _holders(expression)
        moved_names |= set(names)
        readers = [] if names else [expression.node]
    for each in context.program.outline.expressions:
        if isinstance(each.node, ast.Name) and isinstance(each.node.ctx, ast.Load) and each.node.id in moved_names:
            readers += [each.node] if loop in each.loops or each.function is not expression.function else []
    return any(_keeps(context, each) for each in readers)


def _holders(expression: Expression) -> list[str]:
    """The names that an assignment gives to the whole of an expression."""
    statement = expression.statement
    if not isinstance(statement, ast.Assign) or statement.value is not expression.node:
        return []
    return [each.id for each in statement.targets if isinstance(each, ast.Name)]


def _keeps(context: Context, node: ast.expr) -> bool:
    parent = context.parents.get(node)
    while isinstance(parent, ast.keyword):
        parent = context.parents.get(parent)
    match parent:
        case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.FormattedValue() | ast.AugAssign():
            return isinstance(parent, ast.AugAssign) and parent.target is node
        case ast.Attribute():
            call = context.parents.get(parent)
            if isinstance(call, ast.Call) and call.func is parent:
                return _kept_by(context, call)
            return parent.attr not in ("shape", "dtype", "device", "ndim", "size")
        case ast.Call() if parent.func is not node:
            return _kept_by(context, parent)
        case ast.Subscript() if parent.value is node and isinstance(parent.ctx, ast.Load):
            return _keeps(context, parent)
        case ast.Expr():
            return False
    return True


def _kept_by(context: Context, call: ast.Call) -> bool:
    """Whether a call, or what its result goes to, may keep one of its operands."""
    place = context.program.outline.of_node[call]
    site = context.program.site(place)
    if site is None or site.dark or site.enters:
        return True
    if set(site.names[:1]) & _READERS:
        return False
    kinds = {each.op for each in context.program.nodes(place)}
    return not kinds or (kinds <= _LAYOUT and _keeps(context, call))


def wants_gradients(context: Context, expression: Expression) -> bool:
    """Whether gradients may flow through an expression to a parameter or to a tensor that asks for them."""
    parameters = {each.value for each in context.program.graph.parameters if each.trainable}
    producer = context.producers
    seen: set[object] = set()
    pending = list(context.nodes_below(expression))
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.location is not None and (node.location.line, node.location.column) in context.asking:
            return True
        for value in node.inputs:
            if value is None:
                continue
            if value in parameters:
                return True
            if value in producer:
                pending.append(producer[value])
    return bool(set(_names(expression.node)) & context.asked)


def _names(node: ast.expr) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
