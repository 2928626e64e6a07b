"""A placeholder of TensorFlow 1 of any size that is fed one size only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mlvet.analyses.efficiency.costs import cost
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.definitions import definition, is_placeholder
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_LONGEST_STEP = 2e-3
"""Steps that take longer gain nothing by a placeholder whose size is known."""
_OFTEN = 100
_DEEPEST = 4


def placeholder(context: Context, suggested: Suggested, expression: Expression) -> Finding | None:
    """The suggestion to give a placeholder its size, where all that it is fed is known to have it."""
    node = expression.node
    assert isinstance(node, ast.Call)
    if not _runs_often(context, context.usual_trips):
        return None
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "shape")]
    if len(given) != 1 or not isinstance(given[0], ast.List | ast.Tuple):
        return None
    dims = given[0].elts
    shapes = set(_fed(context, node))
    open_dims = [index for index, each in enumerate(dims) if _is_none(each)]
    if not open_dims or len(shapes) != 1:
        return None
    (shape,) = shapes
    if shape is None or len(shape) != len(dims) or _step_seconds(context) > _LONGEST_STEP:
        return None
    sizes = [str(shape[index]) if index in open_dims else ast.unparse(each) for index, each in enumerate(dims)]
    known = f"[{', '.join(sizes)}]"
    message = (
        f"`{context.text(node)}` may have any size, but is fed {known} only; with its size the graph is simplified "
        f"where it would ask for shapes"
    )
    edits = []
    for index in open_dims:
        found = context.editable(dims[index])
        if not isinstance(found, ast.expr):
            return None
        edits.append(context.edits.replaced(found, sizes[index]))
    reason = "nothing else can be fed then, by other programs neither"
    often = [] if _runs_often(context, context.trips) else [f"the graph is run {_OFTEN} times or more"]
    return context.finding(
        suggested, message, context.program.outline.location(node),
        conditions=["a step takes a few milliseconds at most", *often],
        fix=Fix(f"`{known}`", tuple(edits), Applicability.UNSAFE, reason), data={"case": "placeholder"},
    )  # fmt: skip


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _step_seconds(context: Context) -> float:
    """What a step takes at most: the whole graph, and one iteration of each loop."""
    nodes = context.program.graph.nodes()
    first = (node for node in nodes if all(each.index in (None, 0) for each in node.loops))
    return cost(first, context.sizes).seconds


def _runs_often(context: Context, trips: Callable[[Loop], int | None]) -> bool:
    """Whether a loop around a run of the graph runs often enough, by what is known of loops."""
    runs = (each for each in context.program.outline.expressions if each.loops and _is_run(context, each))
    return any((trips(loop) or 0) >= _OFTEN for each in runs for loop in each.loops)


def _is_run(context: Context, expression: Expression) -> bool:
    called = isinstance(expression.node, ast.Call)
    return called and "tensorflow.compat.v1.Session.run" in context.program.callees(expression)


def _fed(context: Context, made: ast.Call) -> Iterator[tuple[int, ...] | None]:
    """The shape of everything that a placeholder is fed, None for one that is not known.

    Where something is fed for what is not seen to be another placeholder, it may be for this one.
    """
    program = context.program
    for node in program.outline.of_node:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                found = None if key is None else definition(context, key)
                if found is made:
                    yield _shape(context, value)
                elif (found is None or not is_placeholder(context, found)) and _may_be_fed(context, found):
                    yield None
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and definition(context, node.slice) is made
        ):
            yield None


def _may_be_fed(context: Context, key: ast.expr | None) -> bool:
    """Whether a key of a dictionary may be a placeholder, as far as is known."""
    seen = None if key is None else context.program.seen(context.program.outline.of_node[key])
    return seen is None or seen.kind in ("tensor", "unknown")


def _shape(context: Context, value: ast.expr) -> tuple[int, ...] | None:
    seen = context.program.seen(context.program.outline.of_node[value])
    shape = None if seen is None or seen.tensor is None else seen.tensor.shape
    if not isinstance(shape, tuple) or _may_be_cut(context, value):
        return None
    sizes = [each for each in shape if isinstance(each, int)]
    return tuple(sizes) if len(sizes) == len(shape) else None


def _may_be_cut(context: Context, value: ast.expr, depth: int = 0) -> bool:
    """Whether a value is cut out of something in a loop, so that the last piece of it may be shorter."""
    found = definition(context, value)
    if depth > _DEEPEST or any(isinstance(each, ast.Slice) for each in ast.walk(found)):
        return True
    for each in ast.walk(found):
        name = context.program.names_read.get(context.program.outline.of_node[each]) if _is_read(each) else None
        for setting in context.settings.get(name or "", []):
            if setting.target.loops and (
                setting.value is None or setting.loop is not None or _may_be_cut(context, setting.value.node, depth + 1)
            ):
                return True
    return False


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
