"""Gradients that are operators of their own. Their results have the shape of what was differentiated by."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Danger
from mlvet.ops.enclosures_sums import DEPTHWISE_GRADIENT, FILTER_GRADIENT, gathered
from mlvet.ops.numeric import Numeric, Selection
from mlvet.ops.op import Effects, Infer, Op, register
from mlvet.ops.require import Require


def _gradient(name: str, infer: Infer, numeric: Numeric | None = None, *danger: Danger) -> Op:
    known = danger if numeric is not None else None
    return register(Op(name, "gradients", infer=infer, numeric=numeric, danger=known, effects=Effects.PURE))


def _like(position: int) -> Infer:
    """The result is like one of the operands."""

    def infer(*operands: Tensor, require: Require, **_: Any) -> Tensor:
        return operands[position].without_value()

    return infer


def sized(sizes: Tensor, dtype: DType | None, require: Require) -> Tensor:
    """A tensor whose shape is the elements of an operand; what is not known of them is left open."""
    found = require.ints(sizes)
    if found is not None:
        return Tensor(dtype, tuple(require.unknown() if isinstance(dim, int) and dim < 0 else dim for dim in found))
    rank = sizes.dims[0] if sizes.ranked and sizes.rank == 1 else None
    return require.unknown_tensor(dtype, rank if isinstance(rank, int) else None)


def _sized(position: int, like: int) -> Infer:
    """One operand is the shape of the result, another has its dtype."""

    def infer(*operands: Tensor, require: Require, **_: Any) -> Tensor:
        return sized(operands[position], operands[like].dtype, require)

    return infer


def infer_batch_normalization_grad(
    gradient: Tensor, x: Tensor, scale: Tensor, *_: Tensor, require: Require, **__: Any
) -> tuple[Tensor, ...]:
    """By the data, the scale and the offset, then two results that are only there for other devices."""
    rest = Tensor(scale.dtype, (require.unknown(),))
    return x.without_value(), scale.without_value(), scale.without_value(), rest, rest


def infer_resize_nearest_grad(gradient: Tensor, size: Tensor, *, require: Require, **_: Any) -> Tensor:
    """Images of the size before they were resized, channels last."""
    if not require.rank(gradient, 4, "gradient"):
        return require.unknown_tensor(gradient.dtype, 4)
    height, width = require.ints(size) or (require.unknown(), require.unknown())
    return gradient.with_shape((gradient.dims[0], height, width, gradient.dims[3]))


max_pool_grad = _gradient("max_pool_grad", _like(0), gathered(2, like=2), OVERFLOW)
average_pool_grad = _gradient("average_pool_grad", _sized(0, like=1), gathered(1, like=1), OVERFLOW)
conv_filter_grad = _gradient("conv_filter_grad", _sized(1, like=0), FILTER_GRADIENT, OVERFLOW)
depthwise_conv_input_grad = _gradient("depthwise_conv_input_grad", _sized(0, like=1), DEPTHWISE_GRADIENT, OVERFLOW)
batch_normalization_grad = _gradient("batch_normalization_grad", infer_batch_normalization_grad)
strided_slice_grad = _gradient("strided_slice_grad", _sized(0, like=4), Selection((4,), 0.0))
resize_grad = _gradient("resize_grad", _like(1), gathered(0, like=0), OVERFLOW)
resize_nearest_grad = _gradient("resize_nearest_grad", infer_resize_nearest_grad, gathered(0, like=0), OVERFLOW)
lrn_grad = _gradient("lrn_grad", _like(1))
