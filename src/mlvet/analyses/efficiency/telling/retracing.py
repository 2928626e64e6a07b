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
_COMPILERS = ("tensorflow.function", "jax.jit", "torch.compile")
_FEWEST_SIZES = 8
"""So many sizes are worth a change of the program; fewer are compiled and kept."""
_SIZED = frozenset(
    (
        "zeros", "ones", "full", "empty", "eye", "arange", "linspace", "reshape", "broadcast_to", "tile", "repeat",
        "split", "one_hot", "top_k", "normal", "uniform", "randint", "fori_loop", "scan",
    )
)  # fmt: skip
"""Functions whose sizes must be known when they are traced."""
_CURES = {
    "tensorflow": "with `reduce_retracing=True` it is traced for sizes of any kind",
    "jax": "padded to one size and masked it is traced once",
    "torch": "without `dynamic=False` it is compiled for sizes of any kind",
}


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to pass a tensor, or one shape, where a number or a shape differs from call to call."""
    argument, call = context.expressions[str(suggested.arguments[0])], context.expressions[str(suggested.arguments[1])]
    function = next(each for each in context.program.outline.functions if each.name == suggested.arguments[2])
    library, loop = str(suggested.arguments[3]), context.loops[str(suggested.arguments[4])]
    trips = context.trips(loop)
    settings = list(_settings(context, function))
    if (trips is not None and trips < _FEWEST) or any(each.arg in _SETTINGS for each in settings):
        return None
    if suggested.arguments[5] == "shape":
        return _shape(context, suggested, argument, function, library, loop)
    if _has_two_values(context, argument):
        return None
    conditions = [] if trips is not None else [f"the loop runs at least {_FEWEST} times"]
    if library == "torch" and not _is_static_by_wish(settings):
        return None
    if library == "jax":
        name = _parameter(call.node, argument.node, function)
        if not name or not _is_static(name, function, settings) or _counts(name, function):
            return None
    outline = context.program.outline
    text = context.text(argument.node)
    cures = {"tensorflow": "pass it as a tensor", "jax": "leave it out of the static arguments"}
    cure = cures.get(library, "leave out `dynamic=False`")
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


def _has_two_values(context: Context, argument: Expression) -> bool:
    """Whether an argument is true or false, for each of which a function is traced once."""
    seen = context.program.seen(argument)
    tests = isinstance(argument.node, ast.Compare | ast.BoolOp) or (
        isinstance(argument.node, ast.UnaryOp) and isinstance(argument.node.op, ast.Not)
    )
    return tests or (seen is not None and seen.type.lower() == "bool")


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


def _parameter(call: ast.expr, argument: ast.expr, function: Function) -> str:
    """The name of the parameter that an argument is given for; empty if it is not known."""
    assert isinstance(call, ast.Call)
    if isinstance(function.node, ast.Module):
        return ""
    names = [each.arg for each in function.node.args.args]
    if argument not in call.args:
        return next((each.arg or "" for each in call.keywords if each.value is argument), "")
    position = call.args.index(argument)
    return names[position] if position < len(names) else ""


def _is_static(name: str, function: Function, settings: list[ast.keyword]) -> bool:
    """Whether a parameter of a function compiled by JAX is one that it is compiled for."""
    assert not isinstance(function.node, ast.Module)
    names = [each.arg for each in function.node.args.args]
    for setting in settings:
        values = [each.value for each in ast.walk(setting.value) if isinstance(each, ast.Constant)]
        if setting.arg == "static_argnums" and name in names and names.index(name) in values:
            return True
        if setting.arg == "static_argnames" and name in values:
            return True
    return False


def _counts(name: str, function: Function) -> bool:
    """Whether a function needs a parameter as a number of Python: for a range, a branch, a size or a slice."""
    for each in ast.walk(function.node):
        match each:
            case ast.If(test=part) | ast.While(test=part) | ast.IfExp(test=part) | ast.Assert(test=part):
                places: list[ast.AST] = [part]
            case ast.Slice():
                places = [each]
            case ast.Call(func=ast.Name(id="range" | "int" | "float" | "bool") | ast.Attribute(attr=_), args=given):
                called = each.func.attr if isinstance(each.func, ast.Attribute) else "range"
                places = [*given, *each.keywords] if called in _SIZED or called == "range" else []
            case _:
                continue
        if any(isinstance(node, ast.Name) and node.id == name for place in places for node in ast.walk(place)):
            return True
    return False


def _shape(
    context: Context, suggested: Suggested, argument: Expression, function: Function, library: str, loop: Loop
) -> Finding | None:
    """A tensor whose size differs from call to call."""
    trips = context.trips(loop)
    settings = list(_settings(context, function))
    if (trips is not None and trips < _FEWEST_SIZES) or (library == "torch" and not _is_static_by_wish(settings)):
        return None
    cure = _CURES[library]
    name, text = function.title or "the function", context.text(argument.node)
    message = (
        f"`{name}` is traced again for each size of `{text}`, which differs from one iteration of the loop in line "
        f"{loop.node.lineno} to the next; {cure}"
    )
    conditions = [] if trips is not None else [f"it has at least {_FEWEST_SIZES} different sizes"]
    outline = context.program.outline
    return context.finding(
        suggested, message, outline.location(argument.node),
        related=[Related("its size differs from one iteration to the next", outline.head(loop.node))],
        conditions=conditions, fix=_shape_fix(context, function, library, text), data={"case": "shape"},
    )  # fmt: skip


def _is_static_by_wish(settings: list[ast.keyword]) -> bool:
    """Whether PyTorch is told to compile for each size by itself; by default it sees that sizes differ."""
    return any(
        each.arg == "dynamic" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in settings
    )


def _shape_fix(context: Context, function: Function, library: str, text: str) -> Fix:
    """For TensorFlow a setting of the decorator, for JAX counsel."""
    if library == "jax":
        return Fix(f"pad `{text}` to one size, pass the number of elements that count, and mask the rest")
    if library == "torch":
        return Fix("`dynamic=True`")
    setting = "reduce_retracing=True"
    decorators = getattr(function.node, "decorator_list", [])
    chosen = next((each for each in decorators if context.program.dotted(_callee(each)) == "tensorflow.function"), None)
    found = None if chosen is None else context.editable(chosen)
    if not isinstance(found, ast.expr):
        return Fix(f"`tf.function` with `{setting}`")
    if isinstance(found, ast.Call):
        given = [*found.args, *(each.value for each in found.keywords)]
        if not given:
            return Fix(f"`tf.function` with `{setting}`")
        edit = context.edits.inserted(context.edits.end(given[-1]), f", {setting}")
    else:
        edit = context.edits.inserted(context.edits.end(found), f"({setting})")
    reason = "sizes that differ are not known inside of the function then, so that Python cannot count with them"
    return Fix(f"`tf.function` with `{setting}`", (edit,), Applicability.UNSAFE, reason)


def _callee(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _fix(context: Context, argument: Expression, text: str) -> Fix:
    reference = context.edits.reference("tensorflow.constant")
    found = context.editable(argument.node)
    title = f"`tf.constant({text})`"
    if not reference or not isinstance(found, ast.expr):
        return Fix(title)
    edits = context.edits.wrapped(found, f"{reference}(", ")")
    reason = "inside of the function it is a tensor then, which cannot be used as a Python number"
    return Fix(title, edits, Applicability.UNSAFE, reason)
