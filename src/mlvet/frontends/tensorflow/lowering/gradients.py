"""Operators that only gradients have, in terms of others."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _relu(site: Site) -> Sequence[Value] | None:
    """The gradient where the operand was positive, otherwise 0."""
    if len(site.inputs) != 2:
        return None
    gradient, x = site.inputs
    positive = site.extra("greater", x, site.extra("zeros_like", x))
    return site.emit("where", [positive, gradient, site.extra("zeros_like", gradient)])


def _sigmoid(site: Site) -> Sequence[Value] | None:
    """gradient * y * (1 - y)."""
    if len(site.inputs) != 2:
        return None
    y, gradient = site.inputs
    rest = site.extra("sub", site.extra("ones_like", y), y)
    return site.emit("mul", [site.extra("mul", gradient, y), rest])


def _tanh(site: Site) -> Sequence[Value] | None:
    """gradient * (1 - y**2)."""
    if len(site.inputs) != 2:
        return None
    y, gradient = site.inputs
    rest = site.extra("sub", site.extra("ones_like", y), site.extra("square", y))
    return site.emit("mul", [gradient, rest])


def _bias_add(site: Site) -> Sequence[Value] | None:
    """The sum over all dims but the channels."""
    first = site.attributes.text("data_format", "NHWC").startswith("NC")
    rank = site.rank(site.input(0))
    if rank is None and not first and len(site.inputs) == 1:
        return _sum_of_rows(site)
    if rank is None or rank < 2:
        return None
    axes = [axis for axis in range(rank) if axis != (1 if first else rank - 1)]
    return site.emit("reduce_sum", [site.inputs[0], site.constant(axes, "axes")], {"keepdims": False})


def _sum_of_rows(site: Site) -> Sequence[Value]:
    x = site.inputs[0]
    channels = site.extra("unsqueeze", site.extra("dim", x, axis=-1), site.constant([0], "front"))
    shape = site.extra("concat", site.constant([-1], "rest"), channels, axis=0)
    rows = site.extra("reshape", x, shape)
    return site.emit("reduce_sum", [rows, site.constant([0], "axes")], {"keepdims": False})


TABLE: dict[str, Lowering] = {
    "ReluGrad": _relu,
    "SigmoidGrad": _sigmoid,
    "TanhGrad": _tanh,
    "BiasAddGrad": _bias_add,
}
