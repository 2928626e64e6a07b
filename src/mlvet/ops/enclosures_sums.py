"""Enclosures of sums along axes, over windows and over places that coincide, and of products of runs of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, log, log2, prod
from typing import Any

from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ops.enclosures import (
    MOST,
    ONE,
    UNIT,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    elements_of,
    has_nan,
    internal,
    many,
    one,
    overflows,
    part,
    plus,
    products,
    real_of,
    settled,
    size_of,
    summed,
    symmetric,
    times,
    with_nan,
)
from mlvet.ops.numeric import Enclosure

CUBIC = -0.75
LEAST_SILU = -0.2785
"""A little below the least value of x * sigmoid(x)."""


def number_of(x: Tensor | None) -> int | None:
    """The one known integer of an operand."""
    if x is None or x.value is None or x.value.dtype == object or x.value.size != 1:
        return None
    return int(x.value.ravel()[0])


def _run(tensors: Tensors) -> tuple[float, float]:
    """How many elements lie along the axis that operand 1 names."""
    axis, x = number_of(tensors[1]), tensors[0]
    if axis is not None:
        return count(dim_of(x, axis))
    if x is None or not x.ranked:
        return 0.0, MOST
    sizes = [count(dim) for dim in x.dims]
    return min((low for low, _ in sizes), default=1.0), max((high for _, high in sizes), default=1.0)


def _running_sum(operands: Operands, tensors: Tensors, dtype: DType, exclusive: bool = False, **_: Any) -> Interval:
    x = operands[0]
    assert x is not None
    return summed(x, (0.0 if exclusive else 1.0, max(_run(tensors)[1], 1.0)), dtype)


def power_of(x: Interval, most: float) -> Interval:
    """The products of one to so many numbers of an interval."""
    size = size_of(x)
    try:
        top = size**most if size > 1 else size
        low = x.low**most if 0 <= x.low < 1 else x.low
    except OverflowError:
        top, low = inf, max(x.low, 0.0)
    if x.low >= 0:
        return Interval(min(low, x.low), max(top, x.high))
    return symmetric(top)


def _running_product(operands: Operands, tensors: Tensors, dtype: DType, exclusive: bool = False, **_: Any) -> Interval:
    x = operands[0]
    assert x is not None
    most = max(_run(tensors)[1], 1.0)
    found = power_of(x, most)
    found = found.join(ONE) if exclusive else found
    if not dtype.is_float:
        return settled(found, dtype)
    lost = most * internal(dtype).epsilon
    if not bounded(found) or lost > 0.5 or overflows(size_of(found), internal(dtype)):
        return Interval(0.0, inf) if x.low >= 0 else anything(dtype)
    rounded = settled(found, internal(dtype), roundings=8 + most, image=Interval(0.0, inf) if x.low >= 0 else ANY_REAL)
    return settled(rounded, dtype, roundings=1)


def _running_log(operands: Operands, tensors: Tensors, dtype: DType, exclusive: bool = False, **_: Any) -> Interval:
    """At least the least, and at most the greatest plus the log of their number."""
    x = operands[0]
    assert x is not None
    if x.high == inf:
        return anything(dtype)
    high = x.high + log(max(_run(tensors)[1], 1.0))
    scale = 1 + size_of(x) if isfinite(x.low) else 1 + abs(x.high)
    found = settled(Interval(x.low, high), dtype, scale=scale + log(MOST), roundings=16)
    return Interval(-inf, found.high, found.nan) if exclusive else found


ANY_REAL = Interval(-inf, inf)
RUNNING_SUM, RUNNING_PRODUCT = one(_running_sum, integers=True), one(_running_product, integers=True)
RUNNING_LOG = one(_running_log, infinite=True)


def _segments(operands: Operands, tensors: Tensors, dtype: DType) -> Interval:
    x = operands[0]
    assert x is not None
    return summed(x, (0.0, elements_of(tensors[1])[1]), dtype)


def _columns(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    """An element of the image gets at most one element per place in the block."""
    x = operands[0]
    assert x is not None
    block = tensors[2].value if len(tensors) > 2 and tensors[2] is not None else None
    known = block is not None and block.dtype != object
    most = float(prod(block.ravel().tolist())) if known and block is not None else count(dim_of(tensors[0], 1))[1]
    return summed(x, (0.0, max(most, 0.0)), dtype)


def _grid(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    theta = operands[0]
    assert theta is not None
    return products([theta, UNIT], (0.0, 4.0), dtype)


SEGMENTS, COLUMNS = one(_segments, integers=True), one(_columns, integers=True)
GRID = one(_grid)


def added(values: int) -> Enclosure:
    """Operand 0 with elements of another added, all of them perhaps at one place."""

    def of(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
        x, y = operands[0], operands[values]
        assert x is not None
        assert y is not None
        most = elements_of(tensors[values])[1]
        if values == 1:
            most = max(most, elements_of(tensors[0])[1], *(elements_of(t)[1] for t in tensors[2:] if t is not None))
        return summed(y, (0.0, most), dtype, x)

    return one(of, integers=True)


def _multiplied(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    x, y = operands[0], operands[2]
    assert x is not None
    assert y is not None
    most = elements_of(tensors[2])[1]
    found = times(x, power_of(y, max(most, 1.0)).join(ONE))
    if not dtype.is_float:
        return settled(found, dtype) if bounded(found) else anything(dtype)
    if not bounded(found) or most * dtype.epsilon > 0.5 or overflows(size_of(found), dtype):
        return anything(dtype)
    return settled(found, dtype, roundings=8 + most, scale=size_of(found))


MULTIPLIED = one(_multiplied, integers=True)


def blended(outside: float | None = None) -> Enclosure:
    """Weighted means of elements, or a value of its own where there are none."""

    def of(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
        x = operands[0]
        assert x is not None
        found = settled(x, dtype, scale=size_of(x), roundings=16)
        return found if outside is None else found.join(settled(Interval(outside, outside), dtype, roundings=1))

    return one(of)


def overshooting(a: float, outside: float | None = None, dims: int | None = None, slack: float = 0.0) -> Enclosure:
    """Cubic interpolation: along each axis the magnitudes of the weights add up to at most 1 - a / 2."""

    def of(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
        x, tensor = operands[0], tensors[0]
        assert x is not None
        axes = dims if dims is not None else tensor.rank if tensor is not None and tensor.ranked else 8
        reach = size_of(x) * (1 + abs(a) / 2 + slack) ** axes
        found = settled(symmetric(reach), dtype, roundings=64)
        return found if outside is None else found.join(settled(Interval(outside, outside), dtype, roundings=1))

    return one(of)


def _transformed(size: float, lengths: Sequence[float], factor: float, dtype: DType) -> Interval:
    """Parts of sums of complex numbers turned on the circle."""
    most = prod(lengths)
    steps = 64 + 16 * log2(max(most, 2.0))
    kind = internal(dtype)
    if overflows(2 * size * most, kind):
        return anything(dtype)
    return settled(symmetric(1.4143 * size * factor), dtype, roundings=steps)


def spectrum(kind: str) -> Enclosure:
    """A Fourier transform over several axes."""

    def of(
        operands: Operands,
        tensors: Tensors,
        dtype: DType,
        s: Sequence[int] | None = None,
        axes: Sequence[int] = (-1,),
        norm: str = "backward",
    ) -> Interval:
        x, tensor = operands[0], tensors[0]
        assert x is not None
        sizes: list[Dim | None] = [dim_of(tensor, axis) for axis in axes]
        if kind == "irfft" and sizes and sizes[-1] is not None:
            sizes[-1] = 2 * sizes[-1]
        for place, size in enumerate(s or ()):
            if place < len(sizes):
                sizes[place] = size
        lengths = [max(count(size)[1], 1.0) for size in sizes]
        whole = prod(lengths)
        forward = kind in ("fft", "rfft")
        divided = norm == ("forward" if forward else "backward")
        factor = whole**0.5 if norm == "ortho" else 1.0 if divided else whole
        real = part(dtype) if part(dtype).is_float else dtype
        return anything(None) if not real.is_float else _transformed(size_of(x), lengths, factor, _kept(real))

    return one(of)


def _kept(dtype: DType) -> DType:
    """Half-precision signals yield transforms of 32 bits."""
    return internal(dtype)


def _discrete(
    operands: Operands, tensors: Tensors, dtype: DType, inverse: bool = False, onesided: bool = False
) -> Interval:
    x, tensor = operands[0], tensors[0]
    assert x is not None
    axis = number_of(tensors[2]) if len(tensors) > 2 and tensors[2] is not None else -2
    given = tensors[1] if len(tensors) > 1 else None
    known = number_of(given)
    if known is not None:
        length = float(known)
    elif given is None and axis is not None:
        length = 2 * count(dim_of(tensor, axis))[1]
    else:
        length = MOST
    return _transformed(size_of(x), [length], 1.0 if inverse else length, dtype)


def _short_time(operands: Operands, tensors: Tensors, dtype: DType, onesided: bool = True) -> Interval:
    x, window = operands[0], operands[2] if len(operands) > 2 else None
    assert x is not None
    size = size_of(x) * (1.0 if window is None else size_of(window))
    given = number_of(tensors[3]) if len(tensors) > 3 else None
    frame = tensors[2] if len(tensors) > 2 else None
    most = count(dim_of(frame, 0))[1] if frame is not None else count(dim_of(tensors[0], 1))[1]
    length = float(given) if given is not None else most
    return _transformed(size, [length], length, dtype)


DISCRETE, SHORT_TIME = one(_discrete), one(_short_time)


def _deformed(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    """As a convolution of means of elements and of zeros outside, each mean rounded to the element type."""
    x, w = operands[0], operands[1]
    assert x is not None
    assert w is not None
    bias = [b for b in operands[3:4] if b is not None]
    mask = [m for m in operands[4:5] if m is not None]
    kernel = tensors[1]
    terms = count(*kernel.dims[1:])[1] if kernel is not None and kernel.ranked else MOST
    blend = x.join(ZERO)
    blend = plus(blend, symmetric(64 * part(dtype).epsilon * size_of(x)))
    if overflows(size_of(blend), internal(dtype)):
        return anything(dtype)
    return products([blend, w, *mask], (0.0, terms), dtype, *bias)


def _causal(operands: Operands, tensors: Tensors, activation: str = "none", **_: Any) -> tuple[Interval, ...]:
    x, w = operands[:2]
    bias = [b for b in operands[2:3] if b is not None]
    past = operands[3] if len(operands) > 3 else None
    dtype = real_of(tensors[0])
    if x is None or w is None or dtype is None or not bounded(*operands):
        return anything(dtype), anything(dtype)
    joined = x.join(ZERO if past is None else past)
    terms = count(dim_of(tensors[1], 2))
    found = products([joined, w], (min(terms), terms[1]), internal(dtype), *bias)
    if activation != "none":
        low = LEAST_SILU if found.low < 0 else 0.0
        found = Interval(low, max(found.high, 0.0) if isfinite(found.high) else inf, found.nan or found.low == -inf)
    return with_nan(settled(found, dtype, roundings=4), has_nan(operands)), joined


def _cross(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    a, b = operands
    assert a is not None
    assert b is not None
    product = times(a, b)
    return (
        summed(
            plus(product, symmetric(2 * part(dtype).epsilon * size_of(product))),
            (1.0, 1.0),
            dtype,
            Interval(-product.high, -product.low),
        )
        if part(dtype).is_float and bounded(product) and not overflows(size_of(product), part(dtype))
        else anything(dtype)
    )


DEFORMED, CAUSAL, CROSS = one(_deformed), many(_causal), one(_cross)


def _window_terms(kernel: Sequence[int] | None) -> float:
    return float(prod(kernel)) if kernel else MOST


def gathered(operand: int, like: int) -> Enclosure:
    """Sums of at most as many elements of an operand as a window has, or the operand."""

    def of(operands: Operands, tensors: Tensors, dtype: DType, **attributes: Any) -> Interval:
        x = operands[operand]
        assert x is not None
        terms = min(_window_terms(attributes.get("kernel_shape")), elements_of(tensors[operand])[1])
        return summed(x, (0.0, terms), dtype)

    return one(of, like=like, integers=True)


def _filter_gradient(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    """One product of data and gradient per image and place of the kernel."""
    x, gradient = operands[0], operands[-1]
    assert x is not None
    assert gradient is not None
    return products([x, gradient], (0.0, elements_of(tensors[-1])[1]), dtype)


def _depthwise_gradient(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    """One product of kernel and gradient per element of the kernel of a channel."""
    kernel, gradient = operands[1], operands[-1]
    assert kernel is not None
    assert gradient is not None
    return products([kernel, gradient], (0.0, elements_of(tensors[1])[1]), dtype)


FILTER_GRADIENT, DEPTHWISE_GRADIENT = one(_filter_gradient), one(_depthwise_gradient, like=1)
