"""Samples of operators drawn with Hypothesis: structure by its strategies, elements from a seed that it draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from numpy.typing import NDArray

from mlvet.domains.dtypes import DType, Kind, f32
from mlvet.ops import Op
from mlvet.ops.samples import Sample

T = TypeVar("T")


class HypothesisDraw:
    """A `mlvet.ops.samples.Draw` over one Hypothesis example."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw
        self._seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def choice(self, among: Sequence[T]) -> T:
        return among[self._draw(st.integers(0, len(among) - 1))]

    def shape(self, low_rank: int = 0, high_rank: int = 4, low: int = 1, high: int = 5) -> tuple[int, ...]:
        rank = self.integer(low_rank, high_rank)
        return tuple(self.integer(low, high) for _ in range(rank))

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to the one given: leading dims left out, others made 1."""
        start = self.integer(0, len(shape))
        return tuple(dim if self.integer(0, 3) else 1 for dim in shape[start:])

    def array(
        self, shape: Sequence[int], *, low: float = -4.0, high: float = 4.0, dtype: DType = f32, distinct: bool = False
    ) -> NDArray[Any]:
        shape = tuple(shape)
        count = int(np.prod(shape, dtype=int))
        if dtype.kind is Kind.BOOL:
            return self._seed.integers(0, 2, shape).astype(np.bool_)
        if dtype.kind is Kind.TEXT:
            return np.array([f"s{n}" for n in self._seed.integers(0, 5, count)], dtype=object).reshape(shape)
        if dtype.is_integer:
            first, last = max(int(low), int(dtype.least)), min(int(high), int(dtype.largest))
            if distinct and last - first + 1 >= count:
                elements = self._seed.permutation(last - first + 1)[:count] + first
            else:
                elements = self._seed.integers(first, last + 1, count)
            return elements.reshape(shape).astype(dtype.numpy)
        if distinct and count:
            elements = low + (high - low) * (self._seed.permutation(count) + 0.5) / count
        else:
            elements = self._seed.uniform(low, high, count)
        if dtype.kind is Kind.COMPLEX:
            elements = elements + 1j * self._seed.uniform(low, high, count)
        return elements.reshape(shape).astype(dtype.numpy)

    def like(self, array: NDArray[Any], low: float = 0.0, high: float = 1.0) -> NDArray[Any]:
        """Numbers between low and high in the shape and dtype of an array."""
        return self._seed.uniform(low, high, array.shape).astype(array.dtype)

    def wide(self, array: NDArray[Any]) -> NDArray[Any]:
        """Finite numbers of all magnitudes that the dtype of an array has, zero among them, in its shape."""
        limits = np.finfo(array.dtype)
        low, high = np.log10(float(limits.smallest_normal)), np.log10(float(limits.max))
        magnitudes = 10.0 ** self._seed.uniform(low, high * 0.999, array.shape)
        moderate = self._seed.uniform(0, 200, array.shape)
        kind = self._seed.integers(0, 8, array.shape)
        elements = np.choose(
            np.minimum(kind, 4), [np.zeros_like(moderate), limits.max * 0.9, magnitudes, magnitudes, moderate]
        )
        signs = self._seed.choice([-1.0, 1.0], array.shape)
        return (signs * elements).astype(array.dtype)


@st.composite
def _drawn(draw: DrawFn, of: Callable[[HypothesisDraw], T]) -> T:
    return of(HypothesisDraw(draw))


def drawn(op: Op) -> SearchStrategy[tuple[Sample, HypothesisDraw]]:
    """A sample of an operator, and the draw it came from for what a law needs besides."""
    samples = op.samples
    assert samples is not None
    return _drawn(lambda draw: (samples(draw), draw))
