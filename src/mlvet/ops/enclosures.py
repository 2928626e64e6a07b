"""What operators that enclose their own results share: counts of elements, rounding, and sums.

Functions here compute with real numbers in float64, rounded outward; `settled` then adds what rounding in the
operator's element type can do. Sums of floats of fewer than 32 bits are taken to be added up in 32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf, isfinite, isnan, prod, sqrt
from typing import Any, TypeAlias

from mlvet.domains import dtypes, intervals
from mlvet.domains.bounds import bounds
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.intervals import ANY, REALS, Interval, whole
from mlvet.domains.tensors import Tensor
from mlvet.ops.numeric import Enclosure

Operands: TypeAlias = Sequence[Interval | None]
Tensors: TypeAlias = Sequence[Tensor | None]

MOST = 2.0**31 - 1
"""No tensor has more elements than this."""
BLOCK = 2.0**16
"""The most terms that an implementation adds up one after the other."""
UNIT = Interval(-1.0, 1.0)
SHARE = Interval(0.0, 1.0)
ZERO = Interval(0.0, 0.0)
ONE = Interval(1.0, 1.0)
TEXT = Interval(inf, -inf)
COUNT = Interval(0.0, MOST)
PARTS: dict[DType, DType] = {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}


def part(dtype: DType) -> DType:
    """The element type of the parts of a complex number; of others, themselves."""
    return PARTS.get(dtype, dtype)


def real_of(x: Tensor | None) -> DType | None:
    """The element type of an operand if it is one of real or complex numbers."""
    dtype = None if x is None else x.dtype
    return dtype if dtype is not None and (dtype.is_float or dtype.kind is Kind.COMPLEX) else None


def internal(dtype: DType) -> DType:
    """The element type in which sums are added up."""
    dtype = part(dtype)
    return dtypes.f32 if dtype.is_float and dtype.bits < 32 else dtype


def anything(dtype: DType | None) -> Interval:
    """What an element type can hold, NaN included if it has it."""
    return ANY if dtype is None else Interval(inf, -inf) if dtype.kind is Kind.TEXT else whole(part(dtype))


def finite(dtype: DType) -> Interval:
    """The finite numbers of an element type."""
    return Interval(float(dtype.least), float(dtype.largest))


def bounded(*operands: Interval | None) -> bool:
    """Whether all operands hold numbers, and only finite ones."""
    return all(x is None or (not x.empty and isfinite(x.low) and isfinite(x.high)) for x in operands)


def has_nan(operands: Iterable[Interval | None]) -> bool:
    return any(x is not None and x.nan for x in operands)


def with_nan(x: Interval, nan: bool) -> Interval:
    return Interval(x.low, x.high, x.nan or nan)


def size_of(x: Interval) -> float:
    """The greatest magnitude."""
    return max(abs(x.low), abs(x.high))


def symmetric(size: float) -> Interval:
    return Interval(-size, size)


def extent(dim: Dim | None) -> tuple[float, float]:
    """The least and greatest value of a size; None is one of which nothing is known."""
    least, most = (0.0, MOST) if dim is None else bounds(dim)
    return max(least, 0.0), min(most, MOST)


def count(*dims: Dim | None) -> tuple[float, float]:
    """The least and greatest product of sizes, of which those that are not known are taken not to be 0."""
    low, high = 1.0, 1.0
    for dim in dims:
        least, most = extent(dim)
        low, high = low * (least if isinstance(dim, int) else max(least, 1.0)), high * most
    return low, min(high, MOST)


def dim_of(x: Tensor | None, axis: int) -> Dim | None:
    """One dim, None if there is no telling."""
    if x is None or not x.ranked or not -x.rank <= axis < x.rank:
        return None
    return x.dims[axis]


def elements_of(x: Tensor | None) -> tuple[float, float]:
    """How many elements a tensor has."""
    return count(*x.dims) if x is not None and x.ranked else (1.0, MOST)


def elements_from(x: Tensor, axis: int) -> tuple[float, float]:
    """How many elements lie along an axis and all after it."""
    if not x.ranked or not -x.rank <= axis < x.rank:
        return 1.0, MOST
    return count(*x.dims[axis % x.rank :])


def plus(x: Interval, *others: Interval) -> Interval:
    for y in others:
        x = intervals.add(x, y, dtypes.f64)
    return x


def minus(x: Interval, y: Interval) -> Interval:
    return intervals.sub(x, y, dtypes.f64)


def times(x: Interval, *others: Interval) -> Interval:
    for y in others:
        x = intervals.mul(x, y, dtypes.f64)
    return x


def over(x: Interval, y: Interval) -> Interval:
    return intervals.div(x, y, dtypes.f64)


def growing(function: Callable[[float], float], x: Interval) -> Interval:
    """The values of an increasing function of real numbers."""
    return intervals.monotone(function, x, dtypes.f64)


def magnitude(x: Interval) -> Interval:
    return intervals.absolute(x, dtypes.f64)


def squared(x: Interval) -> Interval:
    return times(magnitude(x), magnitude(x))


def drift(dtype: DType, terms: float) -> float:
    """The relative error of a sum, one unit per term; sums of more terms than `BLOCK` are added up in blocks."""
    return min(min(terms, BLOCK) * internal(dtype).epsilon, 1.0) if part(dtype).is_float else 0.0


def settled(
    x: Interval,
    dtype: DType,
    *,
    roundings: float = 8,
    scale: float | None = None,
    image: Interval = REALS,
) -> Interval:
    """Real results as an element type holds them after some roundings, each relative to `scale` or to the result.

    Roundings relative to the result keep its sign.
    `image` is what results never leave, whichever way they are rounded.
    """
    if x.empty or dtype.kind is Kind.TEXT:
        return TEXT if dtype.kind is Kind.TEXT else x
    dtype = part(dtype)
    low, high = x.low, x.high
    if dtype.is_float:
        tiny, unit = dtype.smallest, roundings * dtype.epsilon
        low = _apart(low, -unit * (abs(low) if scale is None else scale) - tiny)
        high = _apart(high, unit * (abs(high) if scale is None else scale) + tiny)
        if scale is None:
            low, high = (max(low, 0.0) if x.low >= 0 else low), (min(high, 0.0) if x.high <= 0 else high)
    low, high = max(low, image.low), min(high, image.high)
    return intervals.cast(Interval(min(low, high), high, x.nan), dtype)


def _apart(end: float, by: float) -> float:
    moved = end + by
    return (inf if by > 0 else -inf) if isnan(moved) else moved


def total(x: Interval, terms: tuple[float, float]) -> Interval:
    """The sum of so many real numbers of an interval."""
    fewest, most = terms
    return Interval(x.low * (most if x.low < 0 else fewest), x.high * (most if x.high > 0 else fewest), x.nan)


def summed(x: Interval, terms: tuple[float, float], dtype: DType, *plus_: Interval) -> Interval:
    """The sum of so many numbers of an interval and perhaps others, added up in any order in an element type."""
    if not bounded(x, *plus_):
        return anything(dtype)
    exact = plus(total(x, terms), *plus_)
    sizes = size_of(x) * terms[1] + sum(map(size_of, plus_))
    lost = drift(dtype, terms[1] + len(plus_)) * sizes
    image = REALS if any(term.low < 0 for term in (x, *plus_)) else Interval(0.0, inf)
    found = settled(plus(exact, symmetric(lost)), dtype, roundings=2, image=image)
    return with_nan(found, not isfinite(found.low) and not isfinite(found.high))


def products(factors: Sequence[Interval], terms: tuple[float, float], dtype: DType, *plus_: Interval) -> Interval:
    """The sum of so many products of one number of each interval, and perhaps of others.

    The factors are multiplied in any order, so that some of them together may overflow before another makes them small.
    """
    if not bounded(*factors, *plus_):
        return anything(dtype)
    if part(dtype).is_float and len(factors) > 2:
        partial = prod(max(size_of(factor), 1.0) for factor in factors)
        if overflows(partial * (1 + 16 * internal(dtype).epsilon), internal(dtype)):
            return anything(dtype)
    product = times(*factors)
    if not isfinite(size_of(product)):
        return anything(dtype)
    slack = symmetric(len(factors) * part(dtype).epsilon * size_of(product)) if part(dtype).is_float else ZERO
    return summed(plus(product, slack), terms, dtype, *plus_)


def overflows(size: float, dtype: DType) -> bool:
    """Whether a magnitude leaves an element type."""
    return not size <= float(dtype.largest)


def root(x: float) -> float:
    return sqrt(x) if x >= 0 else 0.0


def one(
    of: Callable[..., Interval], *, keeps: bool = False, infinite: bool = False, integers: bool = False, like: int = 0
) -> Enclosure:
    """The enclosure of one result in the element type of operand `like`: `of(operands, tensors, dtype, ...)`.

    Where an operand can be infinite the result can be anything, unless `infinite` says that the function knows, and so
    it can where the element type is not one of floats, unless `integers` does.
    """

    def run(operands: Operands, tensors: Tensors, **attributes: Any) -> tuple[Interval, ...]:
        first = tensors[like] if like < len(tensors) else None
        dtype = None if first is None else first.dtype
        if dtype is None or dtype.kind is Kind.TEXT or any(x is not None and x.empty for x in operands):
            return (anything(dtype),)
        if (not infinite and not bounded(*operands)) or (not integers and real_of(first) is None):
            return (anything(dtype),)
        found = of(operands, tensors, dtype, **attributes)
        return (with_nan(found, part(dtype).is_float and has_nan(operands)),)

    return Enclosure(run, keeps)


def many(of: Callable[..., tuple[Interval, ...]], *, keeps: bool = False) -> Enclosure:
    """The enclosure of several results; the function knows about infinite operands and NaN."""
    return Enclosure(of, keeps)


def always(*results: Interval) -> Enclosure:
    """The same intervals whatever the operands."""
    return Enclosure(lambda operands, tensors, **_: results)
