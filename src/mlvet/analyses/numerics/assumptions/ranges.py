"""What the inputs and parameters of a graph are assumed to hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import ceil, floor, inf, isfinite

from mlvet.analyses.shapes.inference import Inference
from mlvet.domains import dtypes, intervals
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Graph, Node, Value


class Origin(Enum):
    """Where a range comes from; the first two are the user's word, the last four are ours."""

    GIVEN = "given"
    DATA = "data"
    STORED = "stored"
    INITIALISER = "initialiser"
    MEANING = "meaning"
    HEURISTIC = "heuristic"
    DTYPE = "dtype"


OURS = frozenset({Origin.INITIALISER, Origin.MEANING, Origin.HEURISTIC, Origin.DTYPE})
"""The origins that are guesses of the analysis."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """The range of every element of a value, where it comes from, and why in words."""

    interval: Interval
    origin: Origin
    why: str


@dataclass(frozen=True, slots=True)
class Sample:
    """The least and greatest element of an array of a data file, how many samples it has, and if all are integers."""

    low: float
    high: float
    count: int
    whole: bool
    file: str


@dataclass(frozen=True, slots=True)
class Given:
    """What the user says of inputs and parameters, by name. An infinite end of a range means without a limit."""

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    data: Mapping[str, Sample] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys((*self.ranges, *self.data)))


@dataclass(slots=True)
class Assumptions:
    """The ranges; `meant` and `sampled` are the names of the user's ranges and arrays that are of this graph.

    `remarks` tell where that word was cut to the element type, `refusals` where it cannot be true of the value.
    """

    ranges: dict[Value, Assumed] = field(default_factory=dict)
    meant: set[str] = field(default_factory=set)
    sampled: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def assumed_ranges(graph: Graph, inference: Inference, given: Given | None = None) -> dict[Value, Assumed]:
    """The range of every input and of every parameter without stored elements; see `assume`."""
    return assume(graph, inference, given or Given()).ranges


def assume(graph: Graph, inference: Inference, given: Given) -> Assumptions:
    """Settle every range: the user's word, his data, the initialiser, the known meaning, the name, the element type.

    The name of a running statistic or counter, which no gradient changes, says more than its initialiser, and the
    initialiser of a sum that is added to says nothing. A parameter whose elements are stored has a range here only if
    the user gives one. Values that are no numbers have none.
    """
    from mlvet.analyses.numerics.assumptions import initialisers, statistics
    from mlvet.analyses.numerics.assumptions.meanings import Meanings

    found = Assumptions()
    meanings = Meanings(graph, inference)
    for value in graph.inputs:
        tensor = inference.type_of(value)
        if _is_number(tensor):
            found.ranges[value] = (
                _said(found, (value.name,), tensor, given)
                or _fitting(meanings.of(value), tensor)
                or _fitting(statistics.of_name(value.name, tensor, None), tensor)
                or by_dtype(tensor)
            )
        else:
            _refuse_text(found, (value.name,), given)
    counted = {node.inputs[0] for node in graph.nodes() if _adds(node)}
    for parameter in graph.parameters:
        tensor = inference.type_of(parameter.value)
        if not _is_number(tensor):
            _refuse_text(found, (parameter.name, parameter.value.name), given)
            continue
        said = _said(found, (parameter.name, parameter.value.name), tensor, given)
        if said is not None:
            found.ranges[parameter.value] = said
        elif parameter.data is None:
            named = _fitting(statistics.of_name(parameter.name, tensor, parameter.initialiser), tensor)
            learned = parameter.trainable and (tensor.dtype is None or tensor.dtype.is_float)
            certain = not learned or statistics.is_updated(parameter.name)
            first = None if parameter.value in counted else initialisers.of(parameter, tensor, learned=learned)
            found.ranges[parameter.value] = (
                (named if certain else None) or _fitting(first, tensor) or named or by_dtype(tensor)
            )
    return found


def by_dtype(tensor: Tensor) -> Assumed:
    """Every finite number of the element type."""
    dtype = tensor.dtype
    if dtype is None:
        return Assumed(finite(dtypes.f64), Origin.DTYPE, "any finite number, since its element type is not known")
    if dtype.kind is Kind.BOOL:
        return Assumed(Interval(0, 1), Origin.DTYPE, "a bool is 0 or 1")
    return Assumed(finite(dtype), Origin.DTYPE, f"any finite {dtype}, since nothing else is known")


def finite(dtype: DType) -> Interval:
    """The finite numbers of an element type."""
    return Interval(dtype.least, dtype.largest)


def same_name(said: str, names: Iterable[str]) -> bool:
    """Whether the user's name means a value; the first output of a TensorFlow node is known by the node's name too."""
    return any(said == name or re.sub(r":0$", "", said) == re.sub(r":0$", "", name) for name in names)


def _adds(node: Node) -> bool:
    """Whether a node adds to a variable; a step of training does not sum anything up."""
    return node.op in ("assign_add", "assign_sub") and bool(node.inputs) and "GradientDescent" not in node.source_op


def _is_number(tensor: Tensor) -> bool:
    return tensor.dtype is None or tensor.dtype.kind is not Kind.TEXT


def _refuse_text(found: Assumptions, names: tuple[str, ...], given: Given) -> None:
    """Say that text has no range, if the user gives one."""
    for name in given.names:
        if same_name(name, names):
            found.meant |= {name} & set(given.ranges)
            found.sampled |= {name} & set(given.data)
            found.refusals.append(f"`{name}` is text, which has no range")


def _said(found: Assumptions, names: tuple[str, ...], tensor: Tensor, given: Given) -> Assumed | None:
    """The user's range, else that of his data."""
    dtype = tensor.dtype or dtypes.f64
    data = next((name for name in given.data if same_name(name, names)), None)
    name = next((name for name in given.ranges if same_name(name, names)), None)
    found.meant |= {name} if name is not None else set()
    found.sampled |= {data} if data is not None else set()
    if name is not None:
        low, high = given.ranges[name]
        interval = _cut(low, high, dtype)
        if interval.empty:
            found.refusals.append(f"the range {low:g}:{high:g} of `{name}` holds no {dtype}, which it is made of")
        else:
            beyond = (isfinite(low) and low < dtype.least) or (isfinite(high) and high > dtype.largest)
            if beyond:
                found.remarks.append(f"the range {low:g}:{high:g} of `{name}` is cut to the finite {dtype}: {interval}")
            return Assumed(interval, Origin.GIVEN, "given" + (f", cut to the finite {dtype}" if beyond else ""))
    if data is not None:
        sample = given.data[data]
        if not dtype.is_float and dtype.kind is not Kind.COMPLEX and not sample.whole:
            found.refusals.append(f"the array `{data}` of {sample.file} has fractions, but the value is {dtype}")
        else:
            return _measured(found, data, sample, dtype)
    return None


