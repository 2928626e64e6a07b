"""Factorisations, inverses and determinants of square matrices, over any number of leading dims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, minimum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import Overflow
from mlvet.ops.derivative import Derivative, Jvp
from mlvet.ops.enclosures_matrices import CHOLESKY, DETERMINANT, EIGEN, ORTHOGONAL, SINGULAR, SOLUTION
from mlvet.ops.numeric import Numeric
from mlvet.ops.op import Infer, Op, Reference, pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples


def _operator(
    name: str,
    infer: Infer,
    reference: Reference,
    samples: Samples,
    rule: str,
    numeric: Numeric,
    derivative: Derivative | None = None,
) -> Op:
    return pure(
        name,
        infer,
        reference,
        samples,
        family="linear_algebra",
        numeric=numeric,
        danger=(Overflow(rule),),
        derivative=derivative,
    )


def _square(a: Tensor, require: Require, what: str) -> tuple[Dim, ...] | None:
    """The dims of a stack of square matrices."""
    if not require.rank_at_least(a, 2, what):
        return None
    side = require.equal(a.dims[-2], a.dims[-1], because=f"{what} must be square")
    return (*a.dims[:-2], side, side)


def infer_det(a: Tensor, *, require: Require) -> Tensor:
    """One number per matrix."""
    dims = _square(a, require, "the operand of det")
    return a.with_shape(dims[:-2]) if dims else require.unknown_tensor(a.dtype)


def infer_same_square(a: Tensor, *, require: Require, **_: Any) -> Tensor:
    """One matrix of the same shape per matrix."""
    dims = _square(a, require, "the matrix")
    return a.with_shape(dims) if dims else require.unknown_tensor(a.dtype)


def _regular(draw: Draw) -> NDArray[Any]:
    n = draw.integer(1, 4)
    near: NDArray[Any] = draw.array((*draw.shape(0, 2), n, n), low=-0.5, high=0.5) + 4 * np.eye(n, dtype=np.float32)
    return near


def _positive_definite(draw: Draw) -> NDArray[Any]:
    a = _regular(draw)
    return np.asarray(np.matmul(a, np.swapaxes(a, -1, -2)))


def det_reference(a: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return narrow(np.linalg.det(wide(a)), a)


def _or_nan(function: Callable[..., Any], *operands: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """What the function yields, or NaN throughout where no result exists, as for a singular matrix."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*operands))
    except np.linalg.LinAlgError:
        return np.full(shape, np.nan, dtype=operands[0].dtype)


def inverse_reference(a: NDArray[Any]) -> NDArray[Any]:
    return narrow(_or_nan(np.linalg.inv, wide(a), shape=a.shape), a)


def cholesky_reference(a: NDArray[Any], *, upper: bool = False) -> NDArray[Any]:
    lower = _or_nan(np.linalg.cholesky, wide(a), shape=a.shape)
    return narrow(np.conjugate(np.swapaxes(lower, -1, -2)) if upper else lower, a)


def _det_along(operands: Any, directions: Any) -> Any:
    a, da = operands[0], directions[0]
    return np.linalg.det(a) * np.trace(np.linalg.solve(a, da), axis1=-2, axis2=-1)


def _inverse_along(operands: Any, directions: Any) -> Any:
    inverted = np.linalg.inv(operands[0])
    return -inverted @ directions[0] @ inverted


det = _operator(
    "det",
    infer_det,
    det_reference,
    lambda draw: Sample((_regular(draw),)),
    "arithmetic-overflow",
    DETERMINANT,
    Jvp(_det_along),
)
inverse = _operator(
    "inverse",
    infer_same_square,
    inverse_reference,
    lambda draw: Sample((_regular(draw),)),
    "singular-matrix",
    SOLUTION,
    Jvp(_inverse_along),
)
cholesky = _operator(
    "cholesky",
    infer_same_square,
    cholesky_reference,
    lambda draw: Sample((_positive_definite(draw),), {"upper": draw.choice([False, True])}),
    "singular-matrix",
    CHOLESKY,
)


def infer_solve(a: Tensor, b: Tensor, *, require: Require, left_side: bool = True, **_: Any) -> Tensor:
    """The x of a @ x = b, or of x @ a = b; leading dims broadcast."""
    dtype = require.same_dtype(a, b)
    dims = _square(a, require, "the matrix")
    if dims is None or not require.rank_at_least(b, 2, "the right-hand side"):
        return require.unknown_tensor(dtype)
    side = b.dims[-2 if left_side else -1]
    require.equal(
        dims[-1], side, because="the right-hand side has as many rows as the matrix", rule="matmul-inner-dims"
    )
    return Tensor(dtype, (*require.broadcast(dims[:-2], b.dims[:-2]), *b.dims[-2:]))


def solve_reference(a: NDArray[Any], b: NDArray[Any], *, left_side: bool = True) -> NDArray[Any]:
    matrix, right = wide(a), wide(b)
    if not left_side:
        matrix, right = np.swapaxes(matrix, -1, -2), np.swapaxes(right, -1, -2)
    batch = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    solution = _or_nan(np.linalg.solve, matrix, right, shape=(*batch, *right.shape[-2:]))
    return narrow(solution if left_side else np.swapaxes(solution, -1, -2), b)


