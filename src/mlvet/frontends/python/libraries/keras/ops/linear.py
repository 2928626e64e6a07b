"""Products of matrices and linear algebra."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, minimum
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.emission import demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.ops.pointwise import names
from mlvet.frontends.python.libraries.keras.promotion import alike_typed
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, combined, floating, kind_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of


@model(*names("matmul"))
def matmul(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    return combined("matmul", x1, x2)


@model(*names("dot"))
def dot(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    left, right = alike_typed((x1, x2))
    ranks = rank_of(left), rank_of(right)
    if 0 in ranks:
        return combined("mul", left, right)
    if ranks[0] is not None and ranks[1] is not None and ranks[1] > 2:
        return emit("tensordot", left, right, axes=((ranks[0] - 1,), (ranks[1] - 2,)))
    return emit("matmul", left, right, kind=kind_of((left, right)))


@model(*names("tensordot"))
def tensordot(x1: ArrayLike, x2: ArrayLike, axes: Any = 2) -> Tensor:
    left, right = alike_typed((x1, x2))
    if isinstance(axes, int):
        return emit("tensordot", left, right, axes=axes)
    pair = [(each,) if isinstance(each, int) else as_items(each) for each in as_items(axes)]
    return emit("tensordot", left, right, axes=(tuple(pair[0]), tuple(pair[1])))


@model(*names("einsum"))
def einsum(subscripts: str, *operands: ArrayLike, **kwargs: Any) -> Tensor:
    parts = alike_typed(operands)
    _agreed(subscripts, parts)
    return emit("einsum", *parts, equation=subscripts.replace(" ", ""), kind=kind_of(parts))


def _agreed(subscripts: str, parts: list[Any]) -> None:
    """A letter stands for one size; unlike NumPy, Keras takes no 1 in place of another."""
    sizes: dict[str, Dim] = {}
    for letters, part in zip(subscripts.replace(" ", "").partition("->")[0].split(","), parts, strict=False):
        dims = dims_of(part)
        if dims is None or "." in letters or len(dims) != len(letters):
            continue
        for letter, dim in zip(letters, dims, strict=True):
            known = sizes.setdefault(letter, dim)
            demand(equal(known, dim) is not False, f"`{letter}` of {subscripts} is {known} and {dim}", "dims-differ")


@model(*names("outer"))
def outer(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    left, right = (shaping.flattened(each) if rank_of(each) != 1 else each for each in alike_typed((x1, x2)))
    return emit("outer", left, right)


@model(*names("inner"))
def inner(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    left, right = alike_typed((x1, x2))
    ranks = rank_of(left), rank_of(right)
    if 0 in ranks:
        return combined("mul", left, right)
    if ranks[0] is None or ranks[1] is None:
        return emit("matmul", left, right)
    return emit("tensordot", left, right, axes=((ranks[0] - 1,), (ranks[1] - 1,)))


@model(*names("vdot"))
def vdot(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    left, right = (shaping.flattened(each) for each in alike_typed((x1, x2)))
    return emit("matmul", left, right)


@model(*names("cross"))
def cross(x1: ArrayLike, x2: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    left, right = alike_typed((x1, x2))
    return emit("cross", left, right, axis=axis if isinstance(axis, int) else axisa)


@model(*names("kron"))
def kron(x1: ArrayLike, x2: ArrayLike) -> Tensor:
    left, right = alike_typed((x1, x2))
    first, second = ranked_dims(left), ranked_dims(right)
    rank = max(len(first), len(second))
    first, second = ((1,) * (rank - len(each)) + each for each in (first, second))
    dims = tuple(a * b for a, b in zip(first, second, strict=True))
    return opaque("ops.kron", [left, right], Known(dtype_of(left), dims), type(left))


@model(*names("correlate"))
def correlate(x1: ArrayLike, x2: ArrayLike, mode: str = "valid") -> Tensor:
    from mlvet.domains.dims import maximum

    left, right = (floating(each) for each in alike_typed((x1, x2)))
    n, m = ranked_dims(left)[0], ranked_dims(right)[0]
    size = {"full": n + m - 1, "same": maximum(n, m)}.get(mode, maximum(n, m) - minimum(n, m) + 1)
    return opaque("ops.correlate", [left, right], Known(dtype_of(left), (size,)), type(left))


@model("keras.ops.cdist")
def cdist(x: ArrayLike, y: ArrayLike) -> Tensor:
    left, right = (floating(each) for each in alike_typed((x, y)))
    first, second = ranked_dims(left), ranked_dims(right)
    return opaque("ops.cdist", [left, right], Known(dtype_of(left), (*first[:-1], second[-2])), type(left))


def _both(name: str) -> tuple[str, str]:
    return f"keras.ops.{name}", f"keras.ops.linalg.{name}"


@model(*_both("inv"))
def inv(x: ArrayLike) -> Tensor:
    return emit("inverse", floating(array(x)))


@model(*_both("det"))
def det(x: ArrayLike) -> Tensor:
    return emit("det", floating(array(x)))


@model("keras.ops.logdet")
def logdet(x: ArrayLike) -> Tensor:
    return alike("ops.logdet", emit("det", floating(array(x))))


@model(*names("slogdet"))
def slogdet(x: ArrayLike) -> Any:
    made = emit("det", floating(array(x)))
    return alike("ops.slogdet", made), alike("ops.slogdet", made)


@model(*_both("cholesky"), *_both("cholesky_inverse"))
def cholesky(x: ArrayLike, upper: Any = False) -> Tensor:
    return emit("cholesky", floating(array(x)))


@model(*_both("pinv"))
def pinv(x: ArrayLike, rcond: Any = None) -> Tensor:
    made = floating(array(x))
    dims = ranked_dims(made)
    return opaque("ops.pinv", [made], Known(dtype_of(made), (*dims[:-2], dims[-1], dims[-2])), type(made))


@model(*_both("solve"))
def solve(a: ArrayLike, b: ArrayLike) -> Tensor:
    return emit("solve", floating(array(a)), floating(array(b)))


@model(*_both("solve_triangular"))
def solve_triangular(a: ArrayLike, b: ArrayLike, lower: Any = False) -> Tensor:
    return emit("triangular_solve", floating(array(a)), floating(array(b)))


@model(*_both("lstsq"))
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = None) -> Tensor:
    left, right = floating(array(a)), floating(array(b))
    return opaque(
        "ops.lstsq", [left, right], Known(dtype_of(left), (ranked_dims(left)[-1], *ranked_dims(right)[1:])), type(left)
    )


@model(*_both("svd"))
def svd(x: ArrayLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    made = floating(array(x))
    if compute_uv:
        return emit_all("svd", made, count=3, full_matrices=full_matrices, compute_uv=True)
    return emit("svd", made, full_matrices=full_matrices, compute_uv=False)


@model(*_both("qr"))
def qr(x: ArrayLike, mode: str = "reduced") -> Any:
    return emit_all("qr", floating(array(x)), count=2, mode=mode)


@model(*_both("eigh"))
def eigh(x: ArrayLike) -> Any:
    return emit_all("eigh", floating(array(x)), count=2)


@model(*_both("eig"))
def eig(x: ArrayLike) -> Any:
    made = floating(array(x))
    dims = ranked_dims(made)
    return (
        opaque("ops.eig", [made], Known(dtypes.c64, dims[:-1]), type(made)),
        opaque("ops.eig", [made], Known(dtypes.c64, dims), type(made)),
    )


@model(*_both("lu_factor"))
def lu_factor(x: ArrayLike) -> Any:
    made = floating(array(x))
    dims = ranked_dims(made)
    return (
        opaque("ops.lu_factor", [made], Known(dtype_of(made), dims), type(made)),
        opaque("ops.lu_factor", [made], Known(dtypes.i32, (*dims[:-2], minimum(dims[-1], dims[-2]))), type(made)),
    )


@model(*_both("matrix_rank"))
def matrix_rank(x: ArrayLike, tol: Any = None) -> Tensor:
    made = array(x)
    return opaque("ops.matrix_rank", [made], Known(dtypes.i32, (dims_of(made) or (1, 1))[:-2]), KerasTensor)
