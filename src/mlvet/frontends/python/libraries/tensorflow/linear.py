"""Products of matrices and tensors, diagonals, decompositions."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import minimum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Unranked
from mlvet.frontends.python.emission import demand, demand_equal, emit_all
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axes_of, cast_to, dims_or_undecided, inexact
from mlvet.frontends.python.libraries.tensorflow.generation import refused_before
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, like, matched, op_of, typed
from mlvet.frontends.python.values.tensors import dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

_BROADCAST_SINCE = (1, 14)
"""The version since which matrices of one factor are used for all of the other."""


@model("tensorflow.matmul", "tensorflow.linalg.matmul", "tensorflow.sparse.sparse_dense_matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DType | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: Any = None,
) -> Tensor:
    """Matrices in the last two dims; unlike NumPy's product it takes no vectors."""
    del a_is_sparse, b_is_sparse, grad_a, grad_b, name
    left, right = matched(a, b)
    for side in (left, right):
        rank = rank_of(side)
        demand(rank is None or rank >= 2, f"a factor has {rank} dims, at least 2 are needed", "rank-differs")
    turned = (transpose_a or adjoint_a, transpose_b or adjoint_b)
    ranks = (rank_of(left), rank_of(right))
    if any(rank is not None and rank < 2 for rank in ranks):
        raise Undecided(Reason.EXCEPTION, "a product of vectors")
    _of_one_rank(left, right)
    if not any(turned):
        made = op_of("matmul", left, right)
    elif ranks == (2, 2):
        made = op_of("gemm", left, right, transA=turned[0], transB=turned[1])
    else:
        made = op_of("batch_matmul", left, right, adj_x=turned[0], adj_y=turned[1])
    return cast_to(made, output_type)


model("tensorflow.batch_matmul")(matmul)


def _of_one_rank(left: Tensor, right: Tensor) -> None:
    """Factors have as many dims as one another, and the same before the matrices, where these are not broadcast."""
    refused = refused_before(_BROADCAST_SINCE)
    if refused is None:
        return
    ranks = [
        shape.rank if isinstance(shape := tensor_of(side).shape, Unranked) else len(shape) for side in (left, right)
    ]
    since = ".".join(map(str, _BROADCAST_SINCE))
    said = f"factors of matmul must have the same number of dims before TensorFlow {since}"
    demand_equal(ranks[0], ranks[1], said, "rank-differs", refused)
    one, other = (tensor_of(side).shape for side in (left, right))
    if not isinstance(one, Unranked) and not isinstance(other, Unranked) and len(one) == len(other):
        for a, b in zip(one[:-2], other[:-2], strict=True):
            demand_equal(a, b, f"dims before the matrices are not broadcast before TensorFlow {since}", assumed=refused)


@model("tensorflow.linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: Any = False,
    b_is_sparse: Any = False,
    name: Any = None,
) -> Tensor:
    del a_is_sparse, b_is_sparse, name
    left, right = matched(a, b)
    column = op_of("unsqueeze", right, (-1,))
    return op_of("squeeze", matmul(left, column, transpose_a, False, adjoint_a), (-1,))


@model("tensorflow.einsum", "tensorflow.linalg.einsum")
def einsum(equation: str, *inputs: Any, **keywords: Any) -> Tensor:
    del keywords
    return op_of("einsum", *matched(*inputs), equation=equation.replace(" ", ""))


