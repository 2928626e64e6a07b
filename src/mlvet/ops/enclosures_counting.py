"""Enclosures of indices, counts and sizes, and of values that are picked together with their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.bounds import bounds
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import REALS, Interval, cast
from mlvet.ops.enclosures import (
    COUNT,
    MOST,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    elements_of,
    extent,
    many,
    one,
    plus,
    settled,
    size_of,
    summed,
    symmetric,
    with_nan,
)
from mlvet.ops.numeric import Enclosure


def below(*sizes: float) -> Interval:
    """The indices into something of at most so many elements."""
    return Interval(0.0, max(max(sizes, default=1.0) - 1, 0.0))


def _places(of: Callable[..., float]) -> Enclosure:
    """Indices into as many elements as the function says there are at most."""
    return many(lambda operands, tensors, **attributes: (below(of(tensors, **attributes)),))


def _along(tensors: Tensors, axis: int = -1, **_: Any) -> float:
    return count(dim_of(tensors[0], axis))[1]


def _along_first(tensors: Tensors, axis: int = 0, **_: Any) -> float:
    return _along(tensors, axis)


def _longest(tensors: Tensors, **_: Any) -> float:
    x = tensors[0]
    return max((count(dim)[1] for dim in x.dims), default=1.0) if x is not None and x.ranked else MOST


EXTREME_PLACES, SORTED_PLACES, NONZERO_PLACES = _places(_along_first), _places(_along), _places(_longest)
INSERTION_PLACES = _places(lambda tensors, **_: count(dim_of(tensors[0], -1))[1] + 1)
BUCKETS = _places(lambda tensors, **_: count(dim_of(tensors[1], 0))[1] + 1)
CLASSES = many(lambda operands, tensors, dtype=dtypes.i32, **_: (cast(below(count(dim_of(tensors[0], 1))[1]), dtype),))
SUPPRESSED = _places(lambda tensors, **_: max(elements_of(tensors[0])[1], elements_of(tensors[1])[1]))


def _dims(tensors: Tensors, start: int = 0, end: int | None = None, **_: Any) -> Interval:
    x = tensors[0]
    if x is None or not x.ranked:
        return COUNT
    sizes = [extent(dim) for dim in x.dims[start:end]]
    return Interval(min((low for low, _ in sizes), default=0.0), max((high for _, high in sizes), default=0.0))


def _spanned(dims: Sequence[Any]) -> Interval:
    """Sizes and counts of the host program, which may be negative."""
    ends = [bounds(dim) for dim in dims]
    low, high = min((low for low, _ in ends), default=0), max((high for _, high in ends), default=0)
    return Interval(float(max(low, dtypes.i64.least)), float(min(high, dtypes.i64.largest)))


SHAPE = many(lambda operands, tensors, **options: (_dims(tensors, **options),))
SIZES = many(lambda operands, tensors, dims, **_: (_spanned(dims),))
SIZE = many(
    lambda operands, tensors, **_: (Interval(0.0 if tensors[0].shape != () else 1.0, elements_of(tensors[0])[1]),)
)
RANK = many(
    lambda operands, tensors, **_: (
        Interval(float(tensors[0].rank), float(tensors[0].rank)) if tensors[0].ranked else Interval(0.0, 64.0),
    )
)
DIM = many(lambda operands, tensors, axis=0, **_: (Interval(*extent(dim_of(tensors[0], axis))),))


def _top_k(operands: Operands, tensors: Tensors, axis: int = -1, **_: Any) -> tuple[Interval, ...]:
    x = operands[0]
    assert x is not None
    return x, below(_along(tensors, axis))


def _unique(operands: Operands, tensors: Tensors, axis: int | None = None, **_: Any) -> tuple[Interval, ...]:
    x = operands[0]
    assert x is not None
    most = elements_of(tensors[0])[1] if axis is None else count(dim_of(tensors[0], axis))[1]
    return x, below(most), below(most), Interval(1.0, max(most, 1.0))


TOP_K, UNIQUE = many(_top_k), many(_unique)


def _bincount(operands: Operands, tensors: Tensors, **_: Any) -> tuple[Interval, ...]:
    most = elements_of(tensors[0])[1]
    weights = operands[1] if len(operands) > 1 else None
    if weights is None:
        return (Interval(0.0, most),)
    dtype = tensors[1].dtype if tensors[1] is not None else None
    if dtype is None or not bounded(weights):
        return (anything(dtype),)
    return (with_nan(summed(weights, (0.0, most), dtype), weights.nan),)


BINCOUNT = many(_bincount)


def _range(operands: Operands, _: Tensors, dtype: DType, **__: Any) -> Interval:
    """From start to limit; floats are off by some roundings of either."""
    start, limit, _delta = operands
    assert start is not None
    assert limit is not None
    hull = start.join(limit)
    return settled(hull, dtype, roundings=4, scale=size_of(hull))


def _linspace(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    return _range((operands[0], operands[1], None), _, dtype)


RANGE, LINSPACE = one(_range, integers=True), one(_linspace, integers=True)


def _offsets(operands: Operands, _: Tensors, **__: Any) -> tuple[Interval, ...]:
    parts = [x for x in operands if x is not None]
    reach = plus(ZERO, *(symmetric(size_of(x)) for x in parts)) if bounded(*parts) else REALS
    low = 0.0 if all(x.low >= 0 for x in parts) else reach.low
    return tuple(cast(Interval(low, reach.high), dtypes.i32) for _ in operands)


AXES = many(lambda operands, tensors, **_: (Interval(0.0, 63.0), Interval(0.0, 63.0)))
OFFSETS = many(_offsets)


def _stitched(operands: Operands, tensors: Tensors, **_: Any) -> tuple[Interval, ...]:
    """Rows, and zeros where an index is not named."""
    found = ZERO
    for rows in operands[len(operands) // 2 :]:
        found = found.join(rows) if rows is not None else found
    return (found,)


STITCHED = many(_stitched)


def _encoded(
    operands: Operands,
    tensors: Tensors,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: Any = None,
    values_dtype: DType | None = None,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_tensor: Any = None,
    **_: Any,
) -> tuple[Interval, ...]:
    """The values of the table, and the default of what it lacks."""
    values: list[Any] = list(values_floats or values_int64s or ())
    if values_strings or values_dtype is dtypes.text:
        return (Interval(inf, -inf),)
    default: Any = default_float if values_floats else default_int64
    if not values and values_tensor is not None:
        values = _flat(values_tensor)
        default = default_float if values_dtype is None or values_dtype.is_float else default_int64
    entries = [*values, *(_flat(default_tensor) if default_tensor is not None else [default])]
    if any(isinstance(entry, str) for entry in entries):
        return (Interval(inf, -inf),)
    numbers = [float(entry) for entry in entries if entry == entry]
    if not numbers:
        return (Interval(inf, -inf, True),)
    single = settled(Interval(min(numbers), max(numbers), len(numbers) < len(entries)), dtypes.f32, roundings=1)
    return (single if values_dtype is None else cast(single, values_dtype) if values_dtype.is_float else single,)


def _flat(values: Any) -> list[Any]:
    found = values.ravel().tolist() if hasattr(values, "ravel") else list(values) if _listed(values) else [values]
    return list(found)


def _listed(values: Any) -> bool:
    return isinstance(values, Sequence) and not isinstance(values, str)


ENCODED = many(_encoded, keeps=True)


def _tf_idf(
    operands: Operands,
    tensors: Tensors,
    *,
    max_gram_length: int,
    min_gram_length: int,
    max_skip_count: int,
    mode: str,
    weights: Sequence[float] = (),
    **_: Any,
) -> tuple[Interval, ...]:
    """How often a gram occurs in a row, at most once per place, length and skip, times its weight."""
    row = count(dim_of(tensors[0], -1))[1]
    often = row * max(max_gram_length - min_gram_length + 1, 0) * (max_skip_count + 1)
    if mode == "TF":
        return (settled(Interval(0.0, often), dtypes.f32, image=Interval(0.0, inf)),)
    most = 1.0 if mode == "IDF" else often
    scale = [float(weight) for weight in weights] or [1.0]
    return (settled(Interval(min(*scale, 0.0) * most, max(*scale, 0.0) * most), dtypes.f32),)


TF_IDF = many(_tf_idf)
