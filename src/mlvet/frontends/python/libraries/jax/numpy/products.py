"""Products of arrays, linear algebra and Fourier transforms."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div, minimum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.arrays.shaping import reshape, swapped
from mlvet.frontends.python.emission import demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Size, as_items
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    cast_to,
    inexact,
    together,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _ranked(x: Any) -> tuple[Dim, ...]:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return dims


@model("jax.numpy.matmul")
def matmul(
    a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: DType | None = None, **_: Any
) -> Tensor:
    demand(rank_of(a) != 0 and rank_of(b) != 0, "matmul takes arrays with dims", "rank-differs")
    return cast_to(emit("matmul", *together(a, b)), preferred_element_type)


@model("jax.numpy.dot", "jax.lax.dot")
def dot(
    a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: DType | None = None, **_: Any
) -> Tensor:
    left, right = together(a, b)
    ranks = rank_of(left), rank_of(right)
    if 0 in ranks:
        return cast_to(emit("mul", left, right), preferred_element_type)
    if ranks[1] is not None and ranks[1] > 2 and ranks[0] is not None:
        return emit("tensordot", left, right, axes=((ranks[0] - 1,), (ranks[1] - 2,)))
    return cast_to(emit("matmul", left, right), preferred_element_type)


@model("jax.numpy.vdot")
def vdot(a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: Any = None) -> Tensor:
    left, right = (reshape(each, (-1,)) for each in together(a, b))
    return emit("matmul", left, right)


@model("jax.numpy.inner")
def inner(a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: Any = None) -> Tensor:
    left, right = together(a, b)
    if 0 in (rank_of(left), rank_of(right)):
        return emit("mul", left, right)
    return emit("tensordot", left, right, axes=((-1,), (-1,)))


@model("jax.numpy.outer")
def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    left, right = together(a, b)
    return emit("mul", reshape(left, (-1, 1)), reshape(right, (1, -1)))


@model("jax.numpy.cross")
def cross(a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    return emit("cross", *together(a, b), axis=-1 if axis is None else axis)


@model("jax.numpy.kron")
def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    left, right = together(a, b)
    first, second = _ranked(left), _ranked(right)
    count = max(len(first), len(second))
    first, second = ((1,) * (count - len(each)) + each for each in (first, second))
    sizes = tuple(m * n for m, n in zip(first, second, strict=True))
    return opaque("kron", [left, right], Known(dtype_of(left), sizes), Array)


@model("jax.numpy.tensordot")
def tensordot(
    a: ArrayLike, b: ArrayLike, axes: Any = 2, *, precision: Any = None, preferred_element_type: Any = None, **_: Any
) -> Tensor:
    if isinstance(axes, tuple | list | ListValue):
        axes = tuple(axes_named(each) for each in as_items(axes))
    return emit("tensordot", *together(a, b), axes=axes)


@model("jax.numpy.einsum")
def einsum(
    subscripts: str, /, *operands: ArrayLike, out: Any = None, optimize: Any = "optimal", precision: Any = None,
    preferred_element_type: DType | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    return cast_to(emit("einsum", *together(*operands), equation=subscripts), preferred_element_type)


@model("jax.numpy.convolve", "jax.numpy.correlate")
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full", **_: Any) -> Tensor:
    left, right = together(inexact(a), inexact(v))
    (m,), (n,) = _ranked(left), _ranked(right)
    lengths = {"full": m + n - 1, "same": m, "valid": m - n + 1}
    return opaque("convolve", [left, right], Known(dtype_of(left), (lengths[mode],)), Array)


@model("jax.numpy.linalg.norm")
def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    return reduced("reduce_l2", inexact(x), axes_named(axis), keepdims)


@model("jax.numpy.linalg.vector_norm", "jax.numpy.linalg.matrix_norm")
def vector_norm(x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    return reduced("reduce_l2", inexact(x), axes_named(axis), keepdims)


@model("jax.numpy.linalg.inv", "jax.scipy.linalg.inv")
def inv(a: ArrayLike) -> Tensor:
    return emit("inverse", inexact(a))


@model("jax.numpy.linalg.det")
def det(a: ArrayLike) -> Tensor:
    return emit("det", inexact(a))


@model("jax.numpy.linalg.slogdet")
def slogdet(a: ArrayLike, *, method: Any = None) -> Any:
    found = emit("det", inexact(a))
    return emit("sign", found), opaque("logdet", [a], tensor_of(found).without_value(), Array)


@model("jax.numpy.linalg.cholesky")
def cholesky(a: ArrayLike, *, upper: bool = False, symmetrize_input: bool = True) -> Tensor:
    return emit("cholesky", inexact(a))


@model("jax.scipy.linalg.cholesky")
def scipy_cholesky(a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    return emit("cholesky", inexact(a))


@model("jax.numpy.linalg.solve", "jax.scipy.linalg.solve")
def solve(a: ArrayLike, b: ArrayLike, **_: Any) -> Tensor:
    left, right = together(inexact(a), inexact(b))
    if rank_of(right) == 1:
        return emit("squeeze", emit("solve", left, emit("unsqueeze", right, (-1,))), (-1,))
    return emit("solve", left, right)


@model("jax.scipy.linalg.solve_triangular")
def solve_triangular(
    a: ArrayLike, b: ArrayLike, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, **_: Any
) -> Tensor:
    return solve(a, b)


@model("jax.scipy.linalg.cho_solve")
def cho_solve(c_and_lower: Any, b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True) -> Tensor:
    return solve(as_jax(as_items(c_and_lower)[0]), b)


@model("jax.scipy.linalg.cho_factor")
def cho_factor(a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    return scipy_cholesky(a), lower


@model("jax.numpy.linalg.svd", "jax.scipy.linalg.svd")
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False, **_: Any) -> Any:
    x = inexact(a)
    dims = _ranked(x)
    demand(len(dims) >= 2, "svd takes matrices", "rank-differs")
    *batch, m, n = dims if len(dims) >= 2 else (1, 1)
    least = minimum(m, n)
    values = opaque("svd", [x], Known(dtype_of(x), (*batch, least)), Array)
    if not compute_uv:
        return values
    left = opaque("svd", [x], Known(dtype_of(x), (*batch, m, m if full_matrices else least)), Array)
    return left, values, opaque("svd", [x], Known(dtype_of(x), (*batch, n if full_matrices else least, n)), Array)


@model("jax.numpy.linalg.qr")
def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    return tuple(emit_all("qr", inexact(a), count=2, mode=mode))


@model("jax.numpy.linalg.eigh", "jax.scipy.linalg.eigh")
def eigh(a: ArrayLike, *rest: Any, **options: Any) -> Any:
    return tuple(emit_all("eigh", inexact(a), count=2))


@model("jax.numpy.linalg.eigvalsh")
def eigvalsh(a: ArrayLike, UPLO: Any = "L", **_: Any) -> Tensor:
    return emit_all("eigh", inexact(a), count=2)[0]


@model("jax.numpy.linalg.eig")
def eig(a: ArrayLike) -> Any:
    values, vectors = emit_all("eigh", inexact(a), count=2)
    return tuple(opaque("eig", [a], Known(dtypes.c64, tensor_of(each).shape), Array) for each in (values, vectors))


@model("jax.numpy.linalg.pinv")
def pinv(a: ArrayLike, rtol: Any = None, hermitian: bool = False, **_: Any) -> Tensor:
    turned = swapped(inexact(a), -2, -1)
    return opaque("pinv", [a], tensor_of(turned).without_value(), Array)


@model("jax.numpy.linalg.matrix_power")
def matrix_power(a: ArrayLike, n: int) -> Tensor:
    return opaque("matrix_power", [a], tensor_of(emit("matmul", a, a)).without_value(), Array)


@model("jax.numpy.linalg.matrix_rank")
def matrix_rank(M: ArrayLike, rtol: Any = None, *, tol: Any = None) -> Tensor:
    return opaque("matrix_rank", [M], Known(dtypes.i32, _ranked(M)[:-2]), Array)


@model("jax.numpy.linalg.lstsq")
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = None, *, numpy_resid: bool = False) -> Any:
    left, right = together(inexact(a), inexact(b))
    (m, n), other = _ranked(left), _ranked(right)
    del m
    found = opaque("lstsq", [left, right], Known(dtype_of(left), (n, *other[1:])), Array)
    raise_none = opaque("lstsq", [left], Known(dtypes.i32, ()), Array)
    rest = opaque("lstsq", [left], Known(dtype_of(left), other[1:] or (1,)), Array)
    return found, rest, raise_none, opaque("lstsq", [left], Known(dtype_of(left), (n,)), Array)


@model("jax.scipy.linalg.expm")
def expm(A: ArrayLike, **_: Any) -> Tensor:
    return opaque("expm", [A], tensor_of(emit("matmul", A, A)).without_value(), Array)


@model("jax.scipy.linalg.block_diag")
def block_diag(*arrs: ArrayLike) -> Tensor:
    rows, columns = (sum((_ranked(x)[n] for x in arrs), start=0) for n in (0, 1))
    return opaque("block_diag", arrs, Known(dtype_of(arrs[0]), (rows, columns)), Array)


def _complex(x: Any) -> Any:
    return cast_to(x, dtypes.c64)


@model("jax.numpy.fft.fft", "jax.numpy.fft.ifft")
def fft(a: ArrayLike, n: Size | None = None, axis: int = -1, norm: Any = None) -> Tensor:
    return _transformed(a, n, axis, dtypes.c64)


@model("jax.numpy.fft.rfft")
def rfft(a: ArrayLike, n: Size | None = None, axis: int = -1, norm: Any = None) -> Tensor:
    length = _ranked(a)[axis] if n is None else n
    return _transformed(a, floor_div(length, 2) + 1, axis, dtypes.c64)


@model("jax.numpy.fft.irfft")
def irfft(a: ArrayLike, n: Size | None = None, axis: int = -1, norm: Any = None) -> Tensor:
    return _transformed(a, (_ranked(a)[axis] - 1) * 2 if n is None else n, axis, dtypes.f32)


@model("jax.numpy.fft.fft2", "jax.numpy.fft.ifft2", "jax.numpy.fft.fftn", "jax.numpy.fft.ifftn")
def fft2(a: ArrayLike, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Tensor:
    if s is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "lengths of a transform")
    return opaque("fft2", [a], Known(dtypes.c64, tensor_of(a).shape), Array)


@model("jax.numpy.fft.fftshift", "jax.numpy.fft.ifftshift")
def fftshift(x: ArrayLike, axes: Any = None) -> Tensor:
    return opaque("fftshift", [x], tensor_of(x).without_value(), Array)


@model("jax.numpy.fft.fftfreq")
def fftfreq(n: Size, d: Any = 1.0, **_: Any) -> Tensor:
    return opaque("fftfreq", [], Known(dtypes.f32, (n,)), Array)


@model("jax.numpy.fft.rfftfreq")
def rfftfreq(n: Size, d: Any = 1.0, **_: Any) -> Tensor:
    return opaque("rfftfreq", [], Known(dtypes.f32, (floor_div(n, 2) + 1,)), Array)


def _transformed(a: Any, length: Any, axis: int, to: Any) -> Tensor:
    dims = list(_ranked(a))
    demand(-len(dims) <= axis < len(dims), f"axis {axis} of {len(dims)} dims", "axis-out-of-range")
    if length is not None and -len(dims) <= axis < len(dims):
        dims[axis] = length
    return opaque("fft", [a], Known(to, tuple(dims)), Array)


@model("jax.numpy.polyval")
def polyval(p: ArrayLike, x: ArrayLike, *, unroll: int = 16) -> Tensor:
    return opaque("polyval", [p, x], Known(dtypes.f32, tensor_of(x).shape), Array)


@model("jax.numpy.trapezoid", "jax.scipy.integrate.trapezoid")
def trapezoid(y: ArrayLike, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    total = reduced("reduce_sum", inexact(y), (axis,), False)
    return opaque("trapezoid", [y], tensor_of(total).without_value(), Array)
