"""What the backward pass needs of each operator: its operands, its results, or nothing that takes room."""

from __future__ import annotations

from collections.abc import Iterator

from mlvet.domains.dtypes import Kind
from mlvet.ir.graph import Node, Value

VIEWS = frozenset(
    "reshape flatten transpose squeeze unsqueeze identity slice split expand broadcast_to stop_gradient".split()
)
"""Results that lie where the operand lies."""
_CARRIED = "loop-carried"
"""What a value is called that stands for all that a loop carries."""
_NOTHING = VIEWS | frozenset(
    "add sub neg concat stack pad cast reduce_sum reduce_mean avg_pool global_average_pool sizes shape assert "
    "resize upsample tile flip roll".split()
)
"""Operators whose derivative hangs on sizes alone."""
_RESULT = frozenset(
    "relu sigmoid tanh exp sqrt rsqrt softmax log_softmax logsumexp reciprocal clip leaky_relu elu selu celu".split()
)
"""Operators whose derivative is told by their result."""
_PRODUCTS = frozenset("mul div matmul linear conv conv_transpose bilinear einsum gemm batch_matmul".split())
"""Operators that need an operand for the derivative by the other."""
_LOOKUPS = frozenset("embedding gather gather_nd gather_elements scatter take".split())
"""Operators that need the indices, not the elements."""
_SCORES = frozenset(
    "softmax_cross_entropy_loss softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits".split()
)
"""Losses that keep a softmax as large as the scores."""
RECURRENT = {"lstm": 12, "gru": 7, "rnn": 2}
"""How many numbers a recurrent operator keeps for each number of its first result: gates, states and their products."""


def is_view(node: Node) -> bool:
    """Whether a result lies where the first operand lies."""
    return node.op in VIEWS or node.source_op == _CARRIED


def kept(node: Node, needs: frozenset[Value] | set[Value]) -> Iterator[Value]:
    """The operands and results that stay for the backward pass, where gradients are wanted of `needs`."""
    inputs = [value for value in node.inputs if value is not None]
    wanted = [value for value in inputs if value in needs]
    if not wanted or node.op in _NOTHING or node.source_op == _CARRIED:
        return
    if node.op in _RESULT:
        yield from node.outputs[:1]
    elif node.op == "where":
        yield from inputs[:1]
    elif node.op == "dropout":
        yield from node.outputs[1:2]
    elif node.op in _SCORES:
        yield from inputs[:2]
    elif node.op == "max_pool":
        yield from (*inputs[:1], *node.outputs[1:2])
    elif node.op in _LOOKUPS:
        yield from (value for value in inputs if _counts(value))
    elif node.op in _PRODUCTS:
        first, rest = inputs[:1], inputs[1:2]
        yield from (value for value in first if any(each in needs for each in rest))
        yield from (value for value in rest if any(each in needs for each in first))
    else:
        yield from inputs


def _counts(value: Value) -> bool:
    dtype = value.declared.dtype
    return dtype is not None and dtype.kind in (Kind.SIGNED, Kind.UNSIGNED)
