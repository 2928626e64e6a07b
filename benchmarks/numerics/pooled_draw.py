"""Samples of operators, drawn so that they fit the values that a random graph has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from random_boxes import Array, Box

from mlvet.domains.dtypes import DType, Kind, f32

T = TypeVar("T")


class Unfit(Exception):
    """An operator, or a way to feed it, that does not fit here; another is tried."""


class Pool(Protocol):
    """What a draw needs of the graph that grows."""

    rng: random.Random
    numbers: np.random.Generator
    pool: list[Any]

    def shape(self, low_rank: int = 0, high_rank: int = 4, low: int = 1, high: int = 5) -> tuple[int, ...]: ...


class PooledDraw:
    """A `mlvet.ops.samples.Draw` that prefers the shapes of the values that are there, and keeps the boxes drawn."""

    def __init__(self, growth: Pool) -> None:
        self.growth = growth
        self.rng = growth.rng
        self.boxes: dict[int, Box] = {}
        self._held: list[Array] = []

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def choice(self, among: Sequence[T]) -> T:
        return among[self.rng.randrange(len(among))]

    def shape(self, low_rank: int = 0, high_rank: int = 4, low: int = 1, high: int = 5) -> tuple[int, ...]:
        shapes = [
            known.shape
            for known in self.growth.pool
            if low_rank <= known.array.ndim <= high_rank and all(low <= dim <= high for dim in known.shape)
        ]
        if shapes and self.rng.random() < 0.7:
            return self.rng.choice(shapes)
        return self.growth.shape(low_rank, high_rank, low, high)

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        start = self.rng.randint(0, len(shape)) if self.rng.random() < 0.5 else 0
        return tuple(dim if self.rng.random() < 0.8 else 1 for dim in shape[start:])

    def array(
        self, shape: Sequence[int], *, low: float = -4.0, high: float = 4.0, dtype: DType = f32, distinct: bool = False
    ) -> Array:
        shape = tuple(int(dim) for dim in shape)
        numbers = self.growth.numbers
        if dtype.kind is Kind.TEXT:
            raise Unfit
        if dtype.kind is Kind.COMPLEX:
            parts = numbers.uniform(low, high, (2, *shape))
            array: Array = (parts[0] + 1j * parts[1]).astype(dtype.numpy)
        elif dtype.kind is Kind.BOOL:
            array = numbers.integers(0, 2, shape).astype(np.bool_)
        elif dtype.is_integer:
            first, last = max(int(low), int(dtype.least)), min(int(high), int(dtype.largest))
            count = int(np.prod(shape, dtype=int))
            apart = distinct and count <= last - first + 1
            found = (
                numbers.permutation(last - first + 1)[:count] + first
                if apart
                else numbers.integers(first, last + 1, count)
            )
            array = found.reshape(shape).astype(dtype.numpy)
        else:
            array = numbers.uniform(low, high, shape).astype(dtype.numpy)
        self._held.append(array)
        self.boxes[id(array)] = (low, high)
        return array
