"""Functions that are called on one row of a batch after the other, the results being stacked."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.domains.tensors import Unranked
from mlvet.ir.graph import Node

_FEW = 20
_ROWWISE = frozenset(
    ("linear", "relu", "sigmoid", "tanh", "gelu", "elu", "leaky_relu", "silu", "add", "mul", "sub", "identity", "exp")
)
"""Operators that treat the rows of a batch alike, each by itself."""
_BRANCHES = (ast.If, ast.While, ast.IfExp, ast.Assert, ast.Try, ast.For, ast.Raise)
_READS = frozenset(("item", "tolist", "numpy", "append", "nonzero"))
_ROUNDED = "rounding may differ in the last digits"
_MAPPED = "branches on values of a row cannot be mapped"


@dataclass(frozen=True, slots=True)
class _Rows:
    """The batch that rows are of, and the statement that gathers the results as `listed`; None if the stack does it."""

    batch: ast.expr
    gathering: ast.stmt | None
    listed: str = ""


def tell_rows(context: Context, suggested: Suggested, call: Expression, loop: Loop) -> Finding | None:
    """The suggestion to compute all rows in one call, as a batch or by the `vmap` of the library."""
    node, stack = call.node, context.expressions[str(suggested.arguments[3])].node
    assert isinstance(node, ast.Call)
    assert isinstance(stack, ast.Call)
    rows = _rows(context, call, loop, stack)
    nodes = context.runs.computed(call)
    if rows is None or not nodes or len(stack.args) != 1 or stack.keywords:
        return None
    batch, called = context.text(rows.batch), context.text(node.func)
    more = [context.text(each) for each in node.args[1:]]
    alike = not more and all(each.op in _ROWWISE for each in nodes) and _is_flat(context, node.args[0], nodes)
    whole = f"{called}({batch})" if alike else _mapped(context, call, [batch, *more], called)
    if whole is None:
        return None
    message = (
        f"`{called}` is called on one row of `{batch}` after the other and the results are stacked: `{whole}` computes "
        "all rows in one call"
    )
    title = f"compute all rows at once: `{whole}`"
    edits = _edits(context, rows, stack, whole)
    fix = Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, _ROUNDED if alike else _MAPPED)
    return context.finding(
        suggested, message, context.program.outline.location(stack),
        conditions=[] if context.trips(loop) is not None else [f"there are more than {_FEW} rows"], fix=fix,
        data={"form": "rows"},
    )  # fmt: skip


def _rows(context: Context, call: Expression, loop: Loop, stack: ast.Call) -> _Rows | None:
    """How the rows are gone through, if the loop does nothing else."""
    if isinstance(loop.node, ast.ListComp | ast.GeneratorExp):
        generator = loop.node.generators[0]
        if len(loop.node.generators) > 1 or generator.ifs or loop.node.elt is not call.node:
            return None
        batch = _batch(context, call, generator.target, generator.iter)
        if batch is None or loop.node in stack.args:
            return None if batch is None else _Rows(batch, None)
        statement = context.program.outline.of_node[loop.node].statement
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is loop.node:
                return _Rows(batch, statement, name) if _is_read_once(loop, name, statement) else None
        return None
    if not isinstance(loop.node, ast.For) or loop.node.orelse:
        return None
    batch = _batch(context, call, loop.node.target, loop.node.iter)
    name = _appended(loop.node, call)
    if batch is None or not name or not _is_read_once(loop, name, loop.node) or not _begins_empty(loop, name):
        return None
    return _Rows(batch, loop.node, name)


def _batch(context: Context, call: Expression, target: ast.expr, items: ast.expr) -> ast.expr | None:
    """What the first argument of a call is a row of: what the loop goes through, or what its number is an index of."""
    assert isinstance(call.node, ast.Call)
    match call.node.args[0], target, items:
        case ast.Name(id=row), ast.Name(id=name), _ if row == name:
            return items
        case (
            ast.Subscript(value=base, slice=ast.Name(id=index)), ast.Name(id=name),
            ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]),
        ) if index == name and _counts(context, count, base):  # fmt: skip
            return base
    return None


def _counts(context: Context, count: ast.expr, base: ast.expr) -> bool:
    """Whether a number is that of the rows of a tensor."""
    text = ast.unparse(base)
    if ast.unparse(count) in (f"len({text})", f"{text}.shape[0]", f"{text}.size(0)"):
        return True
    number, batch = (context.program.seen(context.program.outline.of_node[each]) for each in (count, base))
    if number is None or batch is None or batch.tensor is None or isinstance(batch.tensor.shape, Unranked):
        return False
    return isinstance(number.number, int) and batch.tensor.shape[:1] == (number.number,)


def _appended(loop: ast.For, call: Expression) -> str:
    """The list to which a loop appends what a call yields and does nothing else; empty if it does more."""
    match loop.body:
        case [ast.Expr(value=ast.Call(func=ast.Attribute(attr="append", value=ast.Name(id=name)), args=[value]))]:
            return name if value is call.node else ""
        case [
            ast.Assign(targets=[ast.Name(id=made)], value=value),
            ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="append", value=ast.Name(id=name)), args=[ast.Name(id=given)])
            ),
        ]:
            return name if value is call.node and made == given else ""
    return ""


def _is_read_once(loop: Loop, name: str, gathering: ast.stmt) -> bool:
    """Whether a list is read by one expression only beside the statement that gathers it."""
    inside = set(ast.walk(gathering))
    reads = [
        each
        for each in ast.walk(loop.function.node)
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load) and each not in inside
    ]
    return len(reads) == 1


def _begins_empty(loop: Loop, name: str) -> bool:
    """Whether a list is set once in its function, to the empty one."""
    set_to = [
        each.value
        for each in ast.walk(loop.function.node)
        if isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
    ]
    return len(set_to) == 1 and isinstance(set_to[0], ast.List) and not set_to[0].elts


def _is_flat(context: Context, row: ast.expr, nodes: list[Node]) -> bool:
    """Whether no operator takes a tensor of more dims than a row has, beside the weights of layers."""
    seen = context.program.seen(context.program.outline.of_node[row])
    if seen is None or seen.tensor is None or isinstance(seen.tensor.shape, Unranked):
        return False
    rank = len(seen.tensor.shape)
    operands = [value for node in nodes if node.op != "linear" for value in node.inputs if value is not None]
    shapes = [value.declared.shape for value in operands]
    return rank == 1 and all(not isinstance(shape, Unranked) and len(shape) <= rank for shape in shapes)


def _mapped(context: Context, call: Expression, given: list[str], called: str) -> str | None:
    """The call by `vmap`, for functions of the program that have neither branches nor read values."""
    library = "jax" if "jax" in context.edits.imports else "torch"
    maps = context.edits.reference(f"{library}.vmap")
    site = context.program.site(call)
    functions = [context.program.outline.function_at.get(span) for span in site.enters] if site is not None else []
    if not maps or any(each is None or not _is_straight(each) for each in functions):
        return None
    shared = ", None" * (len(given) - 1)
    axes = f", {'in_axes' if library == 'jax' else 'in_dims'}=(0{shared})" if shared else ""
    return f"{maps}({called}{axes})({', '.join(given)})"


def _is_straight(function: Function) -> bool:
    for each in ast.walk(function.node):
        if isinstance(each, (*_BRANCHES, *COMPREHENSIONS)):
            return False
        match each:
            case ast.Attribute(attr=name) if name in _READS:
                return False
            case ast.Call(func=ast.Name(id="print" | "float" | "int" | "bool")):
                return False
    return True


def _edits(context: Context, rows: _Rows, stack: ast.Call, whole: str) -> tuple[Edit, ...] | None:
    text, place = context.edits, context.editable(stack)
    if not isinstance(place, ast.expr):
        return None
    if rows.gathering is None:
        return (text.replaced(place, whole),)
    gathering = context.editable(rows.gathering)
    if not isinstance(gathering, ast.stmt) or not text.begins_line(gathering):
        return None
    return text.replaced(gathering, f"{rows.listed} = {whole}"), text.replaced(place, rows.listed)


def tell_mapped(context: Context, suggested: Suggested, call: Expression) -> Finding | None:
    """`tf.map_fn` of a function that TensorFlow can compute for all rows at once."""
    node = call.node
    assert isinstance(node, ast.Call)
    site = context.program.host.seen.get(context.program.outline.span(node.args[1]))
    if site is None or site.tensor is None or isinstance(site.tensor.shape, Unranked):
        return None
    rows = site.tensor.shape[0]
    function = _function(context, node.args[0])
    if function is None or not _is_straight(function) or (isinstance(rows, int) and rows < _FEW):
        return None
    new = context.edits.reference("tensorflow.vectorized_map") or "tf.vectorized_map"
    mapped, batch = context.text(node.args[0], 40), context.text(node.args[1], 40)
    message = (
        f"`tf.map_fn` runs `{mapped}` on one row of `{batch}` after the other; `{new}` computes all rows with the same "
        f"operators at once"
    )
    found = context.editable(node.func)
    fix = Fix(f"`{new}({mapped}, {batch})`")
    if isinstance(found, ast.expr):
        fix = Fix(fix.title, (context.edits.replaced(found, new),), Applicability.UNSAFE, _ROUNDED)
    return context.finding(
        suggested, message, context.program.outline.location(node),
        conditions=[] if isinstance(rows, int) else [f"there are more than {_FEW} rows"], fix=fix,
        data={"form": "mapped"},
    )  # fmt: skip


def _function(context: Context, node: ast.expr) -> Function | None:
    """The function that an expression names or makes."""
    if isinstance(node, ast.Lambda):
        return context.program.outline.function_at[context.program.outline.span(node)]
    found = [each for each in context.program.outline.functions if isinstance(node, ast.Name) and each.title == node.id]
    return found[0] if len(found) == 1 else None