@model("tensorflow.tensordot", "tensorflow.linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: Any = None) -> Tensor:
    del name
    left, right = matched(a, b)
    if isinstance(axes, int) and not isinstance(axes, bool):
        return op_of("tensordot", left, right, axes=axes)
    pairs = as_items(axes)
    if len(pairs) != 2:
        demand(False, "axes are a number or two lists", "illegal-argument")
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes")
    return op_of("tensordot", left, right, axes=(axes_of(pairs[0]), axes_of(pairs[1])))


@model("tensorflow.linalg.cross", "tensorflow.compat.v1.cross")
def cross(a: Any, b: Any, name: Any = None) -> Tensor:
    del name
    return op_of("cross", *matched(a, b))


def _square(op: str, *names: str) -> None:
    def function(input: ArrayLike, name: Any = None) -> Tensor:
        del name
        return op_of(op, inexact(input, op))

    model(*names)(function)


_square("cholesky", "tensorflow.linalg.cholesky", "tensorflow.compat.v1.cholesky")
_square("det", "tensorflow.linalg.det", "tensorflow.compat.v1.matrix_determinant")


@model("tensorflow.linalg.inv", "tensorflow.compat.v1.matrix_inverse")
def inv(input: ArrayLike, adjoint: bool = False, name: Any = None) -> Tensor:
    del adjoint, name
    return op_of("inverse", inexact(input, "inv"))


def _same_shape(*names: str) -> None:
    def function(input: ArrayLike, *rest: Any, **keywords: Any) -> Tensor:
        del rest, keywords
        return like(names[0].removeprefix("tensorflow."), convert(input))

    model(*names)(function)


_same_shape("tensorflow.linalg.expm")
_same_shape("tensorflow.linalg.logm")
_same_shape("tensorflow.linalg.sqrtm")
_same_shape("tensorflow.linalg.band_part", "tensorflow.compat.v1.matrix_band_part")
_same_shape("tensorflow.linalg.set_diag", "tensorflow.compat.v1.matrix_set_diag")


@model("tensorflow.linalg.pinv")
def pinv(a: ArrayLike, rcond: Any = None, validate_args: Any = False, name: Any = None) -> Tensor:
    del rcond, validate_args, name
    x = inexact(a, "pinv")
    *batch, rows, columns = dims_or_undecided(x)
    return typed("linalg.pinv", [x], dtype_of(x), *batch, columns, rows)


@model("tensorflow.linalg.solve", "tensorflow.compat.v1.matrix_solve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: Any = None) -> Tensor:
    del adjoint, name
    return op_of("solve", *matched(matrix, rhs))


@model(
    "tensorflow.linalg.triangular_solve",
    "tensorflow.compat.v1.matrix_triangular_solve",
    "tensorflow.linalg.cholesky_solve",
)
def triangular_solve(matrix: Any, rhs: Any, lower: Any = True, adjoint: Any = False, name: Any = None) -> Tensor:
    del lower, adjoint, name
    return op_of("triangular_solve", *matched(matrix, rhs))


@model("tensorflow.linalg.lstsq", "tensorflow.compat.v1.matrix_solve_ls")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: Any = True, name: Any = None) -> Tensor:
    del l2_regularizer, fast, name
    left, right = matched(matrix, rhs)
    dims, columns = dims_or_undecided(left), dims_or_undecided(right)[-1]
    return typed("linalg.lstsq", [left, right], dtype_of(left), *dims[:-2], dims[-1], columns)


@model("tensorflow.linalg.eigh", "tensorflow.compat.v1.self_adjoint_eig")
def eigh(tensor: ArrayLike, name: Any = None) -> Any:
    del name
    return emit_all("eigh", inexact(tensor, "eigh"), count=2, kind=Tensor)


@model("tensorflow.linalg.eigvalsh")
def eigvalsh(tensor: ArrayLike, name: Any = None) -> Tensor:
    values: Tensor = eigh(tensor, name)[0]
    return values


@model("tensorflow.linalg.qr", "tensorflow.compat.v1.qr")
def qr(input: ArrayLike, full_matrices: bool = False, name: Any = None) -> Any:
    del name
    return emit_all("qr", inexact(input, "qr"), count=2, kind=Tensor, mode="complete" if full_matrices else "reduced")


@model("tensorflow.linalg.svd", "tensorflow.compat.v1.svd")
def svd(tensor: ArrayLike, full_matrices: bool = False, compute_uv: bool = True, name: Any = None) -> Any:
    """Unlike NumPy's: the singular values come first, and the right vectors are columns."""
    del name
    x = inexact(tensor, "svd")
    *batch, rows, columns = dims_or_undecided(x)
    least = minimum(rows, columns)
    values = typed("linalg.svd", [x], dtype_of(x), *batch, least)
    if not compute_uv:
        return values
    left = typed("linalg.svd", [x], dtype_of(x), *batch, rows, rows if full_matrices else least)
    right = typed("linalg.svd", [x], dtype_of(x), *batch, columns, columns if full_matrices else least)
    return values, left, right


@model("tensorflow.linalg.slogdet")
def slogdet(input: ArrayLike, name: Any = None) -> Any:
    del name
    x = inexact(input, "slogdet")
    before = dims_or_undecided(x)[:-2]
    return typed("slogdet", [x], dtype_of(x), *before), typed("slogdet", [x], dtype_of(x), *before)


@model("tensorflow.linalg.logdet")
def logdet(matrix: ArrayLike, name: Any = None) -> Tensor:
    del name
    x = inexact(matrix, "logdet")
    return typed("logdet", [x], dtype_of(x), *dims_or_undecided(x)[:-2])


@model("tensorflow.linalg.trace", "tensorflow.compat.v1.trace")
def trace(x: ArrayLike, name: Any = None) -> Tensor:
    del name
    diagonal = op_of("diagonal", convert(x), offset=0, axis1=-2, axis2=-1)
    return op_of("reduce_sum", diagonal, (-1,), keepdims=False)


@model("tensorflow.linalg.diag_part", "tensorflow.compat.v1.matrix_diag_part", "tensorflow.linalg.tensor_diag_part")
@model("tensorflow.compat.v1.diag_part")
def diag_part(
    input: ArrayLike, name: Any = "diag_part", k: Any = 0, padding_value: Any = 0, align: Any = None
) -> Tensor:
    del name, padding_value, align
    return op_of("diagonal", convert(input), offset=k if isinstance(k, int) else 0, axis1=-2, axis2=-1)


@model(
    "tensorflow.linalg.diag",
    "tensorflow.compat.v1.matrix_diag",
    "tensorflow.linalg.tensor_diag",
    "tensorflow.compat.v1.diag",
)
def diag(diagonal: ArrayLike, name: Any = "diag", k: Any = 0, **rest: Any) -> Tensor:
    del name, rest
    return op_of("diag", convert(diagonal), offset=k if isinstance(k, int) else 0)
