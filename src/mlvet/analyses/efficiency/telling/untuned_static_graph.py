"""Convolutions with inputs of one shape, for which cuDNN could look for the fastest kernels."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.domains.dims import Dim, symbols
from mlvet.ir.graph import Node

_FEW = 20
"""So few iterations do not repay the search."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to let cuDNN search, at the first loop whose convolutions all get inputs of a fixed shape."""
    asked = [context.loops[str(each.arguments[0])] for each in context.suggested if each.pattern == suggested.pattern]
    fitting = [each for each in asked if _fits(context, each)]
    loop = context.loops[str(suggested.arguments[0])]
    if not fitting or loop is not fitting[0] or not _all_fixed(context):
        return None
    count = len({node.location for node in _convolutions(context, loop)})
    subject = f"the {count} convolutions of this loop get" if count > 1 else "the convolution of this loop gets"
    message = (
        f"{subject} inputs of the same shape in every iteration, "
        "but cuDNN does not look for the fastest kernels for them"
    )
    name = context.edits.reference("torch") or "torch"
    title = f"add `{name}.backends.cudnn.benchmark = True` after the imports"
    return context.finding(
        suggested, message[0].upper() + message[1:], context.program.outline.head(loop.node),
        conditions=["a GPU with cuDNN is used", f"the loop runs more than {_FEW} times"],
        fix=_fix(context, f"{name}.backends.cudnn.benchmark = True", title), data={"convolutions": count},
    )  # fmt: skip


def _fits(context: Context, loop: Loop) -> bool:
    trips = context.trips(loop)
    innermost = not any(loop in other.around and _convolutions(context, other) for other in context.loops.values())
    return innermost and bool(_convolutions(context, loop)) and (trips is None or trips >= _FEW)


def _convolutions(context: Context, loop: Loop) -> list[Node]:
    """The convolutions that run in a loop."""
    place = context.program.outline.head(loop.node)
    names = {
        each.name
        for each in context.program.graph.loops
        if each.location is not None and (each.location.line, each.location.column) == (place.line, place.column)
    }
    return [
        node
        for node in context.program.graph.nodes()
        if node.op.startswith("conv") and any(each.loop in names for each in node.loops)
    ]


def _all_fixed(context: Context) -> bool:
    """Whether no convolution of the program gets an input of which a size may be another the next time."""
    found = [node for node in context.program.graph.nodes() if node.op.startswith("conv")]
    return all(_is_fixed(context, dim) for node in found for dim in _shape(node))


def _shape(node: Node) -> tuple[Dim | None, ...]:
    shape = node.inputs[0].declared.shape if node.inputs and node.inputs[0] is not None else None
    return shape if isinstance(shape, tuple) else (None,)


def _is_fixed(context: Context, dim: Dim | None) -> bool:
    if dim is None or isinstance(dim, int):
        return dim is not None
    demanded = context.demanded
    return all(
        each.name in demanded.settings or (each.name in demanded.full and each.name not in demanded.last)
        for each in symbols(dim)
    )


def _fix(context: Context, line: str, title: str) -> Fix:
    imports = [each for each in context.edits.tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    if not imports or not context.edits.reference("torch"):
        return Fix(title)
    end = imports[-1].end_lineno or imports[-1].lineno
    edit = context.edits.inserted((end, context.edits.end(imports[-1])[1]), f"\n\n{line}")
    return Fix(
        title,
        (edit,),
        Applicability.UNSAFE,
        "the kernels that are found may differ from run to run, and so the last digits",
    )
