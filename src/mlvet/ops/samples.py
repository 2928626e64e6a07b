"""Valid arguments of operators, described so that a test can draw them; nothing here draws at random itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dtypes import DType, f32

T = TypeVar("T")


class Draw(Protocol):
    """What a sample description may ask for. A test implements it over Hypothesis."""

    def integer(self, low: int, high: int) -> int: ...
    def choice(self, among: Sequence[T]) -> T: ...
    def shape(self, low_rank: int = 0, high_rank: int = 4, low: int = 1, high: int = 5) -> tuple[int, ...]: ...
    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]: ...
    def array(
        self, shape: Sequence[int], *, low: float = -4.0, high: float = 4.0, dtype: DType = f32, distinct: bool = False
    ) -> NDArray[Any]: ...


@dataclass(frozen=True, slots=True)
class Sample:
    """One valid application: operands as arrays (None where left out) and attributes."""

    operands: tuple[NDArray[Any] | None, ...]
    attributes: dict[str, Any] = field(default_factory=dict)


Samples: TypeAlias = Callable[[Draw], Sample]


@dataclass(frozen=True, slots=True)
class Tensors:
    """`count` arrays of one shape, or of shapes that broadcast, with elements between low and high."""

    low: float = -4.0
    high: float = 4.0
    count: int = 1
    dtype: DType = f32
    low_rank: int = 0

    def __call__(self, draw: Draw) -> Sample:
        shapes = broadcasting(draw, self.count, self.low_rank)
        return Sample(tuple(draw.array(s, low=self.low, high=self.high, dtype=self.dtype) for s in shapes))


def broadcasting(draw: Draw, count: int, low_rank: int = 0) -> list[tuple[int, ...]]:
    """Shapes that broadcast with each other; any of them can be the largest."""
    shape = draw.shape(low_rank)
    whole = draw.integer(0, count - 1)
    return [shape if index == whole else draw.broadcastable(shape) for index in range(count)]


def integers(values: Sequence[int]) -> NDArray[Any]:
    """A list of ints as the operand that operators take for axes, shapes and the like."""
    return np.asarray(values, dtype=np.int64)
