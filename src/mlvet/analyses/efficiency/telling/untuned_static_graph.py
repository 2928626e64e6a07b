"""Convolutions with inputs of one shape, for which cuDNN could look for the fastest kernels."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.domains.dims import Dim, Expr, symbols
from mlvet.ir.graph import Node

_FEW = 20
"""So few iterations do not repay the search."""
_MOST = 0.8
"""So many convolutions must have a known, fixed shape for the others to be taken for granted."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to let cuDNN search, at the first loop whose convolutions get inputs of a fixed shape."""
    asked = [context.loops[str(each.arguments[0])] for each in context.suggested if each.pattern == suggested.pattern]
    fitting = [each for each in asked if _fits(context, each)]
    loop = context.loops[str(suggested.arguments[0])]
    if not fitting or loop is not fitting[0]:
        return None
    conditions = _keeping_shapes(context)
    if conditions is None:
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
        conditions=["a GPU with cuDNN is used", f"the loop runs more than {_FEW} times", *conditions],
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


def _keeping_shapes(context: Context) -> list[str] | None:
    """What must hold for no convolution to get an input of another size the next time, None if one is known to."""
    found = [node for node in context.program.graph.nodes() if node.op.startswith("conv")]
    open_ = [node for node in found if not all(_is_fixed(context, dim) for dim in _shape(node))]
    if not open_:
        return []
    if len(open_) > (1 - _MOST) * len(found) or any(_is_ragged(context, node) for node in open_):
        return None
    places = sorted({f"{node.location.path}:{node.location.line}" for node in open_ if node.location is not None})
    return [f"inputs of the convolutions at {', '.join(places)}, of unknown shape, keep it too"]


def _is_ragged(context: Context, node: Node) -> bool:
    """Whether a convolution gets the last, smaller batch of a data set or an input of which nothing is known."""
    dims = _shape(node)
    return None in dims or any(
        each.name in context.demanded.last for dim in dims if isinstance(dim, Expr) for each in symbols(dim)
    )


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
