"""One step of an optimiser: weights, gradients and what it remembers of both become new weights and memories."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.tensors import Tensor
from mlvet.ops import enclosures_learning
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.enclosures_learning import optimiser
from mlvet.ops.op import Op, pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

Update = Callable[..., tuple[Any, ...]]


def adagrad_update(
    r: Any,
    t: Any,
    x: Any,
    g: Any,
    h: Any,
    *,
    decay_factor: float = 0.0,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
) -> tuple[Any, ...]:
    gradient = norm_coefficient * x + g
    squares = h + gradient * gradient
    return x - r / (1 + t * decay_factor) * gradient / (np.sqrt(squares) + epsilon), squares


def adam_update(
    r: Any,
    t: Any,
    x: Any,
    g: Any,
    v: Any,
    h: Any,
    *,
    alpha: float = 0.9,
    beta: float = 0.999,
    epsilon: float = 1e-6,
    norm_coefficient: float = 0.0,
    norm_coefficient_post: float = 0.0,
) -> tuple[Any, ...]:
    gradient = norm_coefficient * x + g
    momentum = alpha * v + (1 - alpha) * gradient
    squares = beta * h + (1 - beta) * gradient * gradient
    rate = r * np.sqrt(1 - beta**t) / (1 - alpha**t) if t > 0 else r
    moved = x - rate * momentum / (np.sqrt(squares) + epsilon)
    return (1 - norm_coefficient_post) * moved, momentum, squares


def momentum_update(
    r: Any,
    t: Any,
    x: Any,
    g: Any,
    v: Any,
    *,
    alpha: float,
    beta: float,
    norm_coefficient: float,
    mode: str = "standard",
) -> tuple[Any, ...]:
    gradient = norm_coefficient * x + g
    momentum = alpha * v + (beta if t > 0 else 1) * gradient
    return x - r * (gradient + alpha * momentum if mode == "nesterov" else momentum), momentum


def infer_update(
    memories: int, r: Tensor, t: Tensor, *tensors: Tensor, require: Require, **_: Any
) -> tuple[Tensor, ...]:
    """The new weights, then each kind of memory, all of the shapes of the weights."""
    require.rank(r, 0, "learning rate")
    require.rank(t, 0, "step count")
    kinds = 2 + memories
    whole = len(tensors) % kinds == 0
    require.holds(whole, f"{len(tensors)} tensors are not {kinds} for each weight")
    count = len(tensors) // kinds
    weights = tensors[:count]
    for index, tensor in enumerate(tensors[count : kinds * count]):
        weight = weights[index % count]
        require.same_dtype(weight, tensor)
        if weight.ranked and tensor.ranked and require.rank(tensor, weight.rank, "gradient or memory"):
            for found, wanted in zip(tensor.dims, weight.dims, strict=True):
                require.equal(found, wanted, because="gradients and memories have the shape of the weight")
    return tuple(weight.without_value() for _ in range(1 + memories) for weight in weights)


def update_reference(
    update: Update, memories: int, r: NDArray[Any], t: NDArray[Any], *tensors: NDArray[Any], **attributes: Any
) -> tuple[NDArray[Any], ...]:
    count = len(tensors) // (2 + memories)
    results: list[tuple[NDArray[Any], ...]] = []
    with np.errstate(all="ignore"):
        for index in range(count):
            mine = tensors[index::count]
            new = update(wide(r), t, *map(wide, mine), **attributes)
            results.append(tuple(narrow(part, mine[0]) for part in new))
    return tuple(result[kind] for kind in range(1 + memories) for result in results)


def _sample(memories: int, attributes: dict[str, Any], draw: Draw) -> Sample:
    shapes = [draw.shape(0, 2) for _ in range(draw.integer(1, 2))]
    rate, step = draw.array((), low=0.01, high=0.1), np.asarray(draw.integer(0, 3), np.int64)
    moving = [draw.array(shape) for _ in range(2) for shape in shapes]
    kept = [draw.array(shape, low=0.1, high=2.0) for _ in range(memories) for shape in shapes]
    return Sample((rate, step, *moving, *kept), attributes)


def _optimiser(name: str, update: Update, enclosed: Any, memories: int, **attributes: Any) -> Op:
    return pure(
        name,
        partial(infer_update, memories),
        partial(update_reference, update, memories),
        partial(_sample, memories, attributes),
        family="optimizer",
        numeric=optimiser(enclosed, memories),
        danger=(OVERFLOW,),
    )


adagrad = _optimiser("adagrad", adagrad_update, enclosures_learning.adagrad, 1, decay_factor=0.1, norm_coefficient=0.01)
adam = _optimiser("adam", adam_update, enclosures_learning.adam, 2, norm_coefficient=0.01)
momentum = _optimiser(
    "momentum",
    momentum_update,
    enclosures_learning.momentum,
    1,
    alpha=0.9,
    beta=0.9,
    norm_coefficient=0.01,
    mode="nesterov",
)
