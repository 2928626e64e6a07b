"""Tensors made from sizes: shapes, fills, ranges."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.lowering.pointwise import named
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _measure(op: str) -> Lowering:
    """Sizes are 64 bits wide in the canonical operators and 32 bits by default in TensorFlow."""

    def lower(site: Site) -> Sequence[Value]:
        wanted = site.attributes.dtype("out_type", dtypes.i32)
        if wanted is dtypes.i64:
            return site.emit(op)
        return site.emit("cast", [site.extra(op, site.inputs[0])], {"to": wanted})

    return lower


def _shapes(site: Site) -> Sequence[Value]:
    wanted = site.attributes.dtype("out_type", dtypes.i32)
    declared, results = site.declared, []
    for index, value in enumerate(site.inputs):
        site.declared = declared[index : index + 1]
        results += site.emit("cast", [site.extra("shape", value)], {"to": wanted}, outputs=1)
    return results


TABLE: dict[str, Lowering] = {
    "Shape": _measure("shape"),
    "VariableShape": _measure("shape"),
    "ShapeN": _shapes,
    "Size": _measure("size"),
    "Rank": _measure("rank"),
    "Fill": named("fill"),
    "Range": named("range"),
    "LinSpace": named("linspace"),
    "ZerosLike": named("zeros_like"),
    "OnesLike": named("ones_like"),
}
