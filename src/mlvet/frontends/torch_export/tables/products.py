"""Products of matrices and sums of products."""

from __future__ import annotations

from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.torch_export.context import Context, lowers
from mlvet.ir.graph import Value


@lowers("linear")
def linear(context: Context) -> Value:
    return context.result("linear", context.value("input"), context.value("weight"), context.optional("bias"))


@lowers("mm", "bmm", "matmul", "mv", "dot", "vdot", "linalg_matmul")
def matmul(context: Context) -> Value:
    return context.result("matmul", context.value("self"), context.value("mat2", "other", "vec", "tensor"))


@lowers("addmm")
def addmm(context: Context) -> Value:
    alpha, beta = float(context.raw("alpha", default=1)), float(context.raw("beta", default=1))
    left, right = context.value("mat1"), context.value("mat2")
    return context.result("gemm", left, right, context.value("self"), alpha=alpha, beta=beta)


@lowers("addbmm", "baddbmm", "addmv")
def add_product(context: Context) -> Value:
    names = {"baddbmm": ("batch1", "batch2"), "addmv": ("mat", "vec")}.get(context.key)
    if names is None:
        raise Unlowered("a sum over the batch")
    dtype = context.out_dtype()
    product = context.add("matmul", context.value(names[0]), context.value(names[1]))
    alpha, beta = context.raw("alpha", default=1), context.raw("beta", default=1)
    base = context.value("self")
    if alpha != 1:
        product = context.add("mul", product, context.number(alpha, dtype))
    if beta == 0:
        return context.result("identity", product)
    if beta != 1:
        base = context.add("mul", base, context.number(beta, dtype))
    return context.result("add", base, product)


@lowers("einsum")
def einsum(context: Context) -> Value:
    return context.result("einsum", *context.values("tensors"), equation=str(context.raw("equation")).replace(" ", ""))


@lowers("outer", "ger")
def outer(context: Context) -> Value:
    return context.result("outer", context.value("self"), context.value("vec2"))


@lowers("bilinear")
def bilinear(context: Context) -> Value:
    first, second = context.value("input1"), context.value("input2")
    return context.result("bilinear", first, second, context.value("weight"), context.optional("bias"))


@lowers("linalg_inv", "inverse", "linalg_inv_ex")
def inverse(context: Context) -> Value:
    return context.result("inverse", context.value("self", "A"))


@lowers("linalg_cholesky", "cholesky")
def cholesky(context: Context) -> Value:
    return context.result("cholesky", context.value("self", "A"), upper=bool(context.raw("upper", default=False)))


@lowers("linalg_det", "det")
def determinant(context: Context) -> Value:
    return context.result("det", context.value("self", "A"))


@lowers("cosine_similarity")
def cosine_similarity(context: Context) -> Value:
    """The sum of products over the product of norms, each of which is at least eps."""
    left, right = context.value("x1"), context.value("x2")
    axes = context.vector([context.plain_int("dim", default=1)])
    eps = context.number(float(context.raw("eps", default=1e-8)), context.dtype(left))
    scaled = []
    for value in (left, right):
        size = context.add("max", context.add("vector_norm", value, axes, keepdims=1), eps)
        scaled.append(context.add("div", value, size))
    return context.result("reduce_sum", context.add("mul", *scaled), axes, keepdims=0)
