"""Products of arrays and linear algebra."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import maximum, minimum
from mlvet.domains.dtypes import Kind
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.emission import demand, demand_equal, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_items
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, axes_of, function, method, ndarray
from mlvet.frontends.python.libraries.numpy.elementwise import paired
from mlvet.frontends.python.libraries.numpy.reductions import left_by
from mlvet.frontends.python.libraries.numpy.shaping import together
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@function("numpy.matmul")
def matmul(x1: ArrayLike, x2: ArrayLike, /, out: Any = None) -> Tensor:
    return emit("matmul", *together((x1, x2)), kind=ndarray)


def _product(self: Any, left: Any, right: Any, other: Any) -> Any:
    if isinstance(other, TensorValue | ListValue | tuple) and not self._defers(other):
        return matmul(as_ndarray(left), as_ndarray(right))
    return ArrayValue._product(self, left, right, other)


ndarray._product = _product  # type: ignore[method-assign]


@method()
@function("numpy.dot")
def dot(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    """Numbers scale; else the last dim of the first is summed with the last but one of the second."""
    left, right = together((a, b))
    ranks = (rank_of(a), rank_of(b))
    if 0 in ranks:
        return paired("mul", a, b)
    if None in ranks:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    if max(ranks[0] or 0, ranks[1] or 0) <= 2:
        return emit("matmul", left, right)
    return emit("tensordot", left, right, axes=((-1,), (0 if ranks[1] == 1 else -2,)))


@function("numpy.inner")
def inner(a: ArrayLike, b: ArrayLike, /) -> Tensor:
    left, right = together((a, b))
    return paired("mul", a, b) if 0 in (rank_of(a), rank_of(b)) else emit("tensordot", left, right, axes=((-1,), (-1,)))


@function("numpy.vdot")
def vdot(a: ArrayLike, b: ArrayLike, /) -> Tensor:
    left, right = (shaping.reshape(each, (-1,)) for each in together((a, b)))
    return emit("matmul", left, right)


@function("numpy.outer")
def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Tensor:
    return emit("outer", *(shaping.reshape(each, (-1,)) for each in together((a, b))))


@function("numpy.cross")
def cross(a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    return emit("cross", *together((a, b)), axis=-1 if axis is None else axis)


@function("numpy.kron")
def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    left, right = dims_of(a), dims_of(b)
    if left is None or right is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    rank = max(len(left), len(right))
    own, other = ((1,) * (rank - len(dims)) + dims for dims in (left, right))
    dims = tuple(x * y for x, y in zip(own, other, strict=True))
    return opaque("kron", [a, b], Type(dtype_of(together((a, b))[0]), dims), ndarray)


@function("numpy.einsum")
def einsum(subscripts: str, *operands: ArrayLike, optimize: Any = False, out: Any = None, dtype: Any = None) -> Tensor:
    return emit("einsum", *together(operands), equation=subscripts.replace(" ", ""))


@function("numpy.tensordot")
def tensordot(a: ArrayLike, b: ArrayLike, axes: Any = 2) -> Tensor:
    left, right = together((a, b))
    if isinstance(axes, int):
        return emit("tensordot", left, right, axes=axes)
    return emit("tensordot", left, right, axes=tuple(axes_of(each) for each in as_items(axes)))


def _exact(a: TensorValue) -> Any:
    """What linear algebra works on: floats of 32 bits or more."""
    known = dtype_of(a)
    fine = known is None or known in (dtypes.f32, dtypes.f64) or known.kind is Kind.COMPLEX
    return a if fine else cast(a, dtypes.f64)


@function("numpy.linalg.norm")
def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    axes = axes_of(axis)
    known = dtype_of(x)
    wide = cast(x, dtypes.f64) if known is None or not known.is_float else x
    along = rank_of(x) if axes is None else len(axes)
    if ord is None or (along == 1 and isinstance(ord, int | float)):
        order = 2.0 if ord is None else float(ord)
        return emit("vector_norm", wide, axes, order=order, keepdims=int(keepdims))
    return opaque("norm", [wide], Type(dtype_of(wide), left_by(wide, axis, keepdims)), ndarray)


@function("numpy.linalg.inv")
def inv(a: ArrayLike) -> Tensor:
    return emit("inverse", _exact(a))


@function("numpy.linalg.pinv")
def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    return opaque("pinv", [a], tensor_of(shaping.swapped(_exact(a), -1, -2)), ndarray)


@function("numpy.linalg.det")
def det(a: ArrayLike) -> Tensor:
    return emit("det", _exact(a))


@function("numpy.linalg.slogdet")
def slogdet(a: ArrayLike) -> Any:
    made = tensor_of(det(a)).without_value()
    return tuple(opaque("slogdet", [a], made, ndarray) for _ in range(2))


@function("numpy.linalg.solve")
def solve(a: ArrayLike, b: ArrayLike) -> Tensor:
    left, right = together((_exact(a), _exact(b)))
    if rank_of(b) == 1:
        return shaping.squeezed(emit("solve", left, shaping.unsqueezed(right, (-1,))), (-1,))
    return emit("solve", left, right)


@function("numpy.linalg.lstsq")
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = None) -> Any:
    rows, columns = (dims_of(a) or (None, None))[:2]
    shape = dims_of(b)
    if rows is None or columns is None or shape is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    if shape:
        demand_equal(rows, shape[0], "the right-hand side has as many rows as the matrix", "matmul-inner-dims")
    solution = opaque("lstsq", [a, b], Type(dtypes.f64, (columns, *shape[1:])), ndarray)
    singular = opaque("lstsq", [a, b], Type(dtypes.f64, (minimum(rows, columns),)), ndarray)
    rest = opaque("lstsq", [a, b], Type(dtypes.f64, shape[1:] or (1,)), ndarray)
    return solution, rest, opaque("lstsq", [a, b], Type(dtypes.i64, ()), ndarray), singular


@function("numpy.linalg.cholesky")
def cholesky(a: ArrayLike, /, *, upper: bool = False) -> Tensor:
    return emit("cholesky", _exact(a))


@function("numpy.linalg.qr")
def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    return emit_all("qr", _exact(a), count=2, mode=mode)


@function("numpy.linalg.svd")
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    wide = _exact(a)
    if not compute_uv:
        return emit("svd", wide, full_matrices=full_matrices, compute_uv=False)
    return emit_all("svd", wide, count=3, full_matrices=full_matrices, compute_uv=True)


@function("numpy.linalg.eigh")
def eigh(a: ArrayLike, UPLO: str = "L") -> Any:
    return emit_all("eigh", _exact(a), count=2)


@function("numpy.linalg.eigvalsh")
def eigvalsh(a: ArrayLike, UPLO: str = "L") -> Tensor:
    return emit_all("eigh", _exact(a), count=2)[0]


@function("numpy.linalg.matrix_rank")
def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    return opaque("matrix_rank", [A], Type(dtypes.i64, (dims_of(A) or ())[:-2]), ndarray)


@function("numpy.linalg.matrix_power")
def matrix_power(a: ArrayLike, n: Any) -> Tensor:
    return opaque("matrix_power", [a], tensor_of(a).without_value(), ndarray)


@function("numpy.cov")
def cov(
    m: ArrayLike, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Tensor:  # fmt: skip
    return _covariance(m, y, rowvar)


@function("numpy.corrcoef")
def corrcoef(x: ArrayLike, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Tensor:
    return _covariance(x, y, rowvar)


def _covariance(m: TensorValue, y: Any, rowvar: bool) -> Any:
    dims = dims_of(m)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    count = 1 if len(dims) < 2 else dims[0] if rowvar else dims[1]
    if y is not None:
        more = dims_of(as_ndarray(y)) or ()
        if dims and more:
            ends = (-1 if rowvar or len(each) < 2 else 0 for each in (dims, more))
            demand_equal(dims[next(ends)], more[next(ends)], "both have as many observations")
        count = count + (1 if len(more) < 2 else more[0] if rowvar else more[1])
    sizes = () if count == 1 else (count, count)
    return opaque("cov", [m], Type(dtypes.f64, sizes), ndarray)


@function("numpy.convolve", "numpy.correlate")
def convolve(a: ArrayLike, v: ArrayLike, /, mode: str = "full") -> Tensor:
    for each in (a, v):
        demand(rank_of(each) in (None, 0, 1), f"it takes rows of numbers, but gets {tensor_of(each)}", "rank-differs")
    long, short = tensor_of(a).dim(0), tensor_of(v).dim(0)
    size = {
        "full": long + short - 1,
        "same": maximum(long, short),
        "valid": maximum(long, short) - minimum(long, short) + 1,
    }[mode]
    return opaque("convolve", [a, v], Type(dtype_of(together((a, v))[0]), (size,)), ndarray)


@function("numpy.trapezoid", "numpy.trapz")
def trapezoid(y: ArrayLike, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Tensor:
    wide = _exact(y)
    return opaque("trapezoid", [wide], Type(dtype_of(wide), left_by(wide, axis, False)), ndarray)


@function("numpy.polyfit")
def polyfit(x: ArrayLike, y: ArrayLike, deg: Any, rcond: Any = None, full: bool = False, w: Any = None) -> Tensor:
    if not isinstance(deg, int):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a degree that is not known")
    if (places := dims_of(x)) and (values := dims_of(y)):
        demand_equal(places[0], values[0], "there is a value for each place")
    return opaque("polyfit", [x, y], Type(dtypes.f64, (deg + 1, *(dims_of(y) or ())[1:])), ndarray)


@function("numpy.polyval")
def polyval(p: ArrayLike, x: ArrayLike) -> Tensor:
    return opaque("polyval", [p, x], Type(dtype_of(together((p, x))[0]), tensor_of(x).shape), ndarray)


def _transform(op: str, name: str) -> None:
    @function(f"numpy.fft.{name}")
    def apply(a: ArrayLike, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Tensor:
        sizes = (n,) if isinstance(n, int) else None
        return emit(op, _exact(a), s=sizes, axes=(axis,), norm=norm or "backward")


for _name in ("fft", "ifft", "rfft", "irfft"):
    _transform(_name, _name)


def _transform_many(op: str, name: str, default: Any) -> None:
    @function(f"numpy.fft.{name}")
    def apply(a: ArrayLike, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Tensor:
        places = axes_of(axes)
        if places is None:
            places = tuple(range(len(dims_of(a) or ())))
        sizes = axes_of(s)
        return emit(op, _exact(a), s=sizes, axes=places, norm=norm or "backward")


for _name, _op, _default in (
    ("fft2", "fft", (-2, -1)), ("ifft2", "ifft", (-2, -1)), ("rfft2", "rfft", (-2, -1)), ("irfft2", "irfft", (-2, -1)),
    ("fftn", "fft", None), ("ifftn", "ifft", None), ("rfftn", "rfft", None), ("irfftn", "irfft", None),
):  # fmt: skip
    _transform_many(_op, _name, _default)


@function("numpy.fft.fftshift", "numpy.fft.ifftshift")
def fftshift(x: ArrayLike, axes: Any = None) -> Tensor:
    return opaque("fftshift", [x], tensor_of(x).without_value(), ndarray)


@function("numpy.fft.fftfreq")
def fftfreq(n: Size, d: Any = 1.0) -> Tensor:
    return opaque("fftfreq", [], Type(dtypes.f64, (n,)), ndarray)


@function("numpy.fft.rfftfreq")
def rfftfreq(n: Size, d: Any = 1.0) -> Tensor:
    return opaque("rfftfreq", [], Type(dtypes.f64, (n // 2 + 1,)), ndarray)
