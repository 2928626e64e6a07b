"""Input that is prepared one item at a time while the model waits."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.annotations import effect
from mlvet.analyses.efficiency.host.outline import Expression, Function
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling import items
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.location import Location

_CORES = "the machine has processor cores to spare"
_SMALL = 256
"""Items below which workers take longer to start than they save."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion of a setting by which items are prepared side by side, or batch by batch."""
    expression = context.expressions[str(suggested.arguments[0])]
    match str(suggested.arguments[1]):
        case "serial-map":
            return _serial_map(context, suggested, expression)
        case "map-before-batch":
            return _map_before_batch(context, suggested, expression, context.expressions[str(suggested.arguments[2])])
        case "needless-workers":
            return _needless_workers(context, suggested, expression)
        case "computed-items":
            return _computed_items(context, suggested, expression)
        case _:
            return _no_workers(context, suggested, expression)


def _serial_map(context: Context, suggested: Suggested, expression: Expression) -> Finding:
    node = expression.node
    assert isinstance(node, ast.Call)
    function = context.text(node.args[0], 40)
    reference = context.edits.reference("tensorflow")
    setting = f"num_parallel_calls={reference or 'tf'}.data.AUTOTUNE"
    found = context.editable(node)
    fix = Fix(f"`{setting}`")
    if reference and isinstance(found, ast.Call) and not found.keywords and len(found.args) == 1:
        edit = context.edits.inserted(context.edits.end(found.args[0]), f", {setting}")
        reason = "random numbers that the function draws come in another order" if _random(context) else ""
        fix = Fix(f"`{setting}`", (edit,), Applicability.UNSAFE if reason else Applicability.SAFE, reason)
    message = (
        f"`map({function})` prepares one item after the other; with `{setting}` several are "
        f"prepared at once, in the same order"
    )
    return context.finding(
        suggested, message, _place(context, node),
        conditions=[_cores(suggested), "preparing the items takes a part of each step"],
        fix=fix, data={"case": "serial-map"},
    )  # fmt: skip


def _cores(suggested: Suggested) -> str:
    """How many cores a parallel `map` needs to be felt: files that one item is made of take one each without it."""
    files = int(suggested.arguments[2])
    if files < 2:
        return _CORES
    return f"the machine has more than {files} processor cores: an item reads {files} files at once"


def _random(context: Context) -> bool:
    expressions = context.program.outline.expressions
    names = [name for each in expressions if isinstance(each.node, ast.Call) for name in context.program.callees(each)]
    return any(effect(name) == "random" or "random" in name for name in names)


def _place(context: Context, node: ast.Call) -> Location:
    """The place of a method call in a chain: its arguments, since the chain begins far away."""
    return context.program.outline.location(node.args[0] if node.args else node)


def _map_before_batch(
    context: Context, suggested: Suggested, mapped: Expression, batched: Expression
) -> Finding | None:
    node, batch = mapped.node, batched.node
    assert isinstance(node, ast.Call)
    assert isinstance(batch, ast.Call)
    function = context.text(node.args[0], 40)
    message = (
        f"`map({function})` runs for each element before `batch` joins them; it means the same for a whole batch, and "
        f"after `batch` it runs once for all of them"
    )
    return context.finding(
        suggested, message, _place(context, node),
        related=[Related("the elements are joined here", _place(context, batch))],
        conditions=["the dataset has some thousand elements or more"], fix=_swapped(context, node, batch),
        data={"case": "map-before-batch"},
    )  # fmt: skip


