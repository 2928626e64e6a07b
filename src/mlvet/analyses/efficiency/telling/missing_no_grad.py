"""Evaluation of a PyTorch model that records what only gradients need."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression, Function
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import wrapped_block
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_HARMLESS = frozenset(("number", "text", "none"))
_REASON = "tensors that are made there can no longer be differentiated"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to evaluate under `torch.no_grad()`; memory is what it saves for sure."""
    call = context.expressions[str(suggested.arguments[0])]
    mode = context.expressions[str(suggested.arguments[1])]
    if not _is_torch(context, call) or (_learns_somewhere(context) and not _keeps_to_itself(context, call.function)):
        return None
    assert isinstance(call.node, ast.Call)
    model = context.text(call.node.func)
    outline = context.program.outline
    message = (
        f"`{context.text(call.node)}` is evaluated with gradients recorded, though nothing is learned from it: every "
        f"activation of `{model}` is kept in memory until its result is dropped; under `torch.no_grad()` none is"
    )
    site = context.program.site(call)
    unknown = site is None or (site.dark and not site.enters)
    return context.finding(
        suggested, message, outline.location(call.node),
        related=[Related(f"`{model}` is set to evaluate here", outline.location(mode.node))],
        conditions=[f"`{model}` is a PyTorch module"] if unknown else [], fix=_fix(context, call, mode),
        data={"saves": "memory"},
    )  # fmt: skip


def _is_torch(context: Context, call: Expression) -> bool:
    """Whether what is called is a module of PyTorch, or may be one in a file that knows no other library."""
    site = context.program.site(call)
    names = site.names if site is not None else ()
    if any(name.startswith("torch.") for name in names):
        return True
    imported = {whole.partition(".")[0] for whole in context.edits.imports}
    return "torch" in imported and imported.isdisjoint(("tensorflow", "keras", "flax"))


def _learns_somewhere(context: Context) -> bool:
    return any(
        isinstance(each.node, ast.Attribute) and each.node.attr in ("backward", "grad")
        for each in context.program.outline.expressions
    )


def _keeps_to_itself(context: Context, function: Function) -> bool:
    """Whether a function lets no tensor with gradients out: it returns numbers, text or what is detached."""
    if isinstance(function.node, ast.Module):
        return True
    for each in ast.walk(function.node):
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return False
        if isinstance(each, ast.Return) and each.value is not None and each.value in context.program.outline.of_node:
            parts = each.value.elts if isinstance(each.value, ast.Tuple) else [each.value]
            if not all(_harmless(context, part) for part in parts):
                return False
    return True


def _harmless(context: Context, node: ast.expr) -> bool:
    expression = context.program.outline.of_node.get(node)
    seen = context.program.seen(expression) if expression is not None else None
    if seen is not None and (seen.kind in _HARMLESS or seen.type == "numpy.ndarray"):
        return True
    if isinstance(node, ast.BinOp):
        return _harmless(context, node.left) and _harmless(context, node.right)
    match node:
        case (
            ast.Call(func=ast.Attribute(attr="item" | "tolist" | "numpy" | "detach"))
            | ast.Call(func=ast.Name(id="float" | "int" | "len" | "round"))
        ):
            return True
    return False


def _fix(context: Context, call: Expression, mode: Expression) -> Fix:
    torch, text = context.edits.reference("torch"), context.edits
    name = f"{torch or 'torch'}.no_grad()"
    definition = context.editable(call.function.node) if isinstance(call.function.node, ast.FunctionDef) else None
    if torch and isinstance(definition, ast.FunctionDef) and not _learns(call.function):
        edit = text.inserted((definition.lineno, 1), f"{text.indentation(definition)}@{name}\n")
        return Fix(f"decorate `{definition.name}` with `@{name}`", (edit,), Applicability.UNSAFE, _REASON)
    outer = next((each for each in call.loops if each not in mode.loops), None)
    loop = context.editable(outer.node) if outer is not None else None
    title = f"`with {name}:` around the evaluation"
    if torch and isinstance(loop, ast.For | ast.While):
        edits: tuple[Edit, ...] | None = wrapped_block(text, [loop], f"with {name}:")
        if edits is not None:
            return Fix(title, edits, Applicability.UNSAFE, _REASON)
    return Fix(title)


def _learns(function: Function) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("backward", "train") for each in ast.walk(function.node)
    )
