"""Enclosures of what optimisers write, of what trees add up, and of numbers drawn at random."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.intervals import Interval, cast
from mlvet.ops.enclosures import (
    SHARE,
    TEXT,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    finite,
    has_nan,
    internal,
    many,
    minus,
    overflows,
    plus,
    real_of,
    settled,
    size_of,
    squared,
    symmetric,
    times,
    with_nan,
)
from mlvet.ops.numeric import Enclosure

Update = Callable[..., tuple[Interval, ...] | None]
TAIL = 16.0
"""No generator yields normal numbers of more deviations than this."""


def _number(value: float) -> Interval:
    return Interval(value, value)


def optimiser(update: Update, memories: int) -> Enclosure:
    """The new weights, then each kind of memory, from `update(rate, step, weight, gradient, *memories, ...)`."""

    def of(operands: Operands, tensors: Tensors, **attributes: Any) -> tuple[Interval, ...]:
        groups = (len(operands) - 2) // (2 + memories)
        found: list[Sequence[Interval]] = []
        for index in range(groups):
            mine = operands[2 + index :: groups]
            tensor = tensors[2 + index]
            dtype = real_of(tensor)
            new = None
            if dtype is not None and None not in (*operands[:2], *mine) and bounded(*operands[:2], *mine):
                new = update(*operands[:2], *mine, **attributes)
            if new is None or dtype is None or not bounded(*new) or any(_over(part, dtype) for part in new):
                found.append((anything(dtype),) * (1 + memories))
                continue
            scale = sum(size_of(x) for x in (*mine, *new) if x is not None)
            nan = has_nan((*operands[:2], *mine))
            rounded = [settled(part, internal(dtype), roundings=32, scale=scale) for part in new]
            found.append([with_nan(settled(part, dtype, roundings=1), nan) for part in rounded])
        return tuple(group[kind] for kind in range(1 + memories) for group in found)

    return many(of)


def _over(x: Interval, dtype: DType) -> bool:
    return overflows(4 * size_of(x), internal(dtype))


def adagrad(
    r: Interval,
    t: Interval,
    x: Interval,
    g: Interval,
    h: Interval,
    decay_factor: float = 0.0,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
) -> tuple[Interval, ...] | None:
    """The gradient over the root of squares that hold its own is at most 1."""
    gradient = plus(times(_number(norm_coefficient), x), g)
    squares = plus(h, squared(gradient))
    slowed = plus(_number(1.0), times(t, _number(decay_factor)))
    if h.low < 0 or epsilon <= dtypes.f32.smallest or slowed.low <= 0:
        return None
    return plus(x, symmetric(1.5 * size_of(r) / slowed.low)), squares


def adam(
    r: Interval,
    t: Interval,
    x: Interval,
    g: Interval,
    v: Interval,
    h: Interval,
    alpha: float = 0.9,
    beta: float = 0.999,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
    norm_coefficient_post: float = 0.0,
) -> tuple[Interval, ...] | None:
    """The rate grows at most by 1 / (1 - alpha) in the first step."""
    if not 0 <= alpha < 1 or not 0 <= beta <= 1 or h.low < 0 or epsilon <= dtypes.f32.smallest:
        return None
    gradient = plus(times(_number(norm_coefficient), x), g)
    momentum = plus(times(_number(alpha), v), times(_number(1 - alpha), gradient))
    squares = plus(times(_number(beta), h), times(_number(1 - beta), squared(gradient)))
    rate = size_of(r) / (1 - alpha)
    moved = plus(x, symmetric(1.01 * rate * size_of(momentum) / (sqrt(squares.low * 0.99) + epsilon)))
    return times(_number(1 - norm_coefficient_post), moved), momentum, squares


def momentum(
    r: Interval,
    t: Interval,
    x: Interval,
    g: Interval,
    v: Interval,
    alpha: float = 0.9,
    beta: float = 1.0,
    norm_coefficient: float = 0.0,
    mode: str = "standard",
) -> tuple[Interval, ...] | None:
    gradient = plus(times(_number(norm_coefficient), x), g)
    moved = plus(times(_number(alpha), v), times(_number(beta).join(_number(1.0)), gradient))
    step = plus(gradient, times(_number(alpha), moved)) if mode == "nesterov" else moved
    return minus(x, times(r, step)), moved


def _drawn(shape: bool, of: Callable[..., Interval]) -> Enclosure:
    def run(operands: Operands, tensors: Tensors, dtype: DType | None = None, **figures: Any) -> tuple[Interval, ...]:
        own = tensors[0].dtype if tensors[0] is not None and not shape else dtypes.f32
        kind = dtype or own
        return (anything(None) if kind is None else _cut(of(**figures), kind),)

    return many(run)


def _cut(x: Interval, dtype: DType) -> Interval:
    return (
        settled(x, dtype, roundings=2, scale=size_of(x))
        if dtype.is_float or dtype.kind is Kind.TEXT
        else cast(x, dtype)
    )


def _normal(mean: float = 0.0, scale: float = 1.0, **_: Any) -> Interval:
    return Interval(mean - TAIL * abs(scale), mean + TAIL * abs(scale))


def _uniform(low: float = 0.0, high: float = 1.0, **_: Any) -> Interval:
    return Interval(min(low, high), max(low, high))


NORMAL, UNIFORM = _drawn(True, _normal), _drawn(True, _uniform)
NORMAL_LIKE, UNIFORM_LIKE = _drawn(False, _normal), _drawn(False, _uniform)


def _combined(trees: Sequence[Interval], how: str, dtype: DType) -> Interval:
    """What leaves of all trees amount to for one target, which some trees may leave out."""
    hull = ZERO
    for tree in trees:
        hull = hull.join(tree)
    if how in ("MIN", "MAX"):
        outside = finite(dtype)
        return hull.join(_number(outside.high if how == "MIN" else outside.low))
    if how == "AVERAGE":
        return hull
    low, high = sum(min(tree.low, 0.0) for tree in trees), sum(max(tree.high, 0.0) for tree in trees)
    return Interval(low, high)


def _transformed(x: Interval, how: str, dtype: DType, size: float) -> Interval:
    if how in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        return with_nan(SHARE, how != "LOGISTIC" and (how == "SOFTMAX_ZERO" or overflows(2 * size_of(x), dtype)))
    return anything(dtype) if how == "PROBIT" else settled(x, dtype, roundings=size, scale=size_of(x))


def _ensemble(
    operands: Operands,
    tensors: Tensors,
    leaf_weights: Any = (),
    tree_roots: Sequence[int] = (),
    aggregate_function: int = 1,
    post_transform: int = 0,
    **_: Any,
) -> tuple[Interval, ...]:
    dtype = real_of(tensors[0]) or dtypes.f32
    leaf = _hull([float(weight) for weight in leaf_weights])
    how = ("AVERAGE", "SUM", "MIN", "MAX")[aggregate_function]
    trees = [leaf] * len(tree_roots)
    after = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")[post_transform]
    return (_transformed(_combined(trees, how, dtype), after, dtype, len(trees) + 8),)


def _hull(numbers: Sequence[float]) -> Interval:
    return Interval(min(numbers, default=0.0), max(numbers, default=0.0))


def _leaves(trees: Sequence[int], nodes: Sequence[int], targets: Sequence[int], weights: Any) -> list[Interval]:
    """The range of each tree's leaves; what a leaf adds to one target several times is added up."""
    sums: dict[tuple[int, int, int], list[float]] = defaultdict(list)
    for tree, node, target, weight in zip(trees, nodes, targets, weights, strict=False):
        sums[int(tree), int(node), int(target)].append(float(weight))
    by_tree: dict[int, list[float]] = defaultdict(list)
    for (tree, _, _), added in sums.items():
        by_tree[tree] += [sum(added), *added]
    return [_hull(numbers) for numbers in by_tree.values()]


