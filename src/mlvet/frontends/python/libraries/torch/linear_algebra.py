"""torch.linalg, and what of it is in torch itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlvet.domains import dtypes
from mlvet.domains.dims import equal, minimum
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.emission import demand, demand_equal, emit_all, opaque
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import axes_of, rank, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import wants_floats
from mlvet.frontends.python.libraries.torch.reductions import length
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made, method
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

NARROW = {dtypes.c64: dtypes.f32, dtypes.c128: dtypes.f64}
WIDE = {dtypes.f64: dtypes.c128}


class Decomposition(NamedTuple):
    """The parts of U S V of a matrix."""

    U: Any
    S: Any
    Vh: Any


class FullDecomposition(NamedTuple):
    U: Any
    S: Any
    V: Any


class Orthogonal(NamedTuple):
    Q: Any
    R: Any


class Eigen(NamedTuple):
    eigenvalues: Any
    eigenvectors: Any


class SignAndLog(NamedTuple):
    sign: Any
    logabsdet: Any


def _matrix(x: TensorValue, what: str, *, square: bool = False) -> tuple[Any, ...]:
    """The sizes of a matrix or a batch of such."""
    dims = ranked_dims(x)
    wants_floats(x, what)
    demand(len(dims) >= 2, f"{what} needs a tensor of at least 2 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) < 2:
        raise Undecided(Reason.EXCEPTION, what)
    if square:
        demand(
            equal(dims[-1], dims[-2]), f"{what} needs a square matrix, but gets {dims[-2]} by {dims[-1]}", "dims-differ"
        )
    return dims


@model("torch.linalg.vector_norm")
def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None, out: Any = None
) -> Tensor:
    return length(x, ord, dim, keepdim, dtype)


@model("torch.linalg.norm")
def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, out: Any = None,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    axes = axes_of(dim)
    if ord is None or rank_of(A) == 1 or (axes is not None and len(axes) == 1):
        return length(A, 2 if ord is None else ord, dim, keepdim, dtype)
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


@model("torch.linalg.matrix_norm")
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: DType | None = None,
    out: Any = None,
) -> Tensor:  # fmt: skip
    like = length(A, 2, dim, keepdim, dtype)
    return like if ord == "fro" else opaque("matrix_norm", [A], tensor_of(like).without_value(), Tensor)


@method("torch.linalg.inv", "torch.inverse", "torch.linalg.inv_ex")
def inv(A: Tensor, *, out: Any = None) -> Tensor:
    _matrix(A, "inv", square=True)
    return made("inverse", A)


@method("torch.linalg.pinv", "torch.pinverse")
def pinv(A: Tensor, *args: Any, **keywords: Any) -> Tensor:
    dims = _matrix(A, "pinv")
    return opaque("pinv", [A], Type(dtype_of(A), (*dims[:-2], dims[-1], dims[-2])), Tensor)


@method("torch.linalg.det", "torch.det")
def det(A: Tensor, *, out: Any = None) -> Tensor:
    _matrix(A, "det", square=True)
    return made("det", A)


@method("torch.logdet")
def logdet(input: Tensor) -> Tensor:
    return made("log", det(input))


@method("torch.linalg.slogdet", "torch.slogdet")
def slogdet(A: Tensor, *, out: Any = None) -> Any:
    found = det(A)
    return SignAndLog(made("sign", found), made("log", made("abs", found)))


@method("torch.linalg.cholesky", "torch.cholesky", "torch.linalg.cholesky_ex")
def cholesky(input: Tensor, upper: bool = False, *, out: Any = None) -> Tensor:
    _matrix(input, "cholesky", square=True)
    return made("cholesky", input, upper=upper)


@model("torch.linalg.solve")
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Tensor:
    dims = _matrix(A, "solve", square=True)
    if rank(B) == 1 or (
        rank(B) == len(dims) - 1 and all(equal(a, b) for a, b in zip(ranked_dims(B), dims, strict=False))
    ):
        return made("squeeze", made("solve", A, made("unsqueeze", B, (-1,)), left_side=left), (-1,))
    return made("solve", A, B, left_side=left)


@model("torch.linalg.solve_triangular", "torch.triangular_solve")
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool = True, left: bool = True, unitriangular: bool = False, out: Any = None
) -> Tensor:
    _matrix(A, "solve_triangular", square=True)
    return made("triangular_solve", A, B, left_side=left, lower=not upper)


@method("torch.cholesky_solve")
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False, *, out: Any = None) -> Tensor:
    return made("solve", L, B)


@model("torch.linalg.lstsq")
def lstsq(A: Tensor, B: Tensor, *args: Any, **keywords: Any) -> Any:
    dims, right = _matrix(A, "lstsq"), ranked_dims(B)
    if len(right) >= len(dims) - 1 > 0:
        rows = right[len(dims) - 2]
        demand_equal(dims[-2], rows, "the right-hand side has as many rows as the matrix", "matmul-inner-dims")
    solution = opaque("lstsq", [A, B], Type(dtype_of(A), (*dims[:-2], dims[-1], *right[len(dims) - 1 :])), Tensor)
    rest = opaque("lstsq", [A, B], Type(dtype_of(A), (0,)), Tensor)
    return solution, rest, opaque("lstsq", [A], Type(dtypes.i64, ()), Tensor), rest


@model("torch.linalg.svd")
def svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> Any:
    _matrix(A, "svd")
    return Decomposition(*emit_all("svd", A, count=3, full_matrices=full_matrices, compute_uv=True, kind=Tensor))


@method("torch.svd")
def torch_svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    left, values, right = svd(input, not some)
    return FullDecomposition(left, values, right.mT)


@model("torch.linalg.svdvals")
def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Tensor:
    dims = _matrix(A, "svdvals")
    return opaque("svdvals", [A], Type(_real(A), (*dims[:-2], minimum(dims[-2], dims[-1]))), Tensor)


def _real(x: TensorValue) -> DType | None:
    known = dtype_of(x)
    return None if known is None else NARROW.get(known, known)


@method("torch.linalg.qr", "torch.qr")
def qr(A: Tensor, mode: Any = "reduced", *, out: Any = None) -> Any:
    _matrix(A, "qr")
    way = mode if isinstance(mode, str) else "reduced" if mode else "complete"
    return Orthogonal(*emit_all("qr", A, count=2, mode=way, kind=Tensor))


@model("torch.linalg.eigh")
def eigh(A: Tensor, UPLO: Any = "L", *, out: Any = None) -> Any:
    dims = _matrix(A, "eigh", square=True)
    values = opaque("eigh", [A], Type(_real(A), dims[:-1]), Tensor)
    return Eigen(values, opaque("eigh", [A], tensor_of(A).without_value(), Tensor))


@model("torch.linalg.eigvalsh")
def eigvalsh(A: Tensor, UPLO: Any = "L", *, out: Any = None) -> Tensor:
    found: Tensor = eigh(A)[0]
    return found


@model("torch.linalg.eig")
def eig(A: Tensor, *, out: Any = None) -> Any:
    dims = _matrix(A, "eig", square=True)
    known = dtype_of(A)
    wide = None if known is None else known if known in NARROW else WIDE.get(known, dtypes.c64)
    return Eigen(opaque("eig", [A], Type(wide, dims[:-1]), Tensor), opaque("eig", [A], Type(wide, dims), Tensor))


@model("torch.linalg.eigvals")
def eigvals(A: Tensor, *, out: Any = None) -> Tensor:
    found: Tensor = eig(A)[0]
    return found


@method("torch.linalg.matrix_power", "torch.matrix_power")
def matrix_power(A: Tensor, n: Any, *, out: Any = None) -> Tensor:
    _matrix(A, "matrix_power", square=True)
    return opaque("matrix_power", [A], tensor_of(A).without_value(), Tensor)


@method("torch.linalg.matrix_exp", "torch.matrix_exp")
def matrix_exp(A: Tensor) -> Tensor:
    _matrix(A, "matrix_exp", square=True)
    return opaque("matrix_exp", [A], tensor_of(A).without_value(), Tensor)


@model("torch.linalg.matrix_rank")
def matrix_rank(A: Tensor, *args: Any, **keywords: Any) -> Tensor:
    return opaque("matrix_rank", [A], Type(dtypes.i64, _matrix(A, "matrix_rank")[:-2]), Tensor)


@model("torch.linalg.cond")
def cond(A: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    return opaque("cond", [A], Type(_real(A), _matrix(A, "cond")[:-2]), Tensor)


@method("torch.trace")
def trace(input: Tensor) -> Tensor:
    demand(rank_of(input) in (None, 2), "trace needs a tensor of 2 dims", "rank-differs")
    from mlvet.frontends.python.libraries.torch.reductions import sum

    return sum(made("diagonal", input))


@method("torch.cov", "torch.corrcoef")
def cov(input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    dims = ranked_dims(input)
    demand(len(dims) <= 2, "cov needs a tensor of at most 2 dims", "rank-differs")
    return opaque("cov", [input], Type(dtype_of(input), (dims[0], dims[0]) if len(dims) == 2 else ()), Tensor)


@model("torch.linalg.vander")
def vander(x: Tensor, *, N: Any = None) -> Tensor:
    dims = ranked_dims(x)
    return opaque("vander", [x], Type(dtype_of(x), (*dims, dims[-1] if N is None else N)), Tensor)
