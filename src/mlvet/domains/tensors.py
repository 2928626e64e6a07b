"""What is known of a tensor without running anything: element type, shape, and for small integer tensors the values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, Expr, equal, product, symbol
from mlvet.domains.dtypes import DType

Dims: TypeAlias = tuple[Dim, ...]

SMALL = 4096
"""Values of more elements than this are not followed."""


class UnknownRank(Exception):
    """A dim was asked of a shape whose number of dims is not known; the operator's result is then unknown too."""


class UnknownValue(Exception):
    """An element was asked for that hangs on symbols, as whether one unknown size is less than another."""


@dataclass(frozen=True, slots=True)
class Unranked:
    """The shape of a tensor whose number of dims is not known. Its rank, size, first and last dim are symbols.

    `ends` are the last dims as far as they are known: what a linear layer yields ends with its features.
    """

    name: str
    ends: Dims = ()

    @property
    def rank(self) -> Dim:
        return symbol(f"rank({self.name})")

    @property
    def size(self) -> Dim:
        return symbol(f"size({self.name})")

    @property
    def first(self) -> Dim:
        return symbol(f"first({self.name})")

    @property
    def last(self) -> Dim:
        return self.ends[-1] if self.ends else symbol(f"last({self.name})")

    def __str__(self) -> str:
        return f"[{', '.join(('...', *map(str, self.ends)))}]"


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """What is known of one tensor.

    `shape` is a tuple of dims, or `Unranked`. `value` is present for small tensors whose elements are known: an array
    of `dtype`, or an array of objects whose elements are ints and expressions, as `shape` operators yield.
    """

    dtype: DType | None
    shape: Dims | Unranked
    value: NDArray[Any] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tensor) or (self.dtype, self.shape) != (other.dtype, other.shape):
            return False
        if self.value is None or other.value is None:
            return self.value is other.value
        return bool(np.array_equal(self.value, other.value))

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))

    @property
    def ranked(self) -> bool:
        return not isinstance(self.shape, Unranked)

    @property
    def dims(self) -> Dims:
        """All dims. Raises UnknownRank if there is no telling how many."""
        if isinstance(self.shape, Unranked):
            raise UnknownRank(self.shape.name)
        return self.shape

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def size(self) -> Dim:
        """The number of elements."""
        return self.shape.size if isinstance(self.shape, Unranked) else product(self.shape)

    def dim(self, index: int) -> Dim:
        """One dim; the first and the last are known by symbol even where the rank is not."""
        if isinstance(self.shape, Unranked):
            if index in (0, -1):
                return self.shape.first if index == 0 else self.shape.last
            if -len(self.shape.ends) <= index < 0:
                return self.shape.ends[index]
            raise UnknownRank(self.shape.name)
        return self.shape[index]

    def with_shape(self, shape: Iterable[Dim] | Unranked) -> Tensor:
        """A tensor of the same element type and another shape, whose elements are not known."""
        return Tensor(self.dtype, shape if isinstance(shape, Unranked) else tuple(shape))

    def with_dtype(self, dtype: DType | None) -> Tensor:
        """A tensor of the same shape and another element type, whose elements are not known."""
        return Tensor(dtype, self.shape)

    def without_value(self) -> Tensor:
        return replace(self, value=None) if self.value is not None else self

    def __str__(self) -> str:
        dims = str(self.shape) if isinstance(self.shape, Unranked) else f"[{', '.join(map(str, self.shape))}]"
        return f"{self.dtype or '?'}{dims}"


def unknown(name: str, dtype: DType | None = None) -> Tensor:
    """A tensor of which nothing but perhaps the element type is known."""
    return Tensor(dtype, Unranked(name))


def constant(array: NDArray[Any], dtype: DType | None = None) -> Tensor:
    """A tensor with these elements."""
    from mlvet.domains import dtypes

    return Tensor(dtype or dtypes.of(array.dtype), array.shape, array if array.size <= SMALL else None)


def of_dims(dims: Iterable[Dim], dtype: DType) -> Tensor:
    """The one-dimensional integer tensor whose elements are these sizes."""
    elements = list(dims)
    value = np.empty(len(elements), dtype=object)
    value[:] = elements
    return Tensor(dtype, (len(elements),), exact(value, dtype))


def exact(value: NDArray[Any], dtype: DType) -> NDArray[Any]:
    """An array of objects as an array of its own element type, if every element is known."""
    if value.dtype == object and not any(isinstance(element, Expr) for element in value.flat):
        return value.astype(dtype.numpy)
    return value


def unifies(left: Tensor, right: Tensor) -> bool:
    """Whether two descriptions can be of one tensor."""
    if left.dtype is not None and right.dtype is not None and left.dtype != right.dtype:
        return False
    ends = [tensor.shape.ends if isinstance(tensor.shape, Unranked) else tensor.shape for tensor in (left, right)]
    if left.ranked and right.ranked and len(ends[0]) != len(ends[1]):
        return False
    if any(tensor.ranked and len(tensor.dims) < max(map(len, ends)) for tensor in (left, right)):
        return False
    return all(equal(a, b) is not False for a, b in zip(reversed(ends[0]), reversed(ends[1]), strict=False))
