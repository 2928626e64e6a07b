"""Operators that only gradients have, in terms of others where that is short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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


def _relu6(site: Site) -> Sequence[Value] | None:
    """The gradient where the operand was between 0 and 6, otherwise 0."""
    if len(site.inputs) != 2:
        return None
    gradient, x = site.inputs
    above = site.extra("greater", x, site.extra("zeros_like", x))
    below = site.extra("less", x, site.extra("cast_like", site.constant(6), x))
    within = site.extra("and", above, below)
    return site.emit("where", [within, gradient, site.extra("zeros_like", gradient)])


def _leaky_relu(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) != 2:
        return None
    gradient, x = site.inputs
    slope = np.asarray(site.attributes.float("alpha", 0.2), np.float32)
    less = site.extra("mul", gradient, site.extra("cast_like", site.constant(slope, "alpha"), gradient))
    return site.emit("where", [site.extra("greater", x, site.extra("zeros_like", x)), gradient, less])


def _elu(site: Site) -> Sequence[Value] | None:
    """gradient * (y + 1) where the result was negative."""
    if len(site.inputs) != 2:
        return None
    gradient, y = site.inputs
    less = site.extra("mul", gradient, site.extra("add", y, site.extra("ones_like", y)))
    return site.emit("where", [site.extra("less", y, site.extra("zeros_like", y)), less, gradient])


def _softplus(site: Site) -> Sequence[Value] | None:
    """gradient * sigmoid(x)."""
    if len(site.inputs) != 2:
        return None
    gradient, x = site.inputs
    return site.emit("mul", [gradient, site.extra("sigmoid", x)])


def _softsign(site: Site) -> Sequence[Value] | None:
    """gradient / (1 + |x|)**2."""
    if len(site.inputs) != 2:
        return None
    gradient, x = site.inputs
    whole = site.extra("add", site.extra("abs", x), site.extra("ones_like", x))
    return site.emit("div", [gradient, site.extra("square", whole)])


def _rsqrt(site: Site) -> Sequence[Value] | None:
    """-gradient * y**3 / 2."""
    if len(site.inputs) != 2:
        return None
    y, gradient = site.inputs
    cube = site.extra("mul", site.extra("square", y), y)
    two = site.extra("cast_like", site.constant(-2), y)
    return site.emit("div", [site.extra("mul", gradient, cube), two])


def _sqrt(site: Site) -> Sequence[Value] | None:
    """gradient / (2 * y)."""
    if len(site.inputs) != 2:
        return None
    y, gradient = site.inputs
    return site.emit("div", [gradient, site.extra("add", y, y)])


def _reciprocal(site: Site) -> Sequence[Value] | None:
    """-gradient * y**2."""
    if len(site.inputs) != 2:
        return None
    y, gradient = site.inputs
    return site.emit("neg", [site.extra("mul", gradient, site.extra("square", y))])


def _own(op: str, operands: int) -> Lowering:
    """A gradient that is an operator of its own."""

    def lower(site: Site) -> Sequence[Value] | None:
        return site.emit(op) if len(site.inputs) >= operands else None

    return lower


def _concat_offset(site: Site) -> Sequence[Value] | None:
    """The axis comes first."""
    axis = site.number(site.input(0))
    if axis is None or len(site.inputs) < 2:
        return None
    return site.emit("concat_offset", site.inputs[1:], {"axis": axis})


def _stitch(site: Site) -> Sequence[Value] | None:
    return site.emit("dynamic_stitch") if site.inputs and len(site.inputs) % 2 == 0 else None


TABLE: dict[str, Lowering] = {
    "ReluGrad": _relu,
    "Relu6Grad": _relu6,
    "LeakyReluGrad": _leaky_relu,
    "EluGrad": _elu,
    "SoftplusGrad": _softplus,
    "SoftsignGrad": _softsign,
    "SigmoidGrad": _sigmoid,
    "TanhGrad": _tanh,
    "RsqrtGrad": _rsqrt,
    "SqrtGrad": _sqrt,
    "ReciprocalGrad": _reciprocal,
    "InvGrad": _reciprocal,
    "BiasAddGrad": _bias_add,
    "MaxPoolGrad": _own("max_pool_grad", 3),
    "MaxPoolGradV2": _own("max_pool_grad", 3),
    "MaxPool3DGrad": _own("max_pool_grad", 3),
    "AvgPoolGrad": _own("average_pool_grad", 2),
    "AvgPool3DGrad": _own("average_pool_grad", 2),
    "Conv2DBackpropFilter": _own("conv_filter_grad", 3),
    "Conv3DBackpropFilterV2": _own("conv_filter_grad", 3),
    "DepthwiseConv2dNativeBackpropFilter": _own("conv_filter_grad", 3),
    "DepthwiseConv2dNativeBackpropInput": _own("depthwise_conv_input_grad", 3),
    "FusedBatchNormGrad": _own("batch_normalization_grad", 3),
    "FusedBatchNormGradV2": _own("batch_normalization_grad", 3),
    "FusedBatchNormGradV3": _own("batch_normalization_grad", 3),
    "StridedSliceGrad": _own("strided_slice_grad", 5),
    "ResizeBilinearGrad": _own("resize_grad", 2),
    "ResizeBicubicGrad": _own("resize_grad", 2),
    "ResizeNearestNeighborGrad": _own("resize_nearest_grad", 2),
    "LRNGrad": _own("lrn_grad", 3),
    "BroadcastGradientArgs": _own("broadcast_gradient_args", 2),
    "ConcatOffset": _concat_offset,
    "DynamicStitch": _stitch,
    "ParallelDynamicStitch": _stitch,
}
