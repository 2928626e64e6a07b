"""Enclosures of functions of single elements: circles, remainders, angles and bits."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, ceil, cos, floor, hypot, inf, pi, sin, tan
from typing import Any

from mlvet.domains import intervals
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.intervals import Interval, whole
from mlvet.ops.enclosures import (
    SHARE,
    UNIT,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    magnitude,
    one,
    part,
    settled,
    size_of,
    with_nan,
)
from mlvet.ops.numeric import Enclosure

EXACT_TURNS = 2.0**20
"""Beyond this the place of an angle on the circle is not followed."""


def _meets(x: Interval, first: float, period: float) -> bool:
    """Whether an interval holds a point of a periodic set, or lies so near one that float64 cannot tell."""
    slack = 1e-9 * (1 + size_of(x))
    return ceil((x.low - slack - first) / period) <= floor((x.high + slack - first) / period)


def _wave(function: Callable[[float], float], top: float) -> Any:
    def of(operands: Operands, _: Tensors, dtype: DType) -> Interval:
        (x,) = operands
        assert x is not None
        if not bounded(x):
            return with_nan(UNIT, True)
        if x.width >= 2 * pi or size_of(x) > EXACT_TURNS:
            return UNIT
        ends = sorted((function(x.low), function(x.high)))
        low = -1.0 if _meets(x, top + pi, 2 * pi) else ends[0]
        high = 1.0 if _meets(x, top, 2 * pi) else ends[1]
        return settled(Interval(low, high), dtype, image=UNIT)

    return one(of, keeps=True, infinite=True)


def _tangent(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    (x,) = operands
    assert x is not None
    if not bounded(x):
        return anything(dtype)
    if x.width >= pi or size_of(x) > EXACT_TURNS or _meets(x, pi / 2, pi):
        return Interval(-inf, inf)
    return settled(Interval(tan(x.low), tan(x.high)), dtype, roundings=16)


SINE, COSINE = _wave(sin, pi / 2), _wave(cos, 0.0)
TANGENT = one(_tangent, keeps=True, infinite=True)


def _remainder(operands: Operands, _: Tensors, dtype: DType, fmod: int = 0) -> Interval:
    """Of the sign of the dividend (fmod) or of the divisor, and no larger than either where signs agree."""
    a, b = operands
    assert a is not None
    assert b is not None
    real = dtype.is_float
    nan = real and (0 in b or not bounded(a))
    if not real and 0 in b:
        return whole(dtype)
    most = size_of(b) if real else size_of(b) - 1
    if fmod:
        most = min(most, size_of(a))
        found = Interval(-most if a.low < 0 else 0.0, most if a.high > 0 else 0.0)
    elif a.low >= 0 and b.low > 0:
        inside = a.high < b.low
        found = a if inside else Interval(0.0, min(most, a.high))
    else:
        found = Interval(-most if b.low < 0 else 0.0, most if b.high > 0 else 0.0)
    return with_nan(Interval(found.low, found.high), nan)


REMAINDER = one(_remainder, keeps=True, infinite=True, integers=True)


def _angle(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    y, x = operands
    assert y is not None
    assert x is not None
    if x.low > 0 or y.low > 0 or y.high < 0:
        angles = [atan2(v, u) for v in (y.low, y.high) for u in (x.low, x.high)]
        return settled(Interval(min(angles), max(angles)), dtype)
    return settled(Interval(-pi, pi), dtype, roundings=1)


def _hypotenuse(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    a, b = (magnitude(x) for x in operands if x is not None)
    found = Interval(hypot(a.low, b.low), hypot(a.high, b.high))
    return settled(found, dtype, image=Interval(0.0, inf))


ANGLE = one(_angle, keeps=True, infinite=True)
HYPOTENUSE = one(_hypotenuse, keeps=True, infinite=True)


def _bits(how: str) -> Any:
    def of(operands: Operands, _: Tensors, dtype: DType) -> Interval:
        a, b = operands
        assert a is not None
        assert b is not None
        if dtype.kind is Kind.BOOL:
            return SHARE
        if max(size_of(a), size_of(b)) >= 2**53:
            return whole(dtype)
        power = 1.0
        while max(a.high, b.high) >= power or min(a.low, b.low) < -power:
            power *= 2
        if min(a.low, b.low) < 0:
            return Interval(-power, power - 1)
        least = max(a.low, b.low) if how == "or" else 0.0
        return Interval(least, min(a.high, b.high) if how == "and" else power - 1)

    return one(of, keeps=True, integers=True)


AND, OR, XOR = _bits("and"), _bits("or"), _bits("xor")


def _inverted(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    (x,) = operands
    assert x is not None
    if dtype.kind is Kind.BOOL:
        return SHARE
    if size_of(x) >= 2**53:
        return whole(dtype)
    top = float(dtype.largest) if dtype.kind is Kind.UNSIGNED else -1.0
    return Interval(top - x.high, top - x.low) if top < 2**53 else whole(dtype)


INVERTED = one(_inverted, keeps=True, integers=True)


def _shifted(operands: Operands, _: Tensors, dtype: DType, direction: str = "LEFT") -> Interval:
    a, by = operands
    assert a is not None
    assert by is not None
    if a.low < 0 or by.low < 0 or by.high >= dtype.bits or a.high >= 2**53:
        return whole(dtype)
    if direction == "LEFT":
        found = Interval(a.low * 2**by.low, a.high * 2**by.high)
        return found if found.high <= dtype.largest and found.high < 2**53 else whole(dtype)
    return Interval(floor(a.low / 2**by.high), floor(a.high / 2**by.low))


SHIFTED = one(_shifted, keeps=True, integers=True)


def _recast(operands: Operands, tensors: Tensors, *, to: DType) -> tuple[Interval, ...]:
    return (anything(to),)


RECAST = Enclosure(_recast, keeps=True)


def _real(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    (x,) = operands
    assert x is not None
    return x


def _imaginary(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    (x,) = operands
    assert x is not None
    return x if dtype.kind is Kind.COMPLEX else ZERO


def _conjugate(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    (x,) = operands
    assert x is not None
    return x.join(intervals.neg(x, part(dtype))) if dtype.kind is Kind.COMPLEX else x


def _modulus(operands: Operands, _: Tensors, dtype: DType) -> Interval:
    """The hypotenuse of both parts; of a real number its magnitude."""
    (x,) = operands
    assert x is not None
    size = magnitude(x)
    if dtype.kind is not Kind.COMPLEX:
        return size
    return settled(Interval(hypot(size.low, size.low), hypot(size.high, size.high)), dtype)


MODULUS = one(_modulus, keeps=True, infinite=True)
REAL, IMAGINARY, CONJUGATE = (
    one(of, keeps=True, infinite=True, integers=True) for of in (_real, _imaginary, _conjugate)
)
