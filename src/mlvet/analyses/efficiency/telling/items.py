"""What one item of a PyTorch data set takes to prepare, and how many items there are, where that is known."""

from __future__ import annotations

import ast
from math import prod

from mlvet.analyses.efficiency.host.outline import Expression, Function
from mlvet.analyses.efficiency.telling.context import Context

_LEAST = 1e-3
"""Seconds from which on an item is worth handing from one process to another."""
_SENT = 1e-9
"""Seconds that a byte takes from one process to another."""
_STEP = 3e-8
"""Seconds that Python takes for an expression."""
_DENSE = ("matmul", "batch_matmul", "gemm", "linear", "dot_general", "tensordot", "einsum")
_LABORIOUS = (
    "librosa.", "scipy.ndimage.", "scipy.signal.", "skimage.transform.", "skimage.filters.", "skimage.morphology.",
    "skimage.segmentation.", "skimage.restoration.", "skimage.feature.", "torchaudio.functional.", "pywt.",
)  # fmt: skip
"""Libraries whose functions take milliseconds for a picture or a recording."""
_PICTURE = 10_000
"""Elements of a small picture or of a second of sound."""


def takes_long(context: Context, function: Function) -> bool:
    """Whether an item is known to take longer to prepare than to send.

    What a library computes on several cores by itself, PyTorch and products of NumPy, gains nothing by workers and is
    not counted, unless the steps run on a GPU meanwhile.
    """
    total = sum(_seconds(context, each) for each in context.run_by(function))
    return total >= max(_LEAST, 4 * _SENT * _result_bytes(context, function))


def is_laborious(context: Context, function: Function) -> bool:
    """Whether an item is made by functions that take long, of something that is not known to be small."""
    return any(
        isinstance(each.node, ast.Call)
        and any(name.startswith(_LABORIOUS) for name in context.program.callees(each))
        and not any(_is_small(context, argument) for argument in each.node.args)
        for each in context.run_by(function)
    )


def known_length(context: Context, function: Function) -> int | None:
    """What `__len__` of the class around a function always returns."""
    methods = context.program.methods
    for each in context.program.outline.functions:
        if each.title == "__len__" and methods.get(each.node) == methods.get(function.node, ""):
            returned = [one.value for one in ast.walk(each.node) if isinstance(one, ast.Return) and one.value]
            seen = [context.program.seen(context.program.outline.of_node[one]) for one in returned]
            numbers = {one.number for one in seen if one is not None}
            number = numbers.pop() if len(numbers) == 1 else None
            return number if isinstance(number, int) else None
    return None


def _seconds(context: Context, expression: Expression) -> float:
    """What an expression takes in all iterations of the loops around it that are counted."""
    often = prod(context.trips(each) or 1 for each in expression.loops)
    python = _STEP * often if expression.loops else 0.0
    seen = context.program.seen(expression)
    spread = (seen is not None and seen.type.startswith("torch.")) or any(
        each.op in _DENSE for each in context.program.nodes(expression)
    )
    spent = context.own_cost(expression)
    return python if spent.guessed or (spread and not context.on_gpu) else python + spent.seconds * often


def _result_bytes(context: Context, function: Function) -> float:
    returned = [one.value for one in ast.walk(function.node) if isinstance(one, ast.Return) and one.value]
    parts = [part for each in returned for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
    seen = [context.program.seen(context.program.outline.of_node[each]) for each in parts]
    return sum(4 * context.sizes.of(each.tensor)[0] for each in seen if each is not None and each.tensor is not None)


def _is_small(context: Context, argument: ast.expr) -> bool:
    seen = context.program.seen(context.program.outline.of_node[argument])
    if seen is None or seen.tensor is None:
        return False
    elements, guessed = context.sizes.of(seen.tensor)
    return not guessed and elements < _PICTURE
