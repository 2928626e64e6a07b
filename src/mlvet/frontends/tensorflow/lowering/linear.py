"""Products of matrices, biases, and linear algebra."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.tensorflow.lowering.pointwise import named
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _matmul(site: Site) -> Sequence[Value]:
    left, right = site.attributes.bool("transpose_a"), site.attributes.bool("transpose_b")
    if not left and not right:
        return site.emit("matmul")
    return site.emit("gemm", attributes={"transA": left, "transB": right})


def _batch_matmul(site: Site) -> Sequence[Value] | None:
    """The third version takes two element types and yields another, for which there is no canonical form."""
    types = {name: site.attributes.dtype(name) for name in ("Ta", "Tb", "Tout")}
    if len(set(types.values())) > 1:
        return None
    left, right = site.attributes.bool("adj_x"), site.attributes.bool("adj_y")
    if not left and not right:
        return site.emit("matmul")
    return site.emit("batch_matmul", attributes={"adj_x": left, "adj_y": right})


def _einsum(site: Site) -> Sequence[Value]:
    return site.emit("einsum", attributes={"equation": site.attributes.text("equation")})


def _bias_add(site: Site) -> Sequence[Value] | None:
    """The bias is along the last dim, or along the second where channels come first."""
    if len(site.inputs) != 2:
        return None
    x, bias = site.inputs
    if not site.attributes.text("data_format", "NHWC").startswith("NC"):
        return site.emit("add")
    rank = site.rank(x) or site.rank_of_result()
    if rank is None:
        return None
    shape = site.constant([-1] + [1] * (rank - 2), "shape")
    return site.emit("add", [x, site.extra("reshape", bias, shape)])


def _adjoint(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value] | None:
        return None if site.attributes.bool("adjoint") else site.emit(op)

    return lower


TABLE: dict[str, Lowering] = {
    "MatMul": _matmul,
    "BatchMatMul": _batch_matmul,
    "BatchMatMulV2": _batch_matmul,
    "BatchMatMulV3": _batch_matmul,
    "Einsum": _einsum,
    "BiasAdd": _bias_add,
    "BiasAddV1": named("add"),
    "Cholesky": named("cholesky"),
    "MatrixDeterminant": named("det"),
    "MatrixInverse": _adjoint("inverse"),
    "MatrixSolve": _adjoint("solve"),
    "Cross": named("cross"),
}
