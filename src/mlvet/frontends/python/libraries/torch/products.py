"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import equal
from mlvet.domains.promotion import Framework
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.arithmetic import cast, common_dtype
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import as_items, as_tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import axis_of, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import same_types
from mlvet.frontends.python.libraries.torch.tensor import Tensor, attach, made, method
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _product(what: str, left: TensorValue, right: TensorValue) -> Tensor:
    same_types(what, left, right)
    return made("matmul", left, right)


def _of_rank(what: str, x: TensorValue, wanted: int) -> None:
    count = rank_of(x)
    demand(
        count is None or count == wanted,
        f"{what} needs tensors of {wanted} dims, but gets one of {count}",
        "rank-differs",
    )


@method("torch.matmul", "torch.linalg.matmul")
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    return _product("matmul", input, other)


attach("__matmul__", lambda self, other: _product("matmul", self, as_tensor(other, "torch")))
attach("__rmatmul__", lambda self, other: _product("matmul", as_tensor(other, "torch"), self))


@method("torch.mm", "torch.spmm", "torch.sparse.mm", "torch.smm", "torch.hspmm")
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    _of_rank("mm", input, 2)
    _of_rank("mm", mat2, 2)
    return _product("mm", input, mat2)


@method("torch.bmm")
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    _of_rank("bmm", input, 3)
    _of_rank("bmm", mat2, 3)
    left, right = dims_of(input), dims_of(mat2)
    if left is not None and right is not None and len(left) == len(right) == 3:
        demand(
            equal(left[0], right[0]), f"bmm needs batches of one size, but gets {left[0]} and {right[0]}", "dims-differ"
        )
    return _product("bmm", input, mat2)


@method("torch.mv")
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    _of_rank("mv", input, 2)
    _of_rank("mv", vec, 1)
    return _product("mv", input, vec)


@method("torch.dot", "torch.vdot", "torch.inner")
def dot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    _of_rank("dot", input, 1)
    _of_rank("dot", other, 1)
    return _product("dot", input, other)


@method("torch.linalg.vecdot")
def vecdot(x: Tensor, y: Tensor, *, dim: Any = -1, out: Any = None) -> Tensor:
    return made("reduce_sum", combined("mul", x, y), (axis_of(dim),), keepdims=0)


@method("torch.outer", "torch.ger")
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    _of_rank("outer", input, 1)
    _of_rank("outer", vec2, 1)
    common = common_dtype(input, vec2, Framework.TORCH)
    return made("outer", cast(input, common), cast(vec2, common))


def _added(base: TensorValue, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    product = product if alpha == 1 else combined("mul", product, alpha)
    scaled = base if beta == 1 else combined("mul", base, beta)
    dims = dims_of(product)
    return combined("add", made("broadcast_to", scaled, dims) if dims is not None else scaled, product)


@method("torch.addmm", in_place=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    same_types("addmm", input, mat1, mat2)
    return _added(input, mm(mat1, mat2), beta, alpha)


@method("torch.baddbmm", in_place=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    same_types("baddbmm", input, batch1, batch2)
    return _added(input, bmm(batch1, batch2), beta, alpha)


@method("torch.addbmm", in_place=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    return _added(input, made("reduce_sum", bmm(batch1, batch2), (0,), keepdims=0), beta, alpha)


@method("torch.addmv", in_place=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    return _added(input, mv(mat, vec), beta, alpha)


@method("torch.addr", in_place=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Any = None) -> Tensor:
    return _added(input, outer(vec1, vec2), beta, alpha)


@model("torch.einsum", "torch.functional.einsum")
def einsum(equation: Any, *operands: Any) -> Tensor:
    if not isinstance(equation, str):
        raise Undecided(equation if isinstance(equation, Unknown) else Reason.UNMODELLED_ARGUMENTS, "the equation")
    first = operands[0] if operands else ()
    xs = as_items(first) if len(operands) == 1 and isinstance(first, tuple | list | ListValue) else operands
    tensors = [as_tensor(x, "torch") for x in xs]
    plain = equation.replace(" ", "")
    _ranked_by(plain, tensors)
    same_types("einsum", *tensors)
    return made("einsum", *tensors, equation=plain)


def _ranked_by(equation: str, tensors: list[TensorValue]) -> None:
    """The equation tells the ranks of tensors of which they are not known."""
    from mlvet.frontends.python.arrays.shapes import UnrankedShape

    for term, x in zip(equation.partition("->")[0].split(","), tensors, strict=False):
        dims = dims_of(x)
        if dims is None and "." not in term:
            UnrankedShape(x).unpack(len(term), *term)
        elif dims is not None and len(dims) == len(term):
            for letter, size in zip(term, dims, strict=True):
                same = equal(size, dims[term.index(letter)])
                demand(same, f"subscript {letter} is repeated, but its sizes differ", "dims-differ")


@model("torch.tensordot")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    if isinstance(dims, int):
        return made("tensordot", a, b, axes=dims)
    left, right = as_items(dims)
    axes = tuple(tuple(axis_of(each) for each in as_items(side)) for side in (left, right))
    return made("tensordot", a, b, axes=axes)


@model("torch.kron")
def kron(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    left, right = ranked_dims(input), ranked_dims(other)
    size = max(len(left), len(right))
    left, right = ((1,) * (size - len(dims)) + dims for dims in (left, right))
    shape = tuple(a * b for a, b in zip(left, right, strict=True))
    common = common_dtype(input, other, Framework.TORCH)
    return opaque("kron", [input, other], Type(common, shape), Tensor)


@method("torch.cross", "torch.linalg.cross")
def cross(input: Tensor, other: Tensor, dim: Any = None, *, out: Any = None) -> Tensor:
    return made("cross", input, other, axis=-1 if dim is None else axis_of(dim))


@model("torch.chain_matmul", "torch.linalg.multi_dot")
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    xs = as_items(matrices[0]) if len(matrices) == 1 and not isinstance(matrices[0], TensorValue) else matrices
    found = xs[0]
    for x in xs[1:]:
        found = matmul(found, x)
    result: Tensor = found
    return result


@model("torch.cdist", "torch.functional.cdist")
def cdist(x1: Tensor, x2: Tensor, p: Any = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of each row to each row."""
    gap = made("sub", made("unsqueeze", x1, (-2,)), made("unsqueeze", x2, (-3,)))
    left, right = dims_of(x1), dims_of(x2)
    if left is not None and right is not None and left and right:
        demand(equal(left[-1], right[-1]), "cdist needs rows of one size", "dims-differ")
    return made("vector_norm", gap, (-1,), keepdims=0, order=float(p) if isinstance(p, int | float) else 2.0)
