"""A tensor made of the same values, or brought to a device, in every iteration of a loop."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import block_of, inserted_before, moved_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.ir.host import Seen

_LEAST_SHARE = 0.05
_LEAST_SECONDS = 2e-5
_LEAST_IN_ALL = 1e-3
_CALL = {"torch": 2e-6, "tensorflow": 2e-5, "jax": 5e-5, "numpy": 1e-6, "keras": 2e-5}
"""What a conversion takes however little it converts."""
_ITEM = 6e-8
"""What it takes to convert one number of a Python list."""
_BYTES = 5e9
_BUS = 1e10
"""Bytes that reach a GPU in a second."""
_GPU = "the device is a GPU"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to convert once before the loop, where that takes a part of each iteration worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    trips = context.trips(loop)
    moves = context.program.callees(expression)[0].startswith("torch.Tensor.")
    seconds = _transfer(context, expression) if moves else _conversion(context, expression)
    if seconds is None or (trips is not None and trips < 2) or not context.understood(expression.loops[-1]):
        return None
    whole = context.cost_of_iteration(expression.loops[-1]).seconds
    if seconds / (seconds + whole) < _LEAST_SHARE:
        return None
    if (seconds < _LEAST_SECONDS) if trips is None else (seconds * trips < _LEAST_IN_ALL):
        return None
    outline = context.program.outline
    what = "brings the same tensor to the device" if moves else "makes a tensor of the same values"
    message = (
        f"`{context.text(expression.node)}` {what} in every iteration of the loop in line {loop.node.lineno}; once "
        f"before the loop is enough"
    )
    conditions = [_GPU] if moves else []
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("nothing that it reads changes in this loop", outline.head(loop.node))],
        conditions=conditions + ([] if trips is not None else ["the loop runs at least 2 times"]),
        fix=_fix(context, expression, loop), data={"seconds": seconds},
    )  # fmt: skip


def _conversion(context: Context, expression: Expression) -> float | None:
    """What a conversion takes; None if what is converted is not known."""
    node = expression.node
    assert isinstance(node, ast.Call)
    library = context.program.callees(expression)[0].partition(".")[0]
    seen = context.program.seen(context.program.outline.of_node[node.args[0]])
    if seen is None or library not in _CALL:
        return None
    if seen.kind == "tensor" and seen.tensor is not None:
        elements, guessed = context.sizes.of(seen.tensor)
        same = seen.type.partition(".")[0] == library
        return None if guessed or same else _CALL[library] + 4 * elements / _BYTES
    count = _items(seen)
    if count is None or count < 2 or context.host_seconds(node.args[0]):
        return None
    return _CALL[library] + _ITEM * count


def _items(seen: Seen) -> int | None:
    """How many numbers a nested list has, at least."""
    if seen.kind == "number":
        return 1
    if seen.kind not in ("list", "tuple") or seen.length is None or seen.item is None:
        return None
    return seen.length * (_items(seen.item) or 1)


def _transfer(context: Context, expression: Expression) -> float | None:
    """What it takes to bring a tensor to a GPU; None if it is there, or if its size is not known."""
    node = expression.node
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    of_node = context.program.outline.of_node
    seen, after = context.program.seen(of_node[node.func.value]), context.program.seen(expression)
    if seen is None or after is None or seen.tensor is None or seen.device != "cpu" or after.device == "cpu":
        return None
    if not (after.device.startswith("cuda") or _mentions_device(node)):
        return None
    elements, guessed = context.sizes.of(seen.tensor)
    return None if guessed else 1e-5 + 4 * elements / _BUS


def _mentions_device(node: ast.Call) -> bool:
    words = [ast.unparse(each) for each in (*node.args, *(each.value for each in node.keywords))]
    return any("device" in word or "cuda" in word for word in words)


def _fix(context: Context, expression: Expression, loop: Loop) -> Fix:
    text, node = context.edits, expression.node
    statement, outer = context.editable(expression.statement), context.editable(loop.node)
    title = f"`{context.text(node)}` before the loop"
    reason = "a change of the tensor in place would be seen by the next iteration"
    if isinstance(loop.node, COMPREHENSIONS):
        outer = context.editable(expression.statement)
    if not isinstance(outer, ast.stmt) or not isinstance(statement, ast.stmt) or not text.begins_line(outer):
        return Fix(title)
    stores = [each.id for each in ast.walk(loop.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    if read & set(stores):
        return Fix(title)
    match expression.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node and stores.count(name) == 1:
            direct = statement in block_of(text, statement) and text.parents.get(statement) is outer
            edits = moved_before(text, statement, outer) if direct else None
            return Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, reason)
    found = context.editable(node)
    name = "constant"
    if not isinstance(found, ast.expr) or any(isinstance(e, ast.Name) and e.id == name for e in ast.walk(text.tree)):
        return Fix(title)
    edits = (inserted_before(text, outer, f"{name} = {text.of(found)}"), text.replaced(found, name))
    return Fix(title, edits, Applicability.UNSAFE, reason)
