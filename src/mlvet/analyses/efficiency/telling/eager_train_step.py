"""A training step that Python runs operator by operator."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.costs import Cost
from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.extraction import Step, extracted, step_of
from mlvet.analyses.efficiency.telling.moves import inserted_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.core.location import Location

_OVERHEAD = {"tensorflow": 3e-5, "jax": 5e-5}
"""Seconds that Python takes to start one operator."""
_LEAST_SHARE = 0.05
_FEW = 30
"""So many steps take less time than to compile one."""
_COMPILER = {"tensorflow": ("tensorflow.function", "tf.function"), "jax": ("jax.jit", "jax.jit")}
_TAKEN = {
    "tensorflow": frozenset(("tensor", "object", "dict", "tuple", "none")),
    "jax": frozenset(("tensor", "dict", "list", "tuple", "number")),
}
"""What a compiled function takes without being compiled again for each value."""
_REASON = {
    "tensorflow": "Python statements of the function run only while it is traced, a new shape is traced again, and a "
    "seed draws other random numbers",
    "jax": "Python statements of the function run only while it is traced, and it must not change what is outside",
}
_OFTEN = f"the step is called more than {_FEW} times"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compile the step, where starting its operators takes a part of it worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    match str(suggested.arguments[2]):
        case "inline":
            return _inline(context, suggested, expression, context.loops[str(suggested.arguments[1])])
        case "gradient":
            return _gradient(context, suggested, expression, context.expressions[str(suggested.arguments[1])])
    function = next(each for each in context.program.outline.functions if each.name == suggested.arguments[1])
    return _function(context, suggested, expression, function)


def _function(context: Context, suggested: Suggested, call: Expression, function: Function) -> Finding | None:
    """A function that is called step by step."""
    library = str(suggested.arguments[2])
    kinds = [_kind(context, each) for each in _given(call.node)]
    if not _takes(kinds, library) or _is_seldom(context, call) or not _pays(context.cost(call), library):
        return None
    node = function.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    name = _compiler(context, library)
    outline = context.program.outline
    message = (
        f"`{function.title}` computes gradients and is run operator by operator in every call; compiled by `{name}` it "
        f"is traced once and runs as one"
    )
    return context.finding(
        suggested, message, outline.location(call.node),
        related=[Related("the step is defined here", _head(context, node))], conditions=[_OFTEN],
        fix=_decorated(context, function, library, name, kinds), data={"library": library},
    )  # fmt: skip


def _inline(context: Context, suggested: Suggested, tape: Expression, loop: Loop) -> Finding | None:
    """Statements of a loop that are a step of TensorFlow."""
    step = step_of(context, tape, loop)
    if step is None or _is_seldom(context, tape) or not _pays(context.cost_of_iteration(loop), "tensorflow"):
        return None
    if not _takes([_kind_of(context, each) for each in step.given.values()], "tensorflow"):
        return None
    if _is_in_another(context, suggested, tape, loop):
        return None
    name = _compiler(context, "tensorflow")
    outline = context.program.outline
    message = (
        f"the loop in line {loop.node.lineno} computes gradients and applies them operator by operator; as a function "
        f"that `{name}` compiles, the step is traced once and runs as one"
    )
    return context.finding(
        suggested, message, outline.location(tape.node),
        related=[Related("the steps are taken in this loop", outline.head(loop.node))], conditions=[_OFTEN],
        fix=_moved_out(context, step, name), data={"library": "tensorflow"},
    )  # fmt: skip


def _is_in_another(context: Context, suggested: Suggested, tape: Expression, loop: Loop) -> bool:
    """Whether a step that is told at an earlier tape of the loop has this tape in it."""
    for each in context.suggested:
        other = context.expressions.get(str(each.arguments[0]))
        if other is None or each.arguments[1:] != suggested.arguments[1:] or other.node.lineno >= tape.node.lineno:
            continue
        step = step_of(context, other, loop)
        around = step is not None and any(tape.node in ast.walk(one) for one in step.statements)
        if around and _inline(context, each, other, loop) is not None:
            return True
    return False


def _moved_out(context: Context, step: Step, name: str) -> Fix:
    title = f"move the step into a function: `@{name}`, `def {step.name}({step.parameters}): ...`"
    edits = extracted(context, step, f"@{name}") if context.edits.reference(_COMPILER["tensorflow"][0]) else None
    return Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, _REASON["tensorflow"])


def _gradient(context: Context, suggested: Suggested, made: Expression, used: Expression) -> Finding | None:
    """A gradient of JAX that is computed in a loop without being compiled."""
    kinds = [_kind(context, each) for each in _given(used.node)]
    if not all(kind in _TAKEN["jax"] for kind in kinds) or not kinds or _is_seldom(context, used):
        return None
    if not _pays(_cost_of_gradient(context, made, used), "jax"):
        return None
    name = _compiler(context, "jax")
    outline = context.program.outline
    text = context.text(made.node)
    message = f"`{text}` is run operator by operator in every call; `{name}({text})` is compiled once and runs as one"
    return context.finding(
        suggested, message, outline.location(made.node),
        related=[Related("it is called again and again here", outline.location(used.node))], conditions=[_OFTEN],
        fix=_compiled(context, made, name), data={"library": "jax"},
    )  # fmt: skip


def _cost_of_gradient(context: Context, made: Expression, used: Expression) -> Cost:
    """What the function costs that a gradient is of, by its own operators where the call shows none."""
    found = context.cost(used)
    inner = made.node
    while isinstance(inner, ast.Call) and inner.args:
        inner = inner.args[0]
    title = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
    for function in context.program.outline.functions:
        if function.title == title or function.node is inner:
            found = found + context.cost_of_function(function)
    return found


def _compiled(context: Context, made: Expression, name: str) -> Fix:
    """The gradient compiled where it is made; before the loops if it is made in one."""
    text, node = context.edits, context.editable(made.node)
    title = f"`{name}({context.text(made.node)})`"
    if not isinstance(node, ast.Call) or not text.reference(_COMPILER["jax"][0]):
        return Fix(title)
    if not made.loops:
        return Fix(title, text.wrapped(node, f"{name}(", ")"), Applicability.UNSAFE, _REASON["jax"])
    before = context.editable(made.loops[0].node)
    function = node.args[0] if node.args else None
    new = f"{getattr(function, 'id', 'loss')}_grad"
    steady = isinstance(function, ast.Name) and all(isinstance(each, ast.Constant) for each in _given(node)[1:])
    if not steady or new in context.used_names or not isinstance(before, ast.stmt) or not text.begins_line(before):
        return Fix(f"{title} once before the loop")
    assert isinstance(function, ast.Name)
    if _is_set_within(made.loops[0], function.id):
        return Fix(f"{title} once before the loop")
    edits = (inserted_before(text, before, f"{new} = {name}({text.of(node)})"), text.replaced(node, new))
    return Fix(f"`{new} = {name}({text.of(node)})` before the loop", edits, Applicability.UNSAFE, _REASON["jax"])


def _is_set_within(loop: Loop, name: str) -> bool:
    return any(
        (isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store))
        or (isinstance(each, ast.FunctionDef) and each.name == name)
        for each in ast.walk(loop.node)
    )


def _pays(cost: Cost, library: str) -> bool:
    overhead = 3 * cost.calls * _OVERHEAD[library]
    return overhead > 0 and overhead / (overhead + 3 * cost.seconds) >= _LEAST_SHARE


def _is_seldom(context: Context, call: Expression) -> bool:
    """Whether a call at the top level is known to run too few times to be worth a compilation."""
    often = 1
    for loop in call.loops:
        trips = context.trips(loop)
        if trips is None:
            return False
        often *= trips
    return isinstance(call.function.node, ast.Module) and often <= _FEW


def _takes(kinds: list[str], library: str) -> bool:
    """Whether a compiled function can take such arguments without being compiled for each anew."""
    return not any(
        kind in ("function", "module", "text") or (library == "tensorflow" and kind in ("list", "number"))
        for kind in kinds
    )


def _compiler(context: Context, library: str) -> str:
    full, usual = _COMPILER[library]
    return context.edits.reference(full) or usual


def _given(node: ast.expr) -> list[ast.expr]:
    return [*node.args, *(each.value for each in node.keywords)] if isinstance(node, ast.Call) else []


def _kind(context: Context, node: ast.expr) -> str:
    expression = context.program.outline.of_node.get(node)
    return "unknown" if expression is None else _kind_of(context, expression)


def _kind_of(context: Context, expression: Expression) -> str:
    seen = context.program.seen(expression)
    return seen.kind if seen is not None else "unknown"


def _head(context: Context, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Location:
    return context.program.outline.source.location(node.lineno, node.col_offset + 1)


def _decorated(context: Context, function: Function, library: str, name: str, kinds: list[str]) -> Fix:
    text = context.edits
    found = context.editable(function.node) if isinstance(function.node, ast.FunctionDef) else None
    title = f"`@{name}` above `def {function.title}`"
    known = all(kind in _TAKEN[library] for kind in kinds) or library == "tensorflow"
    method = context.program.is_method(function) and library != "tensorflow"
    if not isinstance(found, ast.FunctionDef) or not known or method:
        return Fix(title)
    if _has_effects(found) or not context.edits.reference(_COMPILER[library][0]) or found.decorator_list:
        return Fix(f"{title}, without what it does beside computing, such as `print`")
    edit = text.inserted((found.lineno, 1), f"{text.indentation(found)}@{name}\n")
    return Fix(title, (edit,), Applicability.UNSAFE, _REASON[library])


def _has_effects(node: ast.FunctionDef) -> bool:
    """Whether a function prints, gathers in lists, or changes what is outside of it."""
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Name(id="print" | "float" | "int")) | ast.Global() | ast.Nonlocal():
                return True
            case ast.Call(func=ast.Attribute(attr="append" | "extend" | "info" | "add_scalar")):
                return True
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign(target=ast.Attribute()):
                return True
    return False
