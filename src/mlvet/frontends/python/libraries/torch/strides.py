"""Where the elements of a tensor lie in memory, as far as its operators tell, and which views that allows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from mlvet.domains.dims import Dim, Expr, evaluate, symbols
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.ir.graph import Node, Value

Strides = tuple[Dim, ...]

_DEEPEST = 8
_ORDERING = frozenset(("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "t"))
"""Methods that a program reorders dims with; other transpositions are steps of a model, not of the real function."""
_FRESH = frozenset(
    ("random_normal", "random_uniform", "linear", "embedding", "softmax", "log_softmax", "range", "constant_of_shape",
    "layer_normalization", "one_hot")
)  # fmt: skip
"""Operators whose results lie one row after the other."""
_KEEPING = frozenset(
    ("cast", "floor", "relu", "gelu", "tanh", "sigmoid", "dropout", "stop_gradient", "leaky_relu", "elu", "silu", "exp")
)
"""Operators whose result lies as their operand does."""
_IN_ROWS = frozenset(("reshape", "conv", "max_pool", "average_pool", "batch_normalization"))
"""Operators whose result lies one row after the other if their operand does."""
_TRIED = (1, 2, 3, 1009)
"""Sizes that a symbol is tried with: what fails with each of them fails."""


def forbids(x: TensorValue, sizes: Sequence[Dim]) -> bool:
    """Whether a view of a tensor in another shape is surely impossible, so that it would have to be copied."""
    dims = dims_of(x)
    if dims is None:
        return False
    strides = _strides(x.graph_value, _DEEPEST)
    if strides is None:
        return False
    names = {each.name for dim in (*dims, *strides, *sizes) if isinstance(dim, Expr) for each in symbols(dim)}
    return all(not _fits(*(_numbers(part, names, tried) for part in (dims, strides, sizes))) for tried in _TRIED)


def _numbers(dims: Sequence[Dim], names: set[str], tried: int) -> list[int]:
    known = {name: tried + place if tried > 1 else 1 for place, name in enumerate(sorted(names))}
    return [evaluate(dim, known) for dim in dims]


def _strides(value: Value, deepest: int) -> Strides | None:
    """How far apart neighbours along each dim lie, counted in elements; None if there is no telling."""
    if not value.declared.ranked or deepest == 0:
        return None
    maker = machine().builder.maker(value)
    if maker is None or maker.op in _FRESH:
        return None if maker is None and machine().on_its_own else _rows(value.declared.dims)
    inner = maker.inputs[0] if maker.inputs else None
    if inner is None or not inner.declared.ranked:
        return None
    return _derived(maker, value, inner, deepest - 1)


def _derived(maker: Node, value: Value, inner: Value, deepest: int) -> Strides | None:
    tail = maker.source_op.rpartition(".")[2]
    if maker.op == "transpose" and tail in _ORDERING:
        found = _strides(inner, deepest)
        return None if found is None else tuple(found[axis] for axis in maker.attributes["perm"])
    if maker.op in ("slice", "split") and (maker.op == "split" or len(maker.inputs) < 5 or maker.inputs[4] is None):
        return _strides(inner, deepest)
    if maker.op == "identity" and tail == "contiguous":
        return _rows(value.declared.dims)
    if maker.op == "matmul":
        other = maker.inputs[1]
        wide = other is not None and other.declared.ranked and inner.declared.rank >= other.declared.rank
        return _rows(value.declared.dims) if wide else None
    found = _strides(inner, deepest) if maker.op in _KEEPING | _IN_ROWS else None
    if found is None:
        return None
    if found == _rows(inner.declared.dims):
        return _rows(value.declared.dims)
    return found if maker.op in _KEEPING and _fills(inner.declared.dims, found) else None


def _fills(dims: Sequence[Dim], strides: Strides) -> bool:
    """Whether elements fill their memory, in whatever order: only then operators keep that order."""
    names = {each.name for dim in (*dims, *strides) if isinstance(dim, Expr) for each in symbols(dim)}
    sizes, steps = _numbers(dims, names, 7), _numbers(strides, names, 7)
    return 1 + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True)) == prod(sizes)


def _rows(dims: Sequence[Dim]) -> Strides:
    """The strides of a tensor that lies one row after the other."""
    found: list[Dim] = []
    step: Dim = 1
    for dim in reversed(dims):
        found.append(step)
        step = step * dim
    return tuple(reversed(found))


def _fits(dims: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether each run of dims that lie one row after the other falls into whole dims of the wanted shape."""
    if 0 in dims or not dims:
        return True
    kept = [(size, stride) for size, stride in zip(dims, strides, strict=True) if size != 1]
    runs: list[int] = [kept[0][0]] if kept else []
    for (_, outer), (size, stride) in pairwise(kept):
        if outer == size * stride:
            runs[-1] *= size
        else:
            runs.append(size)
    sizes = [size for size in wanted if size != 1]
    for run in runs:
        have = 1
        while have < run and sizes:
            have *= sizes.pop(0)
        if have != run:
            return False
    return not sizes
