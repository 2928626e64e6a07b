"""Predictions of shape (N, 1) against labels of shape (N,), which broadcast to (N, N) on the way to one number."""

from __future__ import annotations

from mlvet.analyses.shapes.suspicions.lineage import Lineage, dims_of
from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.analyses.shapes.suspicions.words import birth, called, shown
from mlvet.domains.dims import equal
from mlvet.domains.tensors import Dims
from mlvet.ir.graph import Node, Value

RULE = "loss-broadcasts"
_COMPARED = frozenset(("sub", "squared_difference", "equal", "not_equal"))
_LOSSES = frozenset(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"))
_ELEMENTWISE = frozenset((
    "abs", "square", "pow", "mul", "div", "neg", "cast", "sqrt", "log", "exp", "not", "identity", "where", "log1p",
    "clip", "max", "min", "add", "sub", "relu", "softplus", "cosh", "tanh", "sigmoid",
))  # fmt: skip
_REDUCTIONS = frozenset(("reduce_mean", "reduce_sum", "count_nonzero"))
_NEW_AXIS = frozenset(("unsqueeze", "reshape"))
_FITS = frozenset(("fit", "train_on_batch", "evaluate"))
_STEPS = 12


def broadcasts(lineage: Lineage) -> Suspicions:
    """Comparisons of a column with a vector that end in a mean or sum, and losses whose sides stretch each other."""
    for node in lineage.nodes:
        if node.op in _LOSSES:
            yield from _loss(lineage, node)
        elif node.op in _COMPARED or node.op == "mul":
            yield from _comparison(lineage, node)


def _loss(lineage: Lineage, node: Node) -> Suspicions:
    """A loss that stretches both of its operands."""
    sides = [_before_stretching(lineage, value, node) for value in node.inputs[:2]]
    if len(sides) == 2 and sides[0] is not None and sides[1] is not None:
        left, right = dims_of(sides[0]), dims_of(sides[1])
        filled = any(each is not None and lineage.is_uniform(each) for each in sides)
        if left is not None and right is not None and _stretch_each_other(left, right) and not filled:
            yield _told(lineage, node, sides[0], sides[1], node.inputs[0] or sides[0])


def _before_stretching(lineage: Lineage, value: Value | None, node: Node) -> Value | None:
    maker = None if value is None else lineage.maker(value)
    if maker is None or maker.op != "broadcast_to" or maker.location != node.location:
        return value
    return maker.inputs[0]


def _stretch_each_other(left: Dims, right: Dims) -> bool:
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right, strict=True))
    return any(a == 1 and b != 1 for a, b in pairs) and any(b == 1 and a != 1 for a, b in pairs)


def _comparison(lineage: Lineage, node: Node) -> Suspicions:
    operands = [value for value in node.inputs if value is not None]
    if len(operands) != 2 or not node.outputs:
        return
    shapes = [dims_of(value) for value in operands]
    row = next((n for n, dims in enumerate(shapes) if dims is not None and len(dims) == 1), None)
    column = next((n for n, dims in enumerate(shapes) if dims is not None and len(dims) == 2 and dims[1] == 1), None)
    if row is None or column is None:
        yield from _one_label(lineage, node)
        yield from _maps(lineage, node, operands)
        return
    (size,), (height, _) = shapes[row] or (1,), shapes[column] or (1, 1)
    if 1 in (size, height) or equal(size, height) is False:
        return
    flat, tall = operands[row], operands[column]
    if lineage.bare(flat) is lineage.bare(tall) or _is_meant(lineage, flat, node) or _is_meant(lineage, tall, node):
        return
    if lineage.is_uniform(flat) or lineage.is_uniform(tall):
        return
    one_predicts = lineage.is_trained(flat) != lineage.is_trained(tall)
    if not one_predicts and (node.op == "mul" or equal(size, height) is not True):
        return
    if _ends_in_one_number(lineage, node):
        yield _told(lineage, node, operands[0], operands[1], node.outputs[0])