def _measured(found: Assumptions, name: str, sample: Sample, dtype: DType) -> Assumed | None:
    numbers = Interval(sample.low, sample.high)
    inside = (sample.low >= dtype.least or sample.low == -inf) and (sample.high <= dtype.largest or sample.high == inf)
    if not inside or (not numbers.finite and not (dtype.is_float and intervals.whole(dtype).covers(numbers))):
        found.refusals.append(f"the array `{name}` of {sample.file} holds {numbers}, which is beyond {dtype}")
        return None
    samples = f"{sample.count:,} sample{'s' if sample.count != 1 else ''}"
    interval = intervals.cast(numbers, dtype) if dtype.is_float else numbers
    return Assumed(interval, Origin.DATA, f"the least and greatest element of {samples} in {sample.file}")


def _cut(low: float, high: float, dtype: DType) -> Interval:
    """The numbers of an element type within given ends: floats rounded outward, integers inward."""
    if dtype.is_float:
        within = Interval(low, high).meet(finite(dtype))
        return within if within.empty else intervals.cast(within, dtype).meet(finite(dtype))
    if dtype.kind is Kind.COMPLEX:
        return Interval(low, high).meet(finite(dtype))
    return Interval(ceil(low) if isfinite(low) else low, floor(high) if isfinite(high) else high).meet(finite(dtype))


def _fitting(assumed: Assumed | None, tensor: Tensor) -> Assumed | None:
    """A guess cut to the element type; none if nothing is left of it."""
    if assumed is None:
        return None
    interval = _cut(assumed.interval.low, assumed.interval.high, tensor.dtype or dtypes.f64)
    return None if interval.empty else Assumed(interval, assumed.origin, assumed.why)
