"""Placeholders of TensorFlow 1 of any size that are fed one size only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from math import prod

from mlvet.analyses.efficiency.costs import cost
from mlvet.analyses.efficiency.host.outline import Expression
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.definitions import definition, is_placeholder
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_LONGEST_STEP = 2e-4
"""Seconds. Known sizes save about 20 microseconds of a run, which is not felt in longer steps."""
_OFTEN = 2_000
"""Runs from which on they save a part of the program that is felt, because the graph is built before."""
_RAISED = 10
"""How many times its default a user may set an option to."""
_DEEPEST = 4


def placeholder(context: Context, suggested: Suggested, expression: Expression) -> Finding | None:
    """The suggestion to give all placeholders that are fed together their sizes, told at the first of them.

    Where one of them has to stay open nothing is told: the shapes that depend on it are asked for still.
    """
    node = expression.node
    assert isinstance(node, ast.Call)
    often = _runs_often(context)
    if often is False:
        return None
    together = [each for each in _fed_with(context, node) if each is node or _is_open(each)]
    if together[0] is not node or _step_seconds(context) > _LONGEST_STEP:
        return None
    sizes: list[str] = []
    edits: list[Edit] = []
    for each in together:
        found = _sizes(context, each)
        if found is None:
            return None
        sizes.append(f"[{', '.join(found)}]")
        for dim, size in zip(_dims(each), found, strict=True):
            if _is_none(dim):
                written = context.editable(dim)
                if not isinstance(written, ast.expr):
                    return None
                edits.append(context.edits.replaced(written, size))
    outline = context.program.outline
    who, fed = f"`{context.text(node)}` may have any size, but is fed", "its size"
    if len(together) > 1:
        lines = _listed([str(each.lineno) for each in together])
        who, fed = f"the placeholders in lines {lines} may have any size, but are fed", "their sizes"
    message = f"{who} {_listed(sizes)} only; with {fed} the graph is simplified where it would ask for shapes"
    reason = "nothing else can be fed then, by other programs neither"
    runs = [] if often else [f"the graph is run {_OFTEN:,} times or more"]
    return context.finding(
        suggested, message, outline.location(node),
        related=[Related("is fed with it", outline.location(each)) for each in together[1:]],
        conditions=["a step takes a fifth of a millisecond or little more", *runs],
        fix=Fix(f"`{'`, `'.join(sizes)}`", tuple(edits), Applicability.UNSAFE, reason), data={"case": "placeholder"},
    )  # fmt: skip


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _fed_with(context: Context, made: ast.Call) -> list[ast.Call]:
    """The placeholders that some run feeds with this one, or with one of those, in the order of the file."""
    feeds: dict[ast.AST, set[ast.Call]] = {}
    for node in context.program.outline.of_node:
        if isinstance(node, ast.Dict):
            feeds.setdefault(node, set()).update(_placeholders(context, [each for each in node.keys if each]))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            feeds.setdefault(definition(context, node.value), set()).update(_placeholders(context, [node.slice]))
    found, before = {made}, 0
    while len(found) > before:
        before = len(found)
        found.update(*(each for each in feeds.values() if found & each))
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _placeholders(context: Context, keys: Iterable[ast.expr]) -> Iterator[ast.Call]:
    for key in keys:
        found = definition(context, key)
        if isinstance(found, ast.Call) and is_placeholder(context, found):
            yield found


def _is_open(made: ast.Call) -> bool:
    """Whether a placeholder may have different sizes, as far as is seen."""
    shape = _shape_of(made)
    return not isinstance(shape, ast.List | ast.Tuple) or any(map(_is_none, shape.elts))


def _shape_of(made: ast.Call) -> ast.expr | None:
    given = [*made.args[1:2], *(each.value for each in made.keywords if each.arg == "shape")]
    return given[0] if len(given) == 1 else None


def _dims(made: ast.Call) -> list[ast.expr]:
    shape = _shape_of(made)
    return shape.elts if isinstance(shape, ast.List | ast.Tuple) else []


def _sizes(context: Context, made: ast.Call) -> list[str] | None:
    """What the dimensions of an open placeholder are in all that it is fed, as they would be written."""
    dims, shapes = _dims(made), set(_fed(context, made))
    if not any(map(_is_none, dims)) or len(shapes) != 1:
        return None
    (shape,) = shapes
    if shape is None or len(shape) != len(dims):
        return None
    return [str(size) if _is_none(dim) else ast.unparse(dim) for dim, size in zip(dims, shape, strict=True)]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _step_seconds(context: Context) -> float:
    """What a step takes at most: the whole graph, and one iteration of each loop."""
    nodes = context.program.graph.nodes()
    first = (node for node in nodes if all(each.index in (None, 0) for each in node.loops))
    return cost(first, context.sizes).seconds


def _runs_often(context: Context) -> bool | None:
    """Whether some place runs the graph often enough; None if a user can set an option so that it does."""
    found: bool | None = False
    for each in context.program.outline.expressions:
        if each.loops and _is_run(context, each):
            if prod(context.trips(loop) or 1 for loop in each.loops) >= _OFTEN:
                return True
            settable = any(context.trips(loop) is None for loop in each.loops)
            if settable and prod(context.usual_trips(loop) or 1 for loop in each.loops) * _RAISED >= _OFTEN:
                found = None
    return found


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
