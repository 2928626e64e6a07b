"""Points to begin with: corners and special points of the ranges, then random ones of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.witness.space import Free, Point, Space

Array: TypeAlias = NDArray[Any]
Pattern: TypeAlias = Callable[[Free, np.random.Generator], Array]


def special_points(space: Space, rng: np.random.Generator) -> Iterator[Point]:
    """One pattern on all free values, then each value with a pattern of its own."""
    for pattern in SPECIAL:
        yield {free.value: pattern(free, rng) for free in space.moving}
    if len(space.moving) > 1:
        for _ in range(2 * len(SPECIAL)):
            yield {free.value: SPECIAL[rng.integers(len(SPECIAL))](free, rng) for free in space.moving}


def random_points(space: Space, rng: np.random.Generator) -> Iterator[Point]:
    """Without end: the kinds by turns, sometimes one kind for each free value."""
    turn = 0
    while space.moving:
        mixed = turn % 3 == 2
        point = {}
        for free in space.moving:
            pattern = RANDOM[rng.integers(len(RANDOM)) if mixed else turn % len(RANDOM)]
            point[free.value] = pattern(free, rng)
        yield point
        turn += 1


def zero(free: Free) -> float:
    return min(max(0.0, free.low), free.high)


def tiny(free: Free) -> float:
    return free.dtype.smallest if free.smooth else 1.0


def _alternating(free: Free, first: float, second: float) -> Array:
    return np.where(np.indices(free.shape).sum(axis=0) % 2 == 0, first, second) if free.shape else np.asarray(first)


def _spike(free: Free, height: float, place: int = 0) -> Array:
    found = np.full(free.shape, zero(free)).reshape(-1)
    found[place % found.size] = height
    return found.reshape(free.shape)


def _ramp(free: Free) -> Array:
    return np.linspace(free.low, free.high, max(int(np.prod(free.shape)), 1)).reshape(free.shape)


def _halves(free: Free) -> Array:
    """The first half of the last axis high, the other low."""
    return (
        np.where(np.arange(free.shape[-1]) < (free.shape[-1] + 1) // 2, free.high, free.low)
        if free.shape
        else _ramp(free)
    )


def _magnitudes(free: Free, rng: np.random.Generator) -> Array:
    """Both signs, magnitudes spread evenly over their logarithms."""
    most = max(abs(free.low), abs(free.high), 1e-30)
    signs = np.where(rng.random(free.shape) < 0.5, -1.0, 1.0)
    return np.asarray(signs * most * np.exp(rng.random(free.shape) * np.log(max(most * 1e-8, tiny(free)) / most)))


def _uniform(free: Free, rng: np.random.Generator) -> Array:
    return free.low + rng.random(free.shape) * (free.high - free.low)


def _somewhere(free: Free, rng: np.random.Generator) -> float:
    kind = rng.integers(3)
    number = Free(free.value, free.dtype, (), free.low, free.high)
    return float(_uniform(number, rng) if kind == 0 else _magnitudes(number, rng) if kind == 1 else rng.normal())


def _rows(free: Free, rng: np.random.Generator) -> Array:
    """One number per row."""
    return np.broadcast_to(_uniform(Free(free.value, free.dtype, (*free.shape[:-1], *((1,) if free.shape else ())),
                                         free.low, free.high), rng), free.shape)  # fmt: skip


def _equal_rows(free: Free, rng: np.random.Generator) -> Array:
    """One row again and again."""
    return np.broadcast_to(_uniform(Free(free.value, free.dtype, free.shape[1:], free.low, free.high), rng), free.shape)


def _nearly_constant(free: Free, rng: np.random.Generator) -> Array:
    center = _somewhere(free, rng)
    width = 10.0 ** rng.uniform(-8, -1) * max(abs(center), 1e-3)
    return np.asarray(center + width * rng.standard_normal(free.shape))


def _levels(free: Free, rng: np.random.Generator) -> Array:
    levels = np.asarray([free.low, free.high, zero(free), 1.0, -1.0, 0.5])
    return levels[rng.integers(len(levels), size=free.shape)]


def _sparse(free: Free, rng: np.random.Generator) -> Array:
    return np.where(rng.random(free.shape) < 0.1, _uniform(free, rng), zero(free))


def _signs(free: Free, rng: np.random.Generator) -> Array:
    return np.where(rng.random(free.shape) < 0.5, free.low, free.high)


def _scaled(free: Free, rng: np.random.Generator) -> Array:
    most = max(abs(free.low), abs(free.high))
    return np.asarray(rng.standard_normal(free.shape) * most * 10.0 ** rng.uniform(-5, 0))


SPECIAL: tuple[Pattern, ...] = (
    lambda free, _: np.full(free.shape, free.high),
    lambda free, _: np.full(free.shape, free.low),
    lambda free, _: np.full(free.shape, zero(free)),
    lambda free, _: np.full(free.shape, 0.5 * free.low + 0.5 * free.high),
    lambda free, _: _alternating(free, free.low, free.high),
    lambda free, _: _alternating(free, free.high, free.low),
    lambda free, _: np.full(free.shape, tiny(free)),
    lambda free, _: np.full(free.shape, -tiny(free)),
    lambda free, _: np.full(free.shape, 1.0),
    lambda free, _: np.full(free.shape, -1.0),
    lambda free, _: _ramp(free),
    lambda free, _: _spike(free, free.high),
    lambda free, _: _spike(free, free.low),
    lambda free, _: _spike(free, free.high, -1),
    lambda free, _: _halves(free),
    lambda free, _: np.full(free.shape, 1.0 - free.dtype.epsilon / 2 if free.smooth else 2.0),
    _rows,
    _equal_rows,
    _magnitudes,
)
RANDOM: tuple[Pattern, ...] = (
    _uniform, _magnitudes, _scaled, _signs, _nearly_constant, _levels, _sparse, _rows, _nearly_constant, _equal_rows,
)  # fmt: skip
