"""Where the axes of a tensor lie in memory, as far as the operators that made it tell, and what a view asks of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from mlvet.domains.dims import Dim, Symbol, substitute, symbols
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.ir.graph import Value

_ORDERED = frozenset({"linear", "embedding", "constant_of_shape", "random_normal", "random_uniform"})
"""Operators whose results lie in memory in the order of their axes, whatever their operands do."""
_KEEPING = frozenset(
    {"relu", "gelu", "tanh", "sigmoid", "softmax", "dropout", "reshape", "conv", "max_pool", "average_pool"}
)
"""Operators whose results lie as their operand does, if that lies in order."""
_TRIED = ((2, 3, 5, 7, 11, 13, 17, 19), (23, 29, 31, 37, 41, 43, 47, 53))
"""Sizes for symbols. They have no divisors, so that axes fit together by themselves alone."""
_MOST = 12


def demand_viewable(x: TensorValue, made: TensorValue) -> None:
    """A view joins only axes that lie side by side in memory."""
    order, source = _permuted(x)
    dims, target = dims_of(x), dims_of(made)
    if source is None or dims is None or target is None or order == sorted(order) or not _is_in_order(source):
        return
    unknown = sorted({each for dim in (*dims, *target) for each in symbols(dim)}, key=lambda each: each.name)
    if len(unknown) > len(_TRIED[0]):
        return
    refused = all(_is_refused(dims, target, order, dict(_sizes(unknown, tried))) for tried in _TRIED)
    demand(
        not refused,
        "a view joins axes that lie side by side in memory, but these were permuted: take `reshape`, or `contiguous()` "
        "before `view`",
        "view-of-permuted",
        of=[x],
        assumed="sizes are above 1" if unknown else "what was permuted lies in memory in order",
    )


def _permuted(x: TensorValue) -> tuple[list[int], Value | None]:
    """The axes of the tensor that permutations were made of, in the order of this one, and that tensor."""
    dims = dims_of(x)
    value: Value = x.graph_value
    order = list(range(len(dims or ())))
    for _ in range(_MOST):
        maker = machine().builder.maker(value)
        if maker is None:
            return order, None
        if maker.op != "transpose" or maker.inputs[0] is None:
            return order, value
        permutation = maker.attributes.get("perm")
        if not isinstance(permutation, tuple) or len(permutation) != len(order):
            return order, None
        order = [permutation[axis] for axis in order]
        value = maker.inputs[0]
    return order, None


def _is_in_order(value: Value) -> bool:
    """Whether the last axis of a tensor has its elements side by side, the one before that its rows, and so on."""
    for _ in range(_MOST):
        maker = machine().builder.maker(value)
        if maker is None:
            return False
        if maker.op in _ORDERED or (maker.op == "matmul" and _are_batches(maker.inputs)):
            return True
        if maker.op not in _KEEPING or maker.inputs[0] is None:
            return False
        value = maker.inputs[0]
    return False


def _are_batches(operands: Iterable[Value | None]) -> bool:
    """Whether operands of a product are batches of matrices; others are perhaps multiplied the other way around."""
    ranks = [None if value is None or not value.declared.ranked else len(value.declared.dims) for value in operands]
    return None not in ranks and len(set(ranks)) == 1 and ranks[0] is not None and ranks[0] > 2


def _sizes(unknown: Sequence[Symbol], tried: Sequence[int]) -> Iterable[tuple[str, int]]:
    for each, size in zip(unknown, tried, strict=False):
        yield each.name, int(min(max(size, each.low), each.high))


def _is_refused(dims: Sequence[Dim], target: Sequence[Dim], order: Sequence[int], known: dict[str, int]) -> bool:
    """Whether these sizes have no view; sizes that do not even have as many elements are no question of strides."""
    old, new = [substitute(dim, known) for dim in dims], [substitute(dim, known) for dim in target]
    sizes = [size for size in old if isinstance(size, int)]
    wanted = [size for size in new if isinstance(size, int)]
    if len(sizes) < len(old) or len(wanted) < len(new) or prod(sizes) != prod(wanted) or prod(sizes) == 0:
        return False
    plain = [0] * len(order)
    for size, axis in zip(sizes, order, strict=True):
        plain[axis] = size
    steps = [*accumulate(reversed(plain[1:]), mul, initial=1)][::-1]
    return not fits([(size, steps[axis]) for size, axis in zip(sizes, order, strict=True)], wanted)


def fits(axes: Sequence[tuple[int, int]], wanted: Sequence[int]) -> bool:
    """Whether axes, each a size and its step in memory, can be seen in another shape of as many elements.

    Axes that lie side by side are one run. Each run is divided among the last of the wanted sizes that are left.
    """
    runs: list[tuple[int, int]] = []
    for size, step in axes:
        if size == 1:
            continue
        if runs and runs[-1][1] == size * step:
            runs[-1] = runs[-1][0] * size, step
        else:
            runs.append((size, step))
    left = [size for size in wanted if size != 1]
    for size, _ in reversed(runs):
        covered = 1
        while left and covered < size:
            covered *= left.pop()
        if covered != size:
            return False
    return True
