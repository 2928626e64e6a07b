"""Work of the host that every epoch does again for the same files or texts."""

from __future__ import annotations

import ast
from math import prod

from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import moved_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_MUTABLE = "what was read is the same object in all iterations, so that a change of it would last"
_UNWRITTEN = "nobody writes what is read while the loop runs"
_LARGEST_ELEMENT = 200_000
"""Bytes of an element beyond which a data set of usual length does not fit into memory."""
_RESIZING = frozenset(("tensorflow.image.resize", "tensorflow.image.resize_with_pad", "keras.ops.image.resize"))
_FITS = "what it yields for all of them fits into memory"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to read, decode or tokenise once."""
    expression = context.expressions[str(suggested.arguments[0])]
    match suggested.arguments[1:]:
        case (function, "no-cache"):
            return _uncached(context, suggested, expression, _function(context, str(function)))
        case (function, "whole", _):
            return _whole(context, suggested, expression, _function(context, str(function)))
        case (loop, often, kind):
            return _again(context, suggested, expression, context.loops[str(loop)], str(often), str(kind))
    return None


def _function(context: Context, name: str) -> Function:
    return next(each for each in context.program.outline.functions if each.name == name)


def _again(
    context: Context, suggested: Suggested, expression: Expression, loop: Loop, often: str, kind: str
) -> Finding | None:
    """What a loop does again, by itself or for each of some items."""
    trips = context.trips(loop)
    if trips is not None and trips < 2:
        return None
    outline = context.program.outline
    verb = "tokenises" if kind == "tokens" else "reads"
    times = f"in each of {trips:,} iterations" if trips is not None else "in every iteration"
    conditions = [] if kind == "tokens" else [_UNWRITTEN]
    if often == "once":
        conditions.append(
            f"{'tokenising' if kind == 'tokens' else 'reading'} takes a part of each iteration worth having"
        )
        cure = "done once before the loop it is there for all of them"
        same = "the same"
        fix = _fix(context, expression, loop)
    else:
        conditions += [_FITS, "it takes a part of each step worth having"]
        cure = "done once for each before the loop, and kept, it is there for all of them"
        same = "the same items"
        fix = Fix(f"keep what `{context.text(expression.node)}` yields for each item, and use it in every iteration")
    if trips is None:
        conditions.append("the loop runs at least 2 times")
    if kind == "tokens" and (site := context.program.site(expression)) is not None and site.dark:
        conditions.append(f"`{ast.unparse(_called(expression.node))}` yields the same for the same text each time")
    message = (
        f"`{context.text(expression.node)}` {verb} {same} again {times} of the loop in line {loop.node.lineno}; {cure}"
    )
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related(f"none of what it {verb} changes in this loop", outline.head(loop.node))],
        conditions=conditions, fix=fix, data={"case": often, "work": kind},
    )  # fmt: skip


def _called(node: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Call)
    return node.func


def _whole(context: Context, suggested: Suggested, expression: Expression, function: Function) -> Finding:
    """A file that is read as a whole for each item."""
    node = function.node
    index = node.args.args[1].arg if isinstance(node, ast.FunctionDef) and len(node.args.args) > 1 else "the index"
    message = (
        f"`{context.text(expression.node)}` reads all of the same file for every item, whatever `{index}` is; read "
        f"once in `__init__` it is there for all of them"
    )
    return context.finding(
        suggested, message, context.program.outline.location(expression.node), conditions=[_UNWRITTEN, _FITS],
        fix=Fix(f"`{context.text(expression.node)}` in `__init__`, kept as an attribute"), data={"case": "whole"},
    )  # fmt: skip


def _uncached(
    context: Context, suggested: Suggested, expression: Expression, function_of_elements: Function
) -> Finding | None:
    """Elements of a dataset that are decoded in every epoch, where they are small."""
    node = expression.node
    assert isinstance(node, ast.Call)
    size = _element_bytes(context, function_of_elements)
    if size is None or size > _LARGEST_ELEMENT:
        return None
    function = context.text(node.args[0], 40)
    message = (
        f"`map({function})` reads and decodes the same files again in every epoch; `.cache()` behind it keeps what the "
        f"first epoch has decoded"
    )
    found = context.editable(node)
    fix = Fix("`.cache()` behind the map")
    if isinstance(found, ast.Call):
        edit = context.edits.inserted(context.edits.end(found), ".cache()")
        reason = "all elements are kept in memory, in the order of the first epoch unless they are shuffled behind it"
        fix = Fix("`.cache()` behind the map", (edit,), Applicability.UNSAFE, reason)
    return context.finding(
        suggested, message, context.program.outline.location(node.args[0]),
        conditions=[
            _UNWRITTEN, f"the decoded elements, of {size // 1000} kB each, fit into memory",
            "decoding takes a part of each step worth having",
        ], fix=fix, data={"case": "no-cache", "bytes": size},
    )  # fmt: skip


def _element_bytes(context: Context, function: Function) -> int | None:
    """What an element takes that a function resizes, where its size is known."""
    for each in context.program.outline.expressions:
        if each.function is function and isinstance(each.node, ast.Call):
            seen = context.program.seen(each)
            shape = None if seen is None or seen.tensor is None else seen.tensor.shape
            if _RESIZING.intersection(context.program.callees(each)) and isinstance(shape, tuple):
                sizes = [size for size in shape if isinstance(size, int)]
                return 4 * prod(sizes) if len(sizes) == len(shape) else None
    return None


def _fix(context: Context, expression: Expression, loop: Loop) -> Fix:
    title = f"`{context.text(expression.node)}` before the loop"
    text = context.edits
    statement, outer = context.editable(expression.statement), context.editable(loop.node)
    if loop not in expression.loops:
        title = f"call what reads with `{context.text(expression.node)}` before the loop, and pass on what it yields"
    if (
        not isinstance(statement, ast.Assign | ast.With)
        or not isinstance(outer, ast.stmt)
        or text.parents.get(statement) is not outer
    ):
        return Fix(title)
    if isinstance(statement, ast.With) and not all(isinstance(each, ast.Assign) for each in statement.body):
        return Fix(title)
    targets, stored = _stored(statement), _stored(outer)
    elsewhere = [each for each in stored if stored.count(each) > targets.count(each)]
    read = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    if read & set(elsewhere) or set(targets) & set(elsewhere) or not targets:
        return Fix(title)
    edits = moved_before(text, statement, outer)
    return Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, _MUTABLE)


def _stored(node: ast.stmt) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
