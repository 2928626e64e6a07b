"""Runs of a graph with every step noted down: each execution of each node, in loops those of every iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dtypes import of
from mlvet.ir.graph import Graph, Node, Region, Value
from mlvet.runtime import reference


@dataclass(frozen=True, slots=True)
class Extent:
    """What the elements of one tensor are: least and greatest, those of the finite ones, NaN, and a normal number.

    `tiny` is the smallest normal number where numbers below it were flushed to zero, else 0.
    """

    low: float
    high: float
    finite_low: float
    finite_high: float
    nan: bool
    tiny: float = 0.0

    @property
    def infinite(self) -> bool:
        return self.low < self.finite_low or self.high > self.finite_high


@dataclass(frozen=True, slots=True)
class Step:
    """One execution of a node, or with no node, the entry of values into a region."""

    node: Node | None
    operands: tuple[tuple[Value, Extent], ...]
    results: tuple[tuple[Value, Extent], ...]


@dataclass(frozen=True, slots=True)
class Watched:
    """One run: where it started, its steps, and the error that ended it early, if one did."""

    inputs: Mapping[str, NDArray[Any]]
    steps: tuple[Step, ...]
    flushed: bool = False
    error: str = ""


def watch(graph: Graph, inputs: Mapping[str, NDArray[Any]], *, flushed: bool = False) -> Watched:
    """Run a graph; `flushed` rounds operands and results below the smallest normal number of their type to zero."""
    run = _Watching(graph, flushed=flushed)
    for parameter in graph.parameters:
        run.enter(parameter.value, parameter.data.load() if parameter.data else inputs[parameter.value.name])
    for region in graph.regions():
        for constant in region.constants:
            run.enter(constant.value, constant.data.load())
    for value in graph.inputs:
        run.enter(value, inputs[value.name])
    error = ""
    with np.errstate(all="ignore"):
        try:
            run.region(graph.body)
        except Exception as problem:
            error = f"{type(problem).__name__}: {problem}"
    return Watched(inputs, tuple(run.steps), flushed, error)


def results_of(node: Node, table: Mapping[Value, NDArray[Any]]) -> Sequence[Any]:
    """What one node of a graph yields, from the values around it."""
    run = reference._Run(Graph("", Region("graph", (), (), ())), keep=True)
    run.table.update(table)
    with np.errstate(all="ignore"):
        return run._results(node)


class _Watching(reference._Run):
    def __init__(self, graph: Graph, *, flushed: bool) -> None:
        super().__init__(graph, keep=True)
        self.flushed = flushed
        self.steps: list[Step] = []
        self._extents: dict[Value, tuple[Any, Extent]] = {}

    def enter(self, value: Value, array: NDArray[Any]) -> None:
        self.table[value] = flush(array) if self.flushed else array

    def call(self, region: Region, arguments: Sequence[Any]) -> list[Any]:
        self.table.update(zip(region.inputs, arguments, strict=False))
        self.steps.append(Step(None, (), tuple((value, self.extent(value)) for value in region.inputs)))
        return self.region(region)

    def _results(self, node: Node) -> Sequence[Any]:
        operands = tuple((value, self.extent(value)) for value in node.inputs if value is not None)
        results = [np.asarray(result) for result in super()._results(node)]
        if self.flushed:
            results = [flush(result) for result in results]
        self.table.update(zip(node.outputs, results, strict=False))
        self.steps.append(Step(node, operands, tuple((value, self.extent(value)) for value in node.outputs)))
        return results

    def extent(self, value: Value) -> Extent:
        array = self.table[value]
        held = self._extents.get(value)
        if held is None or held[0] is not array:
            held = self._extents[value] = (array, extent(array, flushed=self.flushed))
        return held[1]


def flush(array: NDArray[Any]) -> NDArray[Any]:
    """The array with subnormal numbers replaced by zero."""
    dtype = of(array.dtype)
    if not dtype.is_float or dtype.bits < 16:
        return array
    with np.errstate(invalid="ignore"):
        small = np.abs(array) < dtype.numpy.type(dtype.smallest)
    return np.where(small, array.dtype.type(0), array) if small.any() else array


def extent(array: NDArray[Any], *, flushed: bool = False) -> Extent:
    """What the elements of an array are; of complex numbers, the two parts together."""
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    if array.dtype.kind in "iub":
        if not array.size:
            return NOTHING
        low, high = array.min().item(), array.max().item()
        return Extent(low, high, low, high, False)
    dtype = of(array.dtype)
    if not dtype.is_number:
        return NOTHING
    tiny = dtype.smallest if flushed and dtype.is_float and dtype.bits >= 16 else 0.0
    numbers = array.astype(np.float64).ravel()
    if not numbers.size:
        return NOTHING
    low, high = float(numbers.min()), float(numbers.max())
    if low - low == 0 and high - high == 0:
        return Extent(low, high, low, high, False, tiny)
    finite = numbers[np.isfinite(numbers)]
    known = numbers[~np.isnan(numbers)]
    ends = [float(f(part)) if part.size else empty for part in (known, finite) for f, empty in _ENDS]
    return Extent(ends[0], ends[1], ends[2], ends[3], known.size < numbers.size, tiny)


_ENDS = ((np.min, np.inf), (np.max, -np.inf))
NOTHING = Extent(np.inf, -np.inf, np.inf, -np.inf, False)
