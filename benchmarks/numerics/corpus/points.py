"""Inputs within ranges: corners, rows of equal numbers, numbers near zero and near one, and random ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.numerics.corpus.case import Range
from mlvet.ir.graph import Graph, Initialiser, Value

OPEN_DIM = 3
DEVIATIONS = 2.0
"""How far a truncated normal initialiser draws."""

Point = dict[str, NDArray[Any]]


def points(graph: Graph, ranges: Mapping[str, Range], count: int, seed: int = 0) -> Iterator[Point]:
    """So many choices of all inputs, and of parameters that the file does not hold."""
    boxes = {value: ranges.get(value.name) for value in graph.inputs}
    for parameter in graph.parameters:
        if parameter.data is None:
            boxes[parameter.value] = _initial(parameter.initialiser)
    rng = np.random.default_rng(seed)
    fills = ("low", "high", "zero", "middle")
    for index in range(count):
        if index < len(fills):
            kinds = dict.fromkeys(boxes, fills[index])
        elif index < 40:
            kinds = {value: str(rng.choice(fills)) for value in boxes}
        else:
            kinds = {value: str(rng.choice(_WAYS)) for value in boxes}
        point = {value.name: _filled(value, box, kinds[value], rng) for value, box in boxes.items()}
        yield _alike(point, ranges) if index % 5 == 4 else point


def given(graph: Graph, inputs: Mapping[str, Any], ranges: Mapping[str, Range]) -> Iterator[Point]:
    """Stated inputs, broadcast to the dims of the graph's; what is not stated is tried in several ways."""
    for point in points(graph, ranges, 8):
        yield {
            name: np.ascontiguousarray(np.broadcast_to(np.asarray(inputs[name]).astype(array.dtype), array.shape))
            if name in inputs
            else array
            for name, array in point.items()
        }


def _initial(initialiser: Initialiser | None) -> Range:
    figures = dict(initialiser.figures) if initialiser else {}
    match initialiser.name if initialiser else "":
        case "zeros":
            return 0.0, 0.0
        case "ones":
            return 1.0, 1.0
        case "constant":
            return figures["value"], figures["value"]
        case "uniform":
            return figures["low"], figures["high"]
        case "truncated_normal":
            reach = DEVIATIONS * figures["stddev"]
            return figures["mean"] - reach, figures["mean"] + reach
        case name:
            raise ValueError(f"no range is known for the initialiser {name}")


_LOG_LARGEST = (88.72, 11.09)
"""Beyond these, exponentials leave single and half precision."""

_WAYS = ("corners", "uniform", "uniform", "one", "rows", "small", "near", "limit")


def _filled(value: Value, box: Range | None, way: str, rng: np.random.Generator) -> Any:
    declared = value.declared
    if declared.dtype is None or not declared.ranked:
        raise ValueError(f"the file gives no shape for {value.name}")
    dtype = declared.dtype.numpy
    shape = tuple(dim if isinstance(dim, int) else OPEN_DIM for dim in declared.dims)
    if dtype.kind == "b":
        share = {"low": 0.0, "high": 1.0, "zero": 0.0}.get(way, float(rng.uniform()))
        return np.asarray(rng.uniform(size=shape) < share)
    largest = float(np.finfo(np.float32).max) / 2
    low, high = box or (-largest, largest)
    numbers = _numbers(low, high, shape, way, rng)
    return np.clip(np.rint(numbers) if dtype.kind in "iu" else numbers, low, high).astype(dtype)


def _numbers(low: float, high: float, shape: tuple[int, ...], way: str, rng: np.random.Generator) -> Any:
    match way:
        case "low" | "high" | "zero" | "middle":
            number = {"low": low, "high": high, "zero": min(max(0.0, low), high), "middle": (low + high) / 2}[way]
            return np.full(shape, number)
        case "corners":
            return np.where(rng.uniform(size=shape) < rng.uniform(), low, high)
        case "one":
            return np.full(shape, rng.uniform(low, high))
        case "rows":
            return np.broadcast_to(rng.uniform(low, high, shape[-1:]), shape)
        case "small":
            return np.exp(rng.uniform(-105, 5, shape)) * rng.choice([-1.0, 1.0], shape)
        case "near":
            base = rng.choice([low, high, 0.0, 1.0, -1.0])
            return base + np.exp(rng.uniform(-20, -5, shape)) * rng.choice([-1.0, 0.0, 1.0], shape)
        case "limit":
            return np.full(shape, rng.choice(_LOG_LARGEST) - np.exp(rng.uniform(-8, 0)))
        case _:
            return rng.uniform(low, high, shape)


def _alike(point: Point, ranges: Mapping[str, Range]) -> Point:
    """Inputs of one shape and type made equal, as far as their ranges allow."""
    first: dict[tuple[Any, ...], NDArray[Any]] = {}
    alike = {}
    for name, array in point.items():
        other = first.setdefault((array.shape, array.dtype), array)
        alike[name] = np.clip(other, *ranges[name]).astype(array.dtype) if name in ranges else other
    return alike
