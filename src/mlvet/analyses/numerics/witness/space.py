"""The space that a search moves in: the free values of a graph, their sizes, and the ranges of their elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin
from mlvet.domains import dtypes
from mlvet.domains.dims import evaluate, symbols
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.graph import Graph, Value
from mlvet.ir.walk import users

Point: TypeAlias = dict[Value, NDArray[Any]]
"""Elements in float64, before they are rounded to the element type."""

WIDEST = 1e4
"""A float of which only the element type is known is searched within plus and minus this."""
FEW = 9
"""An integer of which nothing is known is searched from 0 to this."""
SIZES = (2, 3, 4, 1, 8, 5, 16, 32, 64, 28, 128, 224, 256, 512)
MOST_ELEMENTS = 1 << 22


@dataclass(frozen=True, slots=True)
class Free:
    """One free value: every element lies between `low` and `high`, which its element type has."""

    value: Value
    dtype: DType
    shape: tuple[int, ...]
    low: float
    high: float

    @property
    def moves(self) -> bool:
        """Whether there is more than one thing it can be."""
        return self.high > self.low and 0 not in self.shape

    @property
    def smooth(self) -> bool:
        return self.dtype.is_float

    def rounded(self, elements: NDArray[Any]) -> NDArray[Any]:
        """The nearest elements of its type and range, in the given shape or spread over it."""
        kept = np.clip(np.nan_to_num(elements, nan=self.low), self.low, self.high)
        if not self.smooth:
            kept = np.rint(kept)
        full = np.broadcast_to(kept, self.shape)
        return np.asarray(full.astype(self.dtype.numpy))


@dataclass(frozen=True, slots=True)
class Space:
    """The free values with sizes chosen for all symbols; `only` says that there was nothing to choose."""

    free: tuple[Free, ...]
    only: bool = False

    def arrays(self, point: Mapping[Value, NDArray[Any]]) -> dict[Value, NDArray[Any]]:
        """A point as the arrays that a graph runs on; values that it leaves out are in the middle of their range."""
        return {
            each.value: each.rounded(point[each.value] if each.value in point else _middle(each)) for each in self.free
        }

    @property
    def moving(self) -> tuple[Free, ...]:
        return tuple(each for each in self.free if each.moves)


def spaces(
    graph: Graph,
    needed: frozenset[Value],
    ranges: Mapping[Value, Assumed],
    types: Mapping[Value, Tensor],
    bounds: Mapping[Value, int],
) -> Iterator[Space]:
    """The spaces of a graph, one for each choice of sizes; none if a needed value cannot be made.

    `bounds` has the sizes of the tables that integer inputs index. One size is tried for all symbols first, in the
    order of `SIZES`, then neighbours in that list by turns. Values of unknown rank are tried with two dims, one, three,
    four, and as numbers.
    """
    free = _free_values(graph)
    tensors = {value: _tensor(value, types) for value in free}
    unranked = any(isinstance(tensors[value].shape, Unranked) for value in needed if value in tensors)
    names = sorted(
        {(s.name, s.low, s.high) for tensor in tensors.values() if not isinstance(tensor.shape, Unranked)
         for dim in tensor.shape for s in symbols(dim)}
    )  # fmt: skip
    for rank in (2, 1, 3, 4, 0) if unranked else (0,):
        met: set[tuple[int, ...]] = set()
        for choice in _choices(names) if names or unranked else iter([((), 2)]):
            sizes, base = choice
            if sizes in met and not unranked:
                continue
            met.add(sizes)
            known = {name: size for (name, _, _), size in zip(names, sizes, strict=True)}
            made: list[Free] = []
            for value in free:
                one = _made(value, tensors[value], known, (base,) * rank, ranges.get(value), bounds.get(value))
                if one is not None:
                    made.append(one)
                elif value in needed:
                    break
            else:
                yield Space(tuple(made), only=not names and not unranked)


def _free_values(graph: Graph) -> list[Value]:
    stored = {parameter.value for parameter in graph.parameters if parameter.data is not None}
    every = [*graph.inputs, *(parameter.value for parameter in graph.parameters)]
    return [value for value in dict.fromkeys(every) if value not in stored]


def _tensor(value: Value, types: Mapping[Value, Tensor]) -> Tensor:
    return types.get(value, value.declared)


def _choices(names: list[tuple[str, float, float]]) -> Iterator[tuple[tuple[int, ...], int]]:
    for size in SIZES:
        yield tuple(_bounded(size, low, high) for _, low, high in names), size
    for one, other in pairwise(SIZES):
        for turn in range(2):
            pair = (one, other) if turn else (other, one)
            yield tuple(_bounded(pair[place % 2], low, high) for place, (_, low, high) in enumerate(names)), one


def _bounded(size: int, low: float, high: float) -> int:
    return int(min(max(size, low), high))


def _made(
    value: Value,
    tensor: Tensor,
    known: Mapping[str, int],
    otherwise: tuple[int, ...],
    assumed: Assumed | None,
    bound: int | None,
) -> Free | None:
    dtype = tensor.dtype or value.declared.dtype or dtypes.f32
    if dtype.kind in (Kind.TEXT, Kind.COMPLEX):
        return None
    try:
        shape = otherwise if isinstance(tensor.shape, Unranked) else tuple(evaluate(dim, known) for dim in tensor.shape)
    except (TypeError, ArithmeticError):
        return None
    if any(dim < 0 for dim in shape) or np.prod(shape, dtype=float) > MOST_ELEMENTS:
        return None
    low, high = _ends(dtype, assumed, bound)
    return Free(value, dtype, shape, low, high) if low <= high else None


def _ends(dtype: DType, assumed: Assumed | None, bound: int | None) -> tuple[float, float]:
    """The range to search, whose ends the element type has."""
    low, high = (assumed.interval.low, assumed.interval.high) if assumed is not None else (-inf, inf)
    users_word = assumed is not None and assumed.origin in (Origin.GIVEN, Origin.DATA)
    open_ended = assumed is None or assumed.origin is Origin.DTYPE
    if dtype.is_float:
        if not users_word:
            low = -WIDEST if open_ended or not isfinite(low) else low
            high = WIDEST if open_ended or not isfinite(high) else high
        low, high = max(low, float(dtype.least)), min(high, float(dtype.largest))
        return _within(low, dtype, inf, high), _within(high, dtype, -inf, low)
    if bound is not None:
        low, high = max(low, 0), min(high, bound - 1)
    elif not users_word and (open_ended or not (isfinite(low) and isfinite(high))):
        low, high = max(low, 0), min(high, FEW)
    return float(np.ceil(max(low, dtype.least))), float(np.floor(min(high, dtype.largest)))


def _within(end: float, dtype: DType, inward: float, other: float) -> float:
    """The nearest value of the element type that is not outside of an end."""
    nearest = np.asarray(end).astype(dtype.numpy)
    outside = float(nearest) < end if inward > 0 else float(nearest) > end
    if outside:
        try:
            nearest = np.nextafter(nearest, np.asarray(other, dtype.numpy))
        except TypeError:
            return end
    return float(nearest)


def _middle(free: Free) -> NDArray[Any]:
    return np.asarray(0.5 * free.low + 0.5 * free.high)


_INDICES = {"gather": 1, "embedding": 1, "gather_elements": 1, "embedding_bag": 1}
_CARRIES = ("cast", "identity", "reshape", "unsqueeze", "squeeze", "flatten", "transpose", "expand", "slice")


def index_bounds(graph: Graph, types: Mapping[Value, Tensor]) -> dict[Value, int]:
    """For inputs that are used as indices the size of the smallest table that they index."""
    consumers = users(graph)
    found: dict[Value, int] = {}
    for start in graph.inputs:
        dtype = _tensor(start, types).dtype
        if dtype is None or not dtype.is_integer:
            continue
        pending, met = [start], {start}
        while pending:
            value = pending.pop()
            for node in consumers.get(value, ()):
                place = _INDICES.get(node.op)
                if place is not None and len(node.inputs) > place and node.inputs[place] is value:
                    size = _table(node, types)
                    if size is not None:
                        found[start] = min(size, found.get(start, size))
                elif node.op in _CARRIES and node.inputs and node.inputs[0] is value:
                    fresh = [output for output in node.outputs if output not in met]
                    met.update(fresh)
                    pending += fresh
    return found


def _table(node: Any, types: Mapping[Value, Tensor]) -> int | None:
    table = node.inputs[0]
    if table is None:
        return None
    tensor = _tensor(table, types)
    axis = int(node.attributes.get("axis", 0))
    if isinstance(tensor.shape, Unranked) or not -len(tensor.shape) <= axis < len(tensor.shape):
        return None
    size = tensor.shape[axis]
    return size if isinstance(size, int) else None
