"""How ends of real numbers become ends in an element type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.boxes_lattice import Box, Floats, boxed, emptied, join, of_interval
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval


@dataclass(frozen=True, slots=True)
class Format:
    """The limits of an element type as floats of 64 bits.

    `safe` is the greatest float that is surely not beyond the largest value. `values` lists the numbers of a float of
    at most 8 bits. An opaque format has no order, so that anything is possible.
    """

    numpy: np.dtype[Any]
    integer: bool = False
    opaque: bool = False
    has_infinity: bool = False
    exact: bool = False
    least: float = -inf
    largest: float = inf
    safe: float = inf
    smallest: float = 0.0
    epsilon: float = 0.0
    values: Floats | None = None


def format_of(dtype: DType) -> Format:
    return _format(dtype.name)


@cache
def _format(name: str) -> Format:
    dtype = dtypes.BY_NAME[name]
    if dtype.is_integer or dtype is dtypes.bool_:
        largest = float(dtype.largest)
        safe = nextafter(largest, 0) if largest > dtype.largest else largest
        return Format(dtype.numpy, integer=True, least=float(dtype.least), largest=largest, safe=safe)
    if not dtype.is_float:
        return Format(dtype.numpy, opaque=True)
    values, has_infinity = None, True
    if dtype.bits <= 8:
        codes = np.arange(2**dtype.bits, dtype=np.uint8).view(dtype.numpy).astype(np.float64)
        values, has_infinity = np.unique(codes[~np.isnan(codes)]), bool(np.isinf(codes).any())
    largest = float(dtype.largest)
    return Format(
        dtype.numpy, has_infinity=has_infinity, exact=dtype is dtypes.f64, least=float(dtype.least), largest=largest,
        safe=largest, smallest=dtype.smallest, epsilon=dtype.epsilon, values=values,
    )  # fmt: skip


def whole(dtype: DType, shape: tuple[int, ...] = ()) -> Box:
    """Everything that an element type can hold."""
    form = format_of(dtype)
    if form.opaque or form.has_infinity:
        return of_interval(Interval(-inf, inf, True), shape)
    return of_interval(Interval(form.least, form.largest, not form.integer), shape)


def finite(dtype: DType, shape: tuple[int, ...] = ()) -> Box:
    """Every finite number of an element type."""
    form = format_of(dtype)
    return of_interval(Interval(form.least, form.largest), shape)


def cut_to_finite(x: Box, dtype: DType) -> Box:
    """The finite numbers of a box; where it has none, every finite number of the element type."""
    form = format_of(dtype)
    low, high = np.maximum(x.low, form.least), np.minimum(x.high, form.largest)
    none = low > high
    if np.count_nonzero(none):
        low, high = np.where(none, form.least, low), np.where(none, form.largest, high)
    return boxed(low, high, x.nan & False)


@np.errstate(all="ignore")
def fused(low: Any, high: Any, nan: Any, dtype: DType, steps: int = 0) -> Box:
    """Real ends in an element type: moved apart by some steps of it, rounded outward, and with what overflow makes.

    Integers that leave their range may be any. A float that overflows is infinite, or NaN in a format without infinity.
    """
    return fit(np.asarray(low, np.float64), np.asarray(high, np.float64), np.asarray(nan), format_of(dtype), steps)


def fit(low: Any, high: Any, nan: Any, form: Format, steps: int = 0) -> Box:
    """As `fused`, for callers that have silenced NumPy's warnings."""
    if form.integer:
        return _integers(np.floor(low), np.ceil(high), nan, form)
    if form.opaque:
        return of_interval(Interval(-inf, inf, True), np.shape(low))
    if steps:
        empty = low > high
        low, high = apart(low, high, form, steps)
        low, high = np.where(empty, inf, low), np.where(empty, -inf, high)
    if not form.has_infinity:
        nan = nan | (low < form.least) | (high > form.largest)
        crossed = low > high
        low, high = np.clip(low, form.least, form.largest), np.clip(high, form.least, form.largest)
        low, high = np.where(crossed, inf, low), np.where(crossed, -inf, high)
    if form.values is not None:
        low, high = _listed(low, high, form.values)
    elif not form.exact:
        low, high = _rounded(low, form.numpy, -1), _rounded(high, form.numpy, 1)
    low, high = flushed(low, high, form)
    return boxed(low, high, nan)


def apart(low: Any, high: Any, form: Format, steps: int, absolute: float = 0.0) -> tuple[Any, Any]:
    """Ends of numbers moved outward by at least so many values of a float format; infinity moves to the largest.

    With `absolute` they move by so many epsilons besides. An end never moves across 0: implementations get the sign
    right, and 0 where it is exact.
    """
    share = steps * form.epsilon
    more = absolute * form.epsilon
    lower = np.fmin(low - np.maximum(np.abs(low), form.smallest) * share - more, np.minimum(low, form.largest))
    upper = np.fmax(high + np.maximum(np.abs(high), form.smallest) * share + more, np.maximum(high, form.least))
    return np.where(low >= 0, np.maximum(lower, 0.0), lower), np.where(high <= 0, np.minimum(upper, 0.0), upper)


def of_array(array: NDArray[Any]) -> Box:
    """A box of the elements of an array, or zero where they are not normal; of complex numbers it holds both parts.

    Elements that are not numbers may be anything.
    """
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return join(of_array(array.real), of_array(array.imag))
    if array.dtype.kind in "OSUMm":
        return of_interval(Interval(-inf, inf, True), array.shape)
    values = array.astype(np.float64)
    nan = np.asarray(np.isnan(values))
    if array.dtype.kind in "biu":
        wide = np.abs(values) >= 2.0**53
        if np.count_nonzero(wide):
            low, high = np.nextafter(values, -inf), np.nextafter(values, inf)
            return boxed(np.where(wide, low, values), np.where(wide, high, values), nan)
        return Box(values, values, nan)
    low, high = flushed(values, values, format_of(dtypes.of(array.dtype)))
    if np.count_nonzero(nan):
        low, high = np.where(nan, inf, low), np.where(nan, -inf, high)
    return boxed(low, high, nan)


def flushed(low: Any, high: Any, form: Format) -> tuple[Any, Any]:
    """Ends that also hold zero where a number that is not normal may be replaced by it."""
    nearest = np.maximum(low, -high)
    tiny = (nearest < form.smallest) & (nearest > 0)
    if np.count_nonzero(tiny):
        return np.where(tiny & (low > 0), 0.0, low), np.where(tiny & (high < 0), 0.0, high)
    return low, high


def _rounded(value: Any, numpy: np.dtype[Any], side: int) -> Any:
    """The nearest value of a format on one side: -1 below, 1 above."""
    close = value.astype(numpy)
    back = close.astype(np.float64)
    wrong = back > value if side < 0 else back < value
    if np.count_nonzero(wrong):
        return np.where(wrong, np.nextafter(close, numpy.type(side * inf)).astype(np.float64), back)
    return back


def _listed(low: Any, high: Any, values: Floats) -> tuple[Any, Any]:
    crossed = low > high
    down = values[np.maximum(np.searchsorted(values, low, side="right") - 1, 0)]
    up = values[np.minimum(np.searchsorted(values, high, side="left"), values.size - 1)]
    return np.where(crossed, inf, down), np.where(crossed, -inf, up)


def _integers(low: Any, high: Any, nan: Any, form: Format) -> Box:
    wrapped = nan | (low < form.least) | (high > form.safe)
    if np.count_nonzero(wrapped):
        low, high = np.where(wrapped, form.least, low), np.where(wrapped, form.largest, high)
    return emptied(low, high, wrapped & False)
