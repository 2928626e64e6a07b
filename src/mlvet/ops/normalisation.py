"""Operators that shift and scale elements by statistics of their neighbours, then by learned parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, AllAt, Danger, Outside
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_normalising import BATCH, GROUP, INSTANCE
from mlvet.ops.numeric import POSITIVE, Numeric
from mlvet.ops.op import Infer, Op, Reference, pure
from mlvet.ops.pointwise import Array, is_narrow
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Samples

FLAT = AllAt(0, rule="rsqrt-of-nonpositive")
"""Elements without variance, where nothing is added to it."""
STASH: dict[int | DType, DType] = {1: dtypes.f32, 10: dtypes.f16, 11: dtypes.f64, 16: dtypes.bf16}
STASH |= {each: each for each in (dtypes.f32, dtypes.f16, dtypes.f64, dtypes.bf16)}


def channel_axis(data_format: str, rank: int) -> int:
    """Where the channels are: after the batch, or last in formats that end so."""
    return rank - 1 if len(data_format) > 2 and data_format.endswith("C") else data_format.index("C")


def wide(array: Array | None) -> Any:
    """Floats in at least 32 bits, in which statistics are computed."""
    return array.astype(np.float32) if array is not None and is_narrow(array) else array


def along_channels(values: Any, rank: int, axis: int) -> Any:
    """One value per channel, shaped so as to broadcast with the data."""
    return np.reshape(values, [-1 if each == axis else 1 for each in range(rank)])


def standardised(x: Array, axes: tuple[int, ...], epsilon: float) -> tuple[Any, Any, Any]:
    """Data of mean 0 and variance 1 along the axes, the mean, and the inverse of the deviation."""
    mean = np.mean(x, axis=axes, keepdims=True)
    spread = x - mean
    inverse = 1 / np.sqrt(np.mean(spread * spread, axis=axes, keepdims=True) + x.dtype.type(epsilon))
    return spread * inverse, mean, inverse


def standardised_jvp(x: Array, along: Any, axes: tuple[int, ...], epsilon: float) -> Any:
    """How standardised data changes."""
    if along is None:
        return np.zeros_like(x)
    normal, _, inverse = standardised(x, axes, epsilon)
    centred = along - np.mean(along, axis=axes, keepdims=True)
    return inverse * (centred - normal * np.mean(normal * along, axis=axes, keepdims=True))


def scaled_jvp(normal: Any, change: Any, scale: Any, scale_change: Any, shift_change: Any) -> Any:
    """How `normal * scale + shift` changes; None stands for no change."""
    total = change * scale
    total = total if scale_change is None else total + normal * scale_change
    return total if shift_change is None else total + shift_change


def normalisation(
    name: str,
    infer: Infer,
    reference: Reference,
    jvp: Callable[..., Any] | None,
    samples: Samples,
    numeric: Numeric,
    *danger: Danger,
) -> Op:
    """An operator that standardises, and perhaps scales and shifts by learned parameters."""
    return pure(
        name,
        infer,
        reference,
        samples,
        family="normalisation",
        numeric=numeric,
        danger=danger,
        derivative=Jvp(jvp) if jvp else None,
    )


def require_per_channel(x: Tensor, axis: int, parameters: dict[str, Tensor | None], require: Require) -> None:
    """Each parameter has one element per channel."""
    for what, parameter in parameters.items():
        if parameter is not None and require.rank(parameter, 1, what):
            require.equal(parameter.dim(0), x.dim(axis), f"{what} has one element per channel", rule="dims-differ")


def _channels(draw: Draw, low_rank: int = 2) -> tuple[Array, int, dict[str, Any]]:
    """Data, its number of channels, and perhaps a data format with the channels last."""
    shape = draw.shape(low_rank, 4)
    if draw.integer(0, 1):
        return draw.array(shape), shape[1], {}
    return draw.array(shape), shape[-1], {"data_format": "N" + "DHW"[5 - len(shape) :] + "C"}


def infer_batch_normalization(
    x: Tensor,
    scale: Tensor,
    b: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    require: Require,
    training_mode: bool = False,
    data_format: str = "NC",
    **_: Any,
) -> Tensor | tuple[Tensor, ...]:
    """The result is like x; in training, the new running mean and variance follow."""
    if x.ranked and require.rank_at_least(x, 2, "data"):
        axis = channel_axis(data_format, x.rank)
        require_per_channel(x, axis, {"scale": scale, "shift": b, "mean": mean, "variance": var}, require)
    if not training_mode:
        return x.without_value()
    return x.without_value(), mean.without_value(), var.without_value()


def _batch_axes(x: Array, data_format: str) -> tuple[int, tuple[int, ...]]:
    axis = channel_axis(data_format, x.ndim)
    return axis, tuple(each for each in range(x.ndim) if each != axis)


def _batch_normalization(
    x: Array,
    scale: Array,
    b: Array,
    mean: Array,
    var: Array,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: bool = False,
    data_format: str = "NC",
) -> Any:
    axis, axes = _batch_axes(x, data_format)
    data, shared = wide(x), [wide(parameter) for parameter in (scale, b, mean, var)]
    present = (np.mean(data, axis=axes), np.var(data, axis=axes)) if training_mode else (shared[2], shared[3])
    factor, shift, centre, spread = (along_channels(v, x.ndim, axis) for v in (*shared[:2], *present))
    y = (factor * (data - centre) / np.sqrt(spread + spread.dtype.type(epsilon)) + shift).astype(x.dtype)
    if not training_mode:
        return y
    running = [old * momentum + new * (1 - momentum) for old, new in zip(shared[2:], present, strict=True)]
    return y, running[0].astype(mean.dtype), running[1].astype(var.dtype)


def _batch_jvp(
    operands: Sequence[Any],
    directions: Sequence[Any],
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: bool = False,
    data_format: str = "NC",
) -> Any:
    x = operands[0]
    axis, axes = _batch_axes(x, data_format)
    scale, b, mean, var = (along_channels(v, x.ndim, axis) for v in operands[1:])
    d_scale, d_b, d_mean, d_var = (None if d is None else along_channels(d, x.ndim, axis) for d in directions[1:])
    del b, momentum
    if training_mode:
        normal = standardised(x, axes, epsilon)[0]
        return scaled_jvp(normal, standardised_jvp(x, directions[0], axes, epsilon), scale, d_scale, d_b)
    inverse = 1 / np.sqrt(var + epsilon)
    change = sum(d for d in (directions[0], None if d_mean is None else -d_mean) if d is not None) * inverse
    if d_var is not None:
        change = change - 0.5 * (x - mean) * inverse**3 * d_var
    return scaled_jvp((x - mean) * inverse, change, scale, d_scale, d_b)


def _batch_samples(draw: Draw) -> Sample:
    x, channels, attributes = _channels(draw)
    parameters = [draw.array((channels,), low=low) for low in (-2, -2, -2, 0.5)]
    return Sample((x, *parameters), {"training_mode": bool(draw.integer(0, 1)), "epsilon": 1e-2, **attributes})


batch_normalization = normalisation(
    "batch_normalization",
    infer_batch_normalization,
    _batch_normalization,
    _batch_jvp,
    _batch_samples,
    BATCH,
    Outside(POSITIVE, rule="rsqrt-of-nonpositive", operand=4),
    OVERFLOW,
)


def infer_instance_normalization(
    x: Tensor, scale: Tensor, b: Tensor, *, require: Require, data_format: str = "NC", **_: Any
) -> Tensor:
    """The result is like x."""
    if x.ranked and require.rank_at_least(x, 3, "data"):
        require_per_channel(x, channel_axis(data_format, x.rank), {"scale": scale, "shift": b}, require)
    return x.without_value()


def _space(x: Array, data_format: str) -> tuple[int, tuple[int, ...]]:
    axis = channel_axis(data_format, x.ndim)
    return axis, tuple(each for each in range(1, x.ndim) if each != axis)


def _instance_normalization(x: Array, scale: Array, b: Array, epsilon: float = 1e-5, data_format: str = "NC") -> Array:
    axis, axes = _space(x, data_format)
    normal = standardised(wide(x), axes, epsilon)[0]
    factor, shift = (along_channels(wide(v), x.ndim, axis) for v in (scale, b))
    return np.asarray(normal * factor + shift).astype(x.dtype)


def _instance_jvp(
    operands: Sequence[Any], directions: Sequence[Any], epsilon: float = 1e-5, data_format: str = "NC"
) -> Any:
    x, scale, _ = operands
    axis, axes = _space(x, data_format)
    changes = [None if d is None else along_channels(d, x.ndim, axis) for d in directions[1:]]
    normal, change = standardised(x, axes, epsilon)[0], standardised_jvp(x, directions[0], axes, epsilon)
    return scaled_jvp(normal, change, along_channels(scale, x.ndim, axis), *changes)


def _instance_samples(draw: Draw) -> Sample:
    x, channels, attributes = _channels(draw, 3)
    return Sample((x, draw.array((channels,)), draw.array((channels,))), {"epsilon": 1e-2, **attributes})


instance_normalization = normalisation(
    "instance_normalization",
    infer_instance_normalization,
    _instance_normalization,
    _instance_jvp,
    _instance_samples,
    INSTANCE,
    FLAT,
    OVERFLOW,
)


def infer_group_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    *,
    require: Require,
    num_groups: int,
    data_format: str = "NC",
    **_: Any,
) -> Tensor:
    """The result is like x; the groups share the channels evenly."""
    if x.ranked and require.rank_at_least(x, 2, "data"):
        axis = channel_axis(data_format, x.rank)
        require.divisible(x.dim(axis), num_groups, "groups share the channels evenly", rule="not-divisible")
        require_per_channel(x, axis, {"scale": scale, "bias": bias}, require)
    return x.without_value()


def _grouped(x: Array, num_groups: int, axis: int) -> tuple[Array, tuple[int, ...]]:
    """The channels split into group and member, and the axes over which a group extends."""
    shape = (*x.shape[:axis], num_groups, x.shape[axis] // num_groups, *x.shape[axis + 1 :])
    return x.reshape(shape), tuple(each for each in range(1, len(shape)) if each != axis)


def _group_normalization(
    x: Array,
    scale: Array,
    bias: Array,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    data_format: str = "NC",
) -> Array:
    del stash_type
    axis = channel_axis(data_format, x.ndim)
    groups, axes = _grouped(wide(x), num_groups, axis)
    normal = standardised(groups, axes, epsilon)[0].reshape(x.shape)
    factor, shift = (along_channels(wide(v), x.ndim, axis) for v in (scale, bias))
    return np.asarray(normal * factor + shift).astype(x.dtype)


def _group_jvp(
    operands: Sequence[Any],
    directions: Sequence[Any],
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    data_format: str = "NC",
) -> Any:
    del stash_type
    x, scale, _ = operands
    axis = channel_axis(data_format, x.ndim)
    groups, axes = _grouped(x, num_groups, axis)
    along = None if directions[0] is None else _grouped(directions[0], num_groups, axis)[0]
    normal = standardised(groups, axes, epsilon)[0].reshape(x.shape)
    change = standardised_jvp(groups, along, axes, epsilon).reshape(x.shape)
    changes = [None if d is None else along_channels(d, x.ndim, axis) for d in directions[1:]]
    return scaled_jvp(normal, change, along_channels(scale, x.ndim, axis), *changes)


def _group_samples(draw: Draw) -> Sample:
    groups, members = draw.integer(1, 3), draw.integer(1, 3)
    batch, *space = draw.shape(1, 3)
    channels = groups * members
    last = bool(draw.integer(0, 1))
    shape = (batch, *space, channels) if last else (batch, channels, *space)
    attributes = {"num_groups": groups, "epsilon": 1e-2, **({"data_format": "NHWC"} if last else {})}
    return Sample((draw.array(shape), draw.array((channels,)), draw.array((channels,))), attributes)


group_normalization = normalisation(
    "group_normalization",
    infer_group_normalization,
    _group_normalization,
    _group_jvp,
    _group_samples,
    GROUP,
    FLAT,
    OVERFLOW,
)
