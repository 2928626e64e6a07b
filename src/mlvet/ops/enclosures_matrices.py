"""Enclosures of determinants and of the factors of matrices, by Hadamard's inequality and by norms."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import ANY, Interval
from mlvet.ops.enclosures import (
    MOST,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    drift,
    has_nan,
    internal,
    many,
    one,
    overflows,
    part,
    real_of,
    settled,
    size_of,
    symmetric,
    with_nan,
)

NONNEGATIVE = Interval(0.0, inf)


def _determinant(operands: Operands, tensors: Tensors, dtype: DType) -> Interval:
    """At most the product of the lengths of the rows: (sqrt(n) * greatest element) ** n."""
    a = operands[0]
    assert a is not None
    n, size = count(dim_of(tensors[0], -1))[1], size_of(a)
    if part(dtype) is not dtype:
        size *= sqrt(2)
    if size == 0:
        return Interval(0.0, 1.0)
    power = n * (0.5 * log(max(n, 1.0)) + log(size))
    kind = internal(dtype)
    largest = log(float(kind.largest))
    between = max(power, n * max(log(size) + log(max(n, 1.0)), 0.0))
    if between >= largest - 1 or n >= MOST:
        return anything(dtype)
    lost = min(32 * n**3 * 2 ** min(n, 64.0) * kind.epsilon, 1e6)
    reach = max(2.718281828459045**power * (1 + lost), 1.0 if n < 1 else 0.0)
    return settled(symmetric(reach), dtype, roundings=64)


DETERMINANT = one(_determinant)


def _sides(tensors: Tensors) -> tuple[float, float]:
    return count(dim_of(tensors[0], -2))[1], count(dim_of(tensors[0], -1))[1]


def _factors(operands: Operands, tensors: Tensors) -> tuple[Interval | None, DType | None, float]:
    """The matrix, its element type, and a bound of its norm that holds after rounding as well."""
    a = operands[0]
    dtype = real_of(tensors[0])
    if a is None or dtype is None or not bounded(a):
        return None, dtype, inf
    rows, columns = _sides(tensors)
    size = size_of(a) * (1.0 if part(dtype) is dtype else sqrt(2))
    norm = size * sqrt(rows * columns)
    lost = drift(dtype, 64 * (rows + columns))
    return a, dtype, norm * (1 + lost)


def _orthogonal(dtype: DType, most: float) -> Interval:
    return settled(symmetric(1 + min(drift(dtype, 64 * most), 1e-2)), dtype)


def _broken(norm: float, dtype: DType) -> bool:
    return overflows(norm * norm, internal(dtype))


def _singular(
    operands: Operands, tensors: Tensors, full_matrices: bool = True, compute_uv: bool = True
) -> tuple[Interval, ...]:
    a, dtype, norm = _factors(operands, tensors)
    if a is None or dtype is None or _broken(norm, dtype):
        return (ANY,) * (3 if compute_uv else 1)
    values = with_nan(settled(Interval(0.0, norm), dtype, image=NONNEGATIVE), has_nan(operands))
    side = with_nan(_orthogonal(dtype, max(_sides(tensors))), has_nan(operands))
    return (side, values, side) if compute_uv else (values,)


def _orthogonal_and_triangular(operands: Operands, tensors: Tensors, **_: Any) -> tuple[Interval, ...]:
    a, dtype, norm = _factors(operands, tensors)
    if a is None or dtype is None or _broken(norm, dtype):
        return ANY, ANY
    nan = has_nan(operands)
    return with_nan(_orthogonal(dtype, max(_sides(tensors))), nan), with_nan(settled(symmetric(norm), dtype), nan)


def _eigen(operands: Operands, tensors: Tensors, **_: Any) -> tuple[Interval, ...]:
    a, dtype, norm = _factors(operands, tensors)
    if a is None or dtype is None or _broken(norm, dtype):
        return ANY, ANY
    nan = has_nan(operands)
    return with_nan(settled(symmetric(norm), dtype), nan), with_nan(_orthogonal(dtype, max(_sides(tensors))), nan)


SINGULAR, ORTHOGONAL, EIGEN = many(_singular), many(_orthogonal_and_triangular), many(_eigen)


def _root(operands: Operands, tensors: Tensors, dtype: DType, **_: Any) -> Interval:
    """The squares of a row of the factor add up to an element of the matrix; NaN if it is not positive definite."""
    a = operands[0]
    assert a is not None
    n = count(dim_of(tensors[0], -1))[1]
    reach = sqrt(max(a.high, 0.0)) * (1 + drift(dtype, 16 * n))
    return with_nan(settled(symmetric(reach), dtype), True)


CHOLESKY = one(_root)
SOLUTION = one(lambda operands, tensors, dtype, **_: anything(dtype))
