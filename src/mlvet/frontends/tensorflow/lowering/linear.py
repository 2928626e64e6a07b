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


def _diagonal_of(site: Site) -> Sequence[Value] | None:
    """One diagonal of each matrix; a band of several has no canonical form."""
    offset = 0 if site.step.op == "MatrixDiagPart" else site.number(site.input(1))
    if offset is None:
        return None
    return site.emit("diagonal", site.inputs[:1], {"offset": offset, "axis1": -2, "axis2": -1})


def _diagonal_matrix(site: Site) -> Sequence[Value] | None:
    """Square matrices with one diagonal, zero elsewhere; other sizes, bands and fills have no canonical form."""
    offset = 0
    if site.step.op != "MatrixDiag":
        offset, rows, columns = (site.number(site.input(index)) for index in (1, 2, 3))
        fill = site.array(site.input(4))
        if offset is None or (rows, columns) != (-1, -1) or fill is None or fill.size != 1 or fill.any():
            return None
    return site.emit("diag", site.inputs[:1], {"offset": offset})


TABLE: dict[str, Lowering] = {
    **dict.fromkeys(("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3"), _diagonal_of),
    **dict.fromkeys(("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3"), _diagonal_matrix),
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
