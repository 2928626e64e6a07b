"""Forward passes of PyTorch of which gradients are recorded, though nothing learns from them."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.costs import cost
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import BACKWARD, Context
from mlvet.analyses.efficiency.telling.moves import stands_alone, wrapped_block
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_REASON = "tensors that are made there can no longer be differentiated"
_LARGE = 5e7
"""Bytes of operands and results from which on an evaluation that runs once is worth a word."""
_LEAST_SHARE = 0.1
"""The part of an iteration's activations that is felt: they are about half of what an iteration keeps at its peak."""
_MARGIN = 2.0
"""How many times that part must be there where sizes are guessed."""
_OTHERS = ("tensorflow", "keras", "flax", "jax")


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compute under `torch.no_grad()`; memory is what it saves for sure."""
    call = context.expressions[str(suggested.arguments[0])]
    site = context.program.site(call)
    unknown = site is None or (site.dark and not site.enters)
    if _is_rare(call) or (unknown and not _knows_torch_only(context)):
        return None
    if suggested.arguments[2] == "once" and not _is_large(context, call):
        return None
    unfelt = suggested.arguments[2] == "outweighed" or _is_slight(context, call)
    if unfelt and not context.cost(call).is_calling:
        return None
    assert isinstance(call.node, ast.Call)
    model = context.text(call.node.func)
    outline = context.program.outline
    message = (
        f"`{context.text(call.node)}` is computed with gradients recorded, though nothing learns from it: every "
        f"activation of `{model}` is kept in memory until its result is dropped; under `torch.no_grad()` none is"
    )
    related = [Related("it is computed in this loop", outline.head(call.loops[0].node))] if call.loops else []
    return context.finding(
        suggested, message, outline.location(call.node), related=related,
        conditions=[f"`{model}` is a PyTorch module"] if unknown else [],
        fix=_fix(context, call, whole=suggested.arguments[1] == "whole"), data={"saves": "memory"},
    )  # fmt: skip


def _is_large(context: Context, call: Expression) -> bool:
    """Whether a single evaluation moves so much that its activations are felt in memory."""
    return not (spent := context.cost(call)).guessed and spent.bytes >= _LARGE


def _is_slight(context: Context, call: Expression) -> bool:
    """Whether every iteration also learns, from so much more that the activations of a call are not felt."""
    if not call.loops or not _learns_beside(context, call):
        return False
    own, all_of_it = cost(context.nodes_of_one(call), context.sizes), context.cost_of_iteration(call.loops[-1])
    least = _LEAST_SHARE * (_MARGIN if own.guessed or all_of_it.guessed else 1.0)
    return own.bytes < least * all_of_it.bytes / BACKWARD


def _learns_beside(context: Context, call: Expression) -> bool:
    """Whether gradients are computed whenever a call runs, in the same iteration."""
    beside = context.program.outline.directly_in[call.loops[-1]]
    always = (each.node for each in beside if {*each.conditions} <= {*call.conditions})
    return any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in always)


def _is_rare(call: Expression) -> bool:
    """Whether a call runs in some iterations only, such as every hundredth."""
    return any(isinstance(each, ast.Mod) for test in call.conditions for each in ast.walk(test))


def _knows_torch_only(context: Context) -> bool:
    """Whether a file knows PyTorch and no other library of its kind, so that what looks like a module is one."""
    imported = {whole.partition(".")[0] for whole in context.edits.imports}
    return "torch" in imported and imported.isdisjoint(_OTHERS)


def _fix(context: Context, call: Expression, *, whole: bool) -> Fix:
    """The function decorated where it learns nothing at all, else the largest loop or the statement that does not."""
    torch, text = context.edits.reference("torch"), context.edits
    name = f"{torch or 'torch'}.no_grad()"
    definition = context.editable(call.function.node) if isinstance(call.function.node, ast.FunctionDef) else None
    if torch and whole and isinstance(definition, ast.FunctionDef):
        first = min([definition.lineno, *(each.lineno for each in definition.decorator_list)])
        edit = text.inserted((first, 1), f"{text.indentation(definition)}@{name}\n")
        if not definition.decorator_list:
            return Fix(f"decorate `{definition.name}` with `@{name}`", (edit,), Applicability.UNSAFE, _REASON)
    title = f"`with {name}:` around it"
    block = _block(context, call, whole)
    edits: tuple[Edit, ...] | None = wrapped_block(text, [block], f"with {name}:") if torch and block else None
    return Fix(title) if edits is None else Fix(title, edits, Applicability.UNSAFE, _REASON)


def _block(context: Context, call: Expression, whole: bool) -> ast.stmt | None:
    """The outermost loop around a call in which nothing is learned, else the statement of the call."""
    candidates: list[ast.expr | ast.stmt] = [
        each.node
        for each in call.loops
        if isinstance(each.node, ast.For | ast.While) and (whole or _idle(context, each))
    ]
    for each in [*candidates, call.statement]:
        found = context.editable(each)
        found = found if found is None else context.edits.statement(found)
        if isinstance(found, ast.stmt) and stands_alone(context.edits, found):
            return found
    return None


def _idle(context: Context, loop: Loop) -> bool:
    """Whether no iteration of a loop computes gradients or takes a step."""
    return not context.trains(loop) and not any(
        isinstance(each.node, ast.Attribute) and each.node.attr in ("backward", "step", "grad")
        for each in context.program.outline.expressions
        if loop in each.loops
    )