def _maps(lineage: Lineage, node: Node, operands: list[Value]) -> Suspicions:
    """Maps of one channel, (N, 1, H, W), against maps without channels, (N, H, W)."""
    flat, tall = sorted(operands, key=lambda value: len(dims_of(value) or ()))
    low, high = dims_of(flat) or (), dims_of(tall) or ()
    if len(low) < 2 or len(high) != len(low) + 1 or high[1] != 1 or (high[0], *high[2:]) != low or low[0] == 1:
        return
    maker = lineage.maker(tall)
    if (maker is not None and maker.op in _NEW_AXIS) or lineage.bare(flat) is lineage.bare(tall):
        return
    if lineage.is_uniform(flat) or lineage.is_trained(flat) == lineage.is_trained(tall):
        return
    if _ends_in_one_number(lineage, node):
        yield _told(lineage, node, operands[0], operands[1], node.outputs[0])


def _one_label(lineage: Lineage, node: Node) -> Suspicions:
    """The difference in a loss of `fit` of several outputs per example and one label per example."""
    if node.module or node.op != "sub" or node.source_op.rpartition(".")[2] not in _FITS:
        return
    label, output = node.inputs[:2]
    if label is None or output is None:
        return
    labels, outputs = dims_of(label) or (), dims_of(output) or ()
    if len(labels) != len(outputs) or len(labels) < 2 or labels[-1] != 1 or labels[:-1] != outputs[:-1]:
        return
    if (
        isinstance(outputs[-1], int)
        and outputs[-1] > 1
        and lineage.is_trained(output)
        and not lineage.is_trained(label)
    ):
        yield Suspicion(
            RULE,
            node.location,
            f"the loss of `{called(node)}` compares {shown(lineage, output)} with one label per example, "
            f"{shown(lineage, label)}: each of the {outputs[-1]} outputs is drawn to the same label; the labels may "
            "lack one-hot encoding, or the loss is the wrong one",
            key=node.location,
            guards=node.guards,
            about=output,
        )


def _is_meant(lineage: Lineage, value: Value, node: Node) -> bool:
    """Whether an axis is put in where the operand is used, as programs do that want all pairs."""
    maker = lineage.maker(value)
    while maker is not None and maker.op == "cast" and maker.inputs[0] is not None:
        maker = lineage.maker(maker.inputs[0])
    if maker is None or maker.op not in _NEW_AXIS or maker.location is None or node.location is None:
        return False
    return maker.location.line == node.location.line


def _ends_in_one_number(lineage: Lineage, node: Node) -> bool:
    """Whether all pairs are averaged or summed up, with nothing but elementwise operators in between."""
    pairs = len(dims_of(node.outputs[0]) or ())
    pending = [(node.outputs[0], _STEPS)]
    seen = set()
    while pending:
        value, steps = pending.pop()
        rank = len(dims_of(value) or ())
        for user in lineage.users(value):
            if user in seen or not user.outputs or not steps:
                continue
            seen.add(user)
            left = dims_of(user.outputs[0])
            if left is None:
                continue
            if user.op in _REDUCTIONS:
                if not left:
                    return True
                pending.append((user.outputs[0], 1))
            elif user.op in _ELEMENTWISE and rank == len(left) == pairs:
                pending.append((user.outputs[0], steps - 1))
    return False


def _told(lineage: Lineage, node: Node, left: Value, right: Value, result: Value) -> Suspicion:
    shape = result.declared.without_value()
    return Suspicion(
        RULE,
        node.location,
        f"`{called(node)}` gets {shown(lineage, left)} and {shown(lineage, right)}, which broadcast to {shape}: each "
        "element of the one meets every element of the other, so the mean is over all pairs; give both the same shape",
        key=node.location,
        guards=node.guards,
        related=(*birth(lineage, left, node), *birth(lineage, right, node)),
        seen={"left": str(left.declared.without_value()), "right": str(right.declared.without_value())},
        about=result,
    )
