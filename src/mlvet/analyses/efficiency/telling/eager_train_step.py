"""A training step that Python runs operator by operator."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Function
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.core.location import Location

_OVERHEAD = {"tensorflow": 3e-5, "jax": 5e-5}
"""Seconds that Python takes to start one operator."""
_LEAST_SHARE = 0.05
_COMPILER = {"tensorflow": ("tensorflow.function", "tf.function"), "jax": ("jax.jit", "jax.jit")}
_TAKEN = {
    "tensorflow": frozenset(("tensor", "object", "dict", "tuple", "none")),
    "jax": frozenset(("tensor", "dict", "list", "tuple", "number")),
}
"""What a compiled function takes without being compiled again for each value."""
_REASON = {
    "tensorflow": "Python statements of the function run only while it is traced, and a new shape is traced again",
    "jax": "Python statements of the function run only while it is traced, and it must not change what is outside",
}


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compile the step, where starting its operators takes a part of it worth having."""
    call = context.expressions[str(suggested.arguments[0])]
    function = next(each for each in context.program.outline.functions if each.name == suggested.arguments[1])
    library = str(suggested.arguments[2])
    kinds = [_kind(context, each) for each in _given(call.node)]
    if any(
        kind in ("function", "module", "text") or (library == "tensorflow" and kind in ("list", "number"))
        for kind in kinds
    ):
        return None
    cost = context.cost(call)
    overhead = 3 * cost.calls * _OVERHEAD[library]
    if overhead == 0 or overhead / (overhead + 3 * cost.seconds) < _LEAST_SHARE:
        return None
    node = function.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    full, usual = _COMPILER[library]
    name = context.edits.reference(full) or usual
    outline = context.program.outline
    message = (
        f"`{function.title}` computes gradients and is run operator by operator in every call; compiled by `{name}` it "
        f"is traced once and runs as one"
    )
    return context.finding(
        suggested, message, outline.location(call.node),
        related=[Related("the step is defined here", _head(context, node))],
        conditions=["the step is called more often than a few times"],
        fix=_fix(context, function, library, name, kinds), data={"library": library},
    )  # fmt: skip


def _given(node: ast.expr) -> list[ast.expr]:
    return [*node.args, *(each.value for each in node.keywords)] if isinstance(node, ast.Call) else []


def _kind(context: Context, node: ast.expr) -> str:
    expression = context.program.outline.of_node.get(node)
    seen = context.program.seen(expression) if expression is not None else None
    return seen.kind if seen is not None else "unknown"


def _head(context: Context, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Location:
    return context.program.outline.source.location(node.lineno, node.col_offset + 1)


def _fix(context: Context, function: Function, library: str, name: str, kinds: list[str]) -> Fix:
    text = context.edits
    found = context.editable(function.node) if isinstance(function.node, ast.FunctionDef) else None
    title = f"`@{name}` above `def {function.title}`"
    known = all(kind in _TAKEN[library] for kind in kinds) or library == "tensorflow"
    if not isinstance(found, ast.FunctionDef) or not known or context.program.is_method(function):
        return Fix(title)
    if _has_effects(found) or not context.edits.reference(_COMPILER[library][0]):
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