def _swapped(context: Context, node: ast.Call, batch: ast.Call) -> Fix:
    """The call of `map` taken out of its place in the chain and put behind `batch`."""
    title = "`map` after `batch`"
    text = context.edits
    found, after = context.editable(node), context.editable(batch)
    if not isinstance(found, ast.Call) or not isinstance(after, ast.Call) or not isinstance(found.func, ast.Attribute):
        return Fix(title)
    if text.statement(found) is not text.statement(after):
        return Fix(f"`.map({context.text(node.args[0])})` behind `{context.text(batch)}`")
    start, end = text.end(found.func.value), text.end(found)
    if start[0] != end[0]:
        return Fix(title)
    moved = text.line(end[0])[start[1] - 1 : end[1] - 1]
    edits: tuple[Edit, ...] = (text.removed(start, end), text.inserted(text.end(after), moved))
    return Fix(title, edits, Applicability.UNSAFE, "elements must be of one shape and type before they are mapped")


def _no_workers(context: Context, suggested: Suggested, expression: Expression) -> Finding | None:
    length = items.known_length(context, _fetching(context, suggested)) if len(suggested.arguments) > 2 else None
    message = (
        f"`{context.text(expression.node)}` reads and decodes every item in the process that trains, which waits for "
        f"it; workers do it beside"
    )
    return _workers(context, suggested, expression, message, length, [])


def _computed_items(context: Context, suggested: Suggested, expression: Expression) -> Finding | None:
    """Items whose work is known by its shapes, or is done by functions that are known to take long."""
    function = _fetching(context, suggested)
    known = items.takes_long(context, function)
    if not known and not items.is_laborious(context, function):
        return None
    message = (
        f"`{context.text(expression.node)}` has every item computed by `{context.program.methods[function.node]}` in "
        f"the process that trains, which waits for it; workers do it beside"
    )
    conditions = [] if known else ["an item takes a millisecond or more"]
    return _workers(context, suggested, expression, message, items.known_length(context, function), conditions)


def _fetching(context: Context, suggested: Suggested) -> Function:
    return next(each for each in context.program.outline.functions if each.name == suggested.arguments[2])


def _workers(
    context: Context, suggested: Suggested, expression: Expression, message: str, length: int | None,
    conditions: list[str],
) -> Finding | None:  # fmt: skip
    """The suggestion to start workers, unless the data set is known to have too few items for them."""
    if length is not None and length < _SMALL:
        return None
    enough = [f"the data set has {_SMALL} items or more"] if length is None else []
    node = expression.node
    assert isinstance(node, ast.Call)
    found = context.editable(node)
    fix = Fix("`num_workers=4`")
    given = next((each for each in node.keywords if each.arg == "num_workers"), None)
    if isinstance(found, ast.Call) and (found.args or found.keywords) and given is None:
        last = [*found.args, *(each.value for each in found.keywords)][-1]
        reason = "workers draw random numbers of their own, and start the program again where processes are spawned"
        edit = context.edits.inserted(context.edits.end(last), ", num_workers=4")
        fix = Fix("`num_workers=4`", (edit,), Applicability.UNSAFE, reason)
    return context.finding(
        suggested, message, context.program.outline.location(node),
        conditions=[_CORES, *enough, *conditions], fix=fix,
        data={"case": str(suggested.arguments[1])},
    )  # fmt: skip


def _needless_workers(context: Context, suggested: Suggested, expression: Expression) -> Finding:
    node = expression.node
    assert isinstance(node, ast.Call)
    given = next(each for each in node.keywords if each.arg == "num_workers")
    found = context.editable(given.value)
    fix = Fix("`num_workers=0`")
    hanging = any(each.arg in ("persistent_workers", "prefetch_factor", "worker_init_fn") for each in node.keywords)
    if isinstance(found, ast.expr) and not hanging:
        fix = Fix(fix.title, (context.edits.replaced(found, "0"),), Applicability.SAFE)
    message = (
        f"`{context.text(node)}` starts workers in every epoch that send batches from one process to another, though "
        f"the data set is in memory and an item of it is only an index; without workers a batch is there sooner"
    )
    return context.finding(
        suggested, message, context.program.outline.location(node),
        conditions=["to gather a batch takes less time than to send it from one process to another"], fix=fix,
        data={"case": "needless-workers"},
    )  # fmt: skip