def triangular_solve_reference(
    a: NDArray[Any],
    b: NDArray[Any],
    *,
    left_side: bool = True,
    lower: bool = True,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> NDArray[Any]:
    triangle = np.tril(wide(a)) if lower else np.triu(wide(a))
    if unit_diagonal:
        n = np.arange(a.shape[-1])
        triangle[..., n, n] = 1
    triangle = np.conjugate(triangle) if conjugate_a else triangle
    return solve_reference(np.swapaxes(triangle, -1, -2) if transpose_a else triangle, b, left_side=left_side)


def _sample_solve(draw: Draw) -> Sample:
    a = _regular(draw)
    n, m = a.shape[-1], draw.integer(1, 3)
    left = draw.choice([True, False])
    return Sample((a, draw.array((*a.shape[:-2], *((n, m) if left else (m, n))))), {"left_side": left})


def _sample_triangular_solve(draw: Draw) -> Sample:
    sample = _sample_solve(draw)
    flags = ("lower", "transpose_a", "unit_diagonal")
    return Sample(sample.operands, {**sample.attributes, **{flag: draw.choice([True, False]) for flag in flags}})


solve = _operator("solve", infer_solve, solve_reference, _sample_solve, "singular-matrix", SOLUTION)
triangular_solve = _operator(
    "triangular_solve", infer_solve, triangular_solve_reference, _sample_triangular_solve, "singular-matrix", SOLUTION
)


def _real(dtype: DType | None) -> DType | None:
    return {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}.get(dtype, dtype) if dtype else None


def infer_svd(
    a: Tensor, *, require: Require, full_matrices: bool = True, compute_uv: bool = True
) -> Tensor | tuple[Tensor, ...]:
    """U, the singular values, and V transposed; or the singular values alone."""
    if not require.rank_at_least(a, 2):
        values = require.unknown_tensor(_real(a.dtype))
        left_right = require.unknown_tensor(a.dtype), require.unknown_tensor(a.dtype)
        return (left_right[0], values, left_right[1]) if compute_uv else values
    (*batch, m, n), k = a.dims, minimum(a.dims[-2], a.dims[-1])
    values = Tensor(_real(a.dtype), (*batch, k))
    if not compute_uv:
        return values
    left, right = (m, n) if full_matrices else (k, k)
    return a.with_shape((*batch, m, left)), values, a.with_shape((*batch, right, n))


def svd_reference(a: NDArray[Any], *, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return narrow(np.linalg.svd(wide(a), compute_uv=False), a)
    return tuple(narrow(part, a) for part in np.linalg.svd(wide(a), full_matrices=full_matrices))


def infer_qr(a: Tensor, *, require: Require, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """An orthogonal and an upper triangular matrix."""
    if not require.rank_at_least(a, 2):
        return require.unknown_tensor(a.dtype), require.unknown_tensor(a.dtype)
    *batch, m, n = a.dims
    inner = m if mode == "complete" else minimum(m, n)
    return a.with_shape((*batch, m, inner)), a.with_shape((*batch, inner, n))


def qr_reference(a: NDArray[Any], *, mode: str = "reduced") -> Any:
    return tuple(narrow(part, a) for part in np.linalg.qr(wide(a), mode=mode))  # type: ignore[call-overload]


def infer_eigh(a: Tensor, *, require: Require, **_: Any) -> tuple[Tensor, Tensor]:
    """Real eigenvalues and the eigenvectors as columns."""
    dims = _square(a, require, "the matrix")
    if dims is None:
        return require.unknown_tensor(_real(a.dtype)), require.unknown_tensor(a.dtype)
    return Tensor(_real(a.dtype), dims[:-1]), a.with_shape(dims)


def eigh_reference(a: NDArray[Any], *, lower: bool = True) -> Any:
    return tuple(narrow(part, a) for part in np.linalg.eigh(wide(a), UPLO="L" if lower else "U"))


def _rectangle(draw: Draw) -> NDArray[Any]:
    return draw.array((*draw.shape(0, 1), draw.integer(1, 4), draw.integer(1, 4)))


svd = _operator(
    "svd",
    infer_svd,
    svd_reference,
    lambda draw: Sample(
        (_rectangle(draw),),
        {"full_matrices": draw.choice([True, False]), "compute_uv": draw.choice([True, False])},
    ),
    "arithmetic-overflow",
    SINGULAR,
)
qr = _operator(
    "qr",
    infer_qr,
    qr_reference,
    lambda draw: Sample((_rectangle(draw),), {"mode": draw.choice(["reduced", "complete"])}),
    "arithmetic-overflow",
    ORTHOGONAL,
)
eigh = _operator(
    "eigh",
    infer_eigh,
    eigh_reference,
    lambda draw: Sample((_positive_definite(draw),), {"lower": draw.choice([True, False])}),
    "arithmetic-overflow",
    EIGEN,
)