def _first(*given: Any) -> Any:
    return next((values for values in given if values is not None), ())


def _regression(
    operands: Operands,
    tensors: Tensors,
    target_treeids: Sequence[int] = (),
    target_nodeids: Sequence[int] = (),
    target_ids: Sequence[int] = (),
    target_weights: Any = None,
    target_weights_as_tensor: Any = None,
    base_values: Any = None,
    base_values_as_tensor: Any = None,
    aggregate_function: str = "SUM",
    post_transform: str = "NONE",
    **_: Any,
) -> tuple[Interval, ...]:
    trees = _leaves(target_treeids, target_nodeids, target_ids, _first(target_weights, target_weights_as_tensor))
    found = _combined(trees, aggregate_function, dtypes.f32)
    base = [float(value) for value in _first(base_values, base_values_as_tensor)]
    shifted = plus(found, _hull([*base, 0.0] if len(base) != 1 else base))
    return (_transformed(shifted, post_transform, dtypes.f32, len(trees) + 8),)


def _classification(
    operands: Operands,
    tensors: Tensors,
    class_treeids: Sequence[int] = (),
    class_nodeids: Sequence[int] = (),
    class_ids: Sequence[int] = (),
    class_weights: Any = None,
    class_weights_as_tensor: Any = None,
    classlabels_strings: Sequence[str] | None = None,
    classlabels_int64s: Sequence[int] | None = None,
    base_values: Any = None,
    base_values_as_tensor: Any = None,
    post_transform: str = "NONE",
    **_: Any,
) -> tuple[Interval, ...]:
    """The labels, and scores; of two classes one may be scored by what the other leaves of 1 or of 0."""
    trees = _leaves(class_treeids, class_nodeids, class_ids, _first(class_weights, class_weights_as_tensor))
    base = [float(value) for value in _first(base_values, base_values_as_tensor)]
    found = plus(_combined(trees, "SUM", dtypes.f32), _hull([*base, 0.0]))
    found = found.join(minus(_number(1.0), found)).join(minus(ZERO, found))
    labels = TEXT if classlabels_strings else _hull([float(label) for label in classlabels_int64s or (0, 1)])
    return labels, _transformed(found, post_transform, dtypes.f32, len(trees) + 8)


ENSEMBLE, REGRESSION, CLASSIFICATION = many(_ensemble), many(_regression), many(_classification)
