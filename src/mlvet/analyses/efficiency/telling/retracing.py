"""A compiled function that is traced again for each new number or shape that it is called with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_FEWEST = 3
_SETTINGS = frozenset(("input_signature", "reduce_retracing", "experimental_relax_shapes"))
_COMPILERS = ("tensorflow.function", "jax.jit")


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to pass a tensor, or one shape, where a number or a shape differs from call to call."""
    argument, call = context.expressions[str(suggested.arguments[0])], context.expressions[str(suggested.arguments[1])]
    function = next(each for each in context.program.outline.functions if each.name == suggested.arguments[2])
    library, loop = str(suggested.arguments[3]), context.loops[str(suggested.arguments[4])]
    trips = context.trips(loop)
    settings = list(_settings(context, function))
    if (trips is not None and trips < _FEWEST) or any(each.arg in _SETTINGS for each in settings):
        return None
    conditions = [] if trips is not None else [f"the loop runs at least {_FEWEST} times"]
    if isinstance(argument.node, ast.Subscript):
        return _shape(context, suggested, argument, function, loop, conditions)
    if library == "jax" and not _is_static(call.node, argument.node, function, settings):
        return None
    outline = context.program.outline
    text = context.text(argument.node)
    cure = "pass it as a tensor" if library == "tensorflow" else "leave it out of the static arguments"
    name = function.title or context.text(call.node)
    message = (
        f"`{name}` is traced again for each value of `{text}`, which differs in every "
        f"iteration of the loop in line {loop.node.lineno}; {cure}"
    )
    return context.finding(
        suggested, message, outline.location(argument.node),
        related=[Related("it differs from one iteration to the next", outline.head(loop.node))], conditions=conditions,
        fix=_fix(context, argument, text) if library == "tensorflow" else Fix(cure), data={"library": library},
    )  # fmt: skip


def _settings(context: Context, function: Function) -> Iterator[ast.keyword]:
    """The settings with which a function is compiled, by a decorator or by a call that names it."""
    node = function.node
    for each in getattr(node, "decorator_list", []):
        if isinstance(each, ast.Call):
            yield from each.keywords
    for expression in context.program.outline.expressions:
        call = expression.node
        if isinstance(call, ast.Call) and call.args and context.program.dotted(call.func) in _COMPILERS:
            first = call.args[0]
            if first is node or (isinstance(first, ast.Name) and first.id == function.title):
                yield from call.keywords


def _is_static(call: ast.expr, argument: ast.expr, function: Function, settings: list[ast.keyword]) -> bool:
    """Whether an argument of a function compiled by JAX is one that it is compiled for."""
    assert isinstance(call, ast.Call)
    if isinstance(function.node, ast.Module):
        return False
    names = [each.arg for each in function.node.args.args]
    position = call.args.index(argument) if argument in call.args else None
    keyword = next((each.arg for each in call.keywords if each.value is argument), None)
    name = keyword if position is None else names[position] if position < len(names) else None
    for setting in settings:
        values = [each.value for each in ast.walk(setting.value) if isinstance(each, ast.Constant)]
        if setting.arg == "static_argnums" and name in names and names.index(name or "") in values:
            return True
        if setting.arg == "static_argnames" and name in values:
            return True
    return False


def _shape(
    context: Context, suggested: Suggested, argument: Expression, function: Function, loop: Loop, conditions: list[str]
) -> Finding | None:
    """A slice whose length differs from call to call."""
    node = argument.node
    assert isinstance(node, ast.Subscript)
    seen = context.program.seen(context.program.outline.of_node[node.value])
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    targets = {each.id for target in loop.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    if seen is None or seen.kind != "tensor" or not any(_grows(each, targets) for each in parts):
        return None
    outline = context.program.outline
    message = (
        f"`{function.title}` is traced again for each shape of `{context.text(node)}`, whose length differs in every "
        f"iteration of the loop in line {loop.node.lineno}; a slice of one length, padded and masked, is traced once"
    )
    title = f"pass all of `{context.text(node.value)}` with the number of elements that count, and mask the rest"
    return context.finding(
        suggested, message, outline.location(node),
        related=[Related("the bound differs from one iteration to the next", outline.head(loop.node))],
        conditions=conditions, fix=Fix(title), data={"case": "shape"},
    )  # fmt: skip


def _grows(part: ast.expr, targets: set[str]) -> bool:
    """Whether a slice has one bound only, and that a number which the loop counts."""
    if not isinstance(part, ast.Slice) or (part.lower is None) == (part.upper is None):
        return False
    bound = part.lower if part.upper is None else part.upper
    return bound is not None and any(isinstance(each, ast.Name) and each.id in targets for each in ast.walk(bound))


def _fix(context: Context, argument: Expression, text: str) -> Fix:
    reference = context.edits.reference("tensorflow.constant")
    found = context.editable(argument.node)
    title = f"`tf.constant({text})`"
    if not reference or not isinstance(found, ast.expr):
        return Fix(title)
    edits = context.edits.wrapped(found, f"{reference}(", ")")
    reason = "inside of the function it is a tensor then, which cannot be used as a Python number"
    return Fix(title, edits, Applicability.UNSAFE, reason)
