"""Normalisation layers."""

from __future__ import annotations

from mlvet.domains.dims import Dim
from mlvet.frontends.keras.application import Call, NotLowered, whole
from mlvet.frontends.keras.layers.convolution import SPACE
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _layout(rank: int, axis: int) -> str:
    """The data format of a tensor whose channels lie along an axis."""
    if not 0 < axis < rank or rank - 2 not in (0, *SPACE):
        raise NotLowered("axis of the channels")
    letters = list(SPACE.get(rank - 2, ""))
    letters.insert(axis - 1, "C")
    return "N" + "".join(letters)


def _filled(call: Call, like: Value, number: float, name: str) -> Value:
    """A tensor of one number, of the shape of a variable."""
    tensor = call.tensor(like)
    sizes = [dim for dim in tensor.dims if isinstance(dim, int)]
    if len(sizes) == tensor.rank:
        return call.full(name, sizes, number)
    shape = call.emit("shape", like, part=f"{name}/shape")
    return call.emit("expand", call.full(name, (1,), number), shape, part=name)


@layer("BatchNormalization", "SyncBatchNormalization", "BatchNormalizationV1", "BatchNormalizationV2")
def _batch_normalization(call: Call) -> Value:
    x = call.floats(call.x)
    axis = call.integers("axis", 1, -1)[0]
    tensor = call.tensor(x)
    size = (call.dim(x, axis, "channels"),)
    gamma = call.weight("gamma", size, "ones") if call.flag("scale", True) else None
    beta = call.weight("beta", size, "zeros") if call.flag("center", True) else None
    mean = call.weight("moving_mean", size, "zeros", trainable=False)
    variance = call.weight("moving_variance", size, "ones", trainable=False)
    epsilon = float(call.number("epsilon", 1e-3))
    if tensor.ranked and tensor.rank - 2 in (0, *SPACE):
        scale = gamma if gamma is not None else _filled(call, mean, 1, "gamma")
        shift = beta if beta is not None else _filled(call, mean, 0, "beta")
        layout = _layout(tensor.rank, axis % tensor.rank)
        return call.emit(
            "batch_normalization", x, scale, shift, mean, variance, epsilon=epsilon,
            momentum=float(call.number("momentum", 0.99)), data_format=layout,
        )  # fmt: skip
    if axis != -1 and not (tensor.ranked and axis == tensor.rank - 1):
        raise NotLowered("axis of the channels")
    x = call.emit("sub", x, mean)
    shifted = call.emit("add", variance, call.scalar(epsilon, x, "epsilon"), part="epsilon")
    x = call.emit("div", x, call.emit("sqrt", shifted, part="sqrt"))
    return _affine(call, x, gamma, beta)


def _affine(call: Call, x: Value, scale: Value | None, shift: Value | None) -> Value:
    if scale is not None:
        x = call.emit("mul", x, scale)
    return call.emit("add", x, shift) if shift is not None else x


def _trailing(call: Call, x: Value) -> tuple[int, list[Dim]]:
    """The first of the axes to normalise, which must be the last ones of the tensor, and their sizes."""
    raw = call.option("axis", -1)
    axes = [whole(axis, "axis") for axis in (raw if isinstance(raw, list | tuple) else [raw])]
    if axes == [-1]:
        return -1, [call.dim(x, -1, "features")]
    rank = call.rank(x)
    places = sorted(axis % rank for axis in axes)
    if places != list(range(rank - len(places), rank)):
        raise NotLowered("axes that are not the last ones")
    return -len(places), [call.dim(x, place, f"features{place}") for place in places]


@layer("LayerNormalization")
def _layer_normalization(call: Call) -> Value:
    x = call.floats(call.x)
    axis, sizes = _trailing(call, x)
    epsilon = float(call.number("epsilon", 1e-3))
    if call.flag("rms_scaling"):
        return _over_deviation(call, x, axis, call.weight("gamma", sizes, "ones"), epsilon)
    gamma = call.weight("gamma", sizes, "ones") if call.flag("scale", True) else None
    beta = call.weight("beta", sizes, "zeros") if call.flag("center", True) else None
    if gamma is None:
        if not all(isinstance(size, int) for size in sizes):
            raise NotLowered("unknown size")
        gamma = call.full("gamma", [size for size in sizes if isinstance(size, int)], 1)
    return call.emit("layer_normalization", x, gamma, beta, axis=axis, epsilon=epsilon)


@layer("RMSNormalization")
def _rms_normalization(call: Call) -> Value:
    x = call.floats(call.x)
    axis, sizes = _trailing(call, x)
    epsilon = float(call.number("epsilon", 1e-6))
    return call.emit("rms_normalization", x, call.weight("scale", sizes, "ones"), axis=axis, epsilon=epsilon)


def _over_deviation(call: Call, x: Value, axis: int, scale: Value, epsilon: float) -> Value:
    """The tensor over its standard deviation, its mean left in."""
    axes = call.axes(*range(axis, 0))
    centred = call.emit("sub", x, call.emit("reduce_mean", x, axes, part="mean", keepdims=1), part="centred")
    square = call.emit("mul", centred, centred, part="square")
    variance = call.emit("reduce_mean", square, axes, part="variance", keepdims=1)
    shifted = call.emit("add", variance, call.scalar(epsilon, x, "epsilon"), part="shifted")
    return call.emit("mul", call.emit("div", x, call.emit("sqrt", shifted, part="sqrt")), scale)


@layer("GroupNormalization")
def _group_normalization(call: Call) -> Value:
    x = call.floats(call.x)
    rank = call.rank(x)
    axis = call.integers("axis", 1, -1)[0] % rank
    groups = call.integer("groups", 32)
    if groups == -1:
        groups = call.size(x, axis)
    size = (call.dim(x, axis, "channels"),)
    gamma = call.weight("gamma", size, "ones") if call.flag("scale", True) else None
    beta = call.weight("beta", size, "zeros") if call.flag("center", True) else None
    scale = gamma if gamma is not None else call.full("gamma", (call.size(x, axis),), 1)
    shift = beta if beta is not None else call.full("beta", (call.size(x, axis),), 0)
    return call.emit(
        "group_normalization", x, scale, shift, num_groups=groups, epsilon=float(call.number("epsilon", 1e-3)),
        data_format=_layout(rank, axis),
    )  # fmt: skip


@layer("UnitNormalization")
def _unit_normalization(call: Call) -> Value:
    x = call.floats(call.x)
    axes = call.integers("axis", None, -1)
    square = call.emit("mul", x, x, part="square")
    total = call.emit("reduce_sum", square, call.axes(*axes), part="sum", keepdims=1)
    least = call.emit("max", total, call.scalar(1e-12, x, "least"), part="max")
    return call.emit("div", x, call.emit("sqrt", least, part="sqrt"))


@layer("LayerScale")
def _layer_scale(call: Call) -> Value:
    x = call.floats(call.x)
    return call.emit("mul", x, call.weight("gamma", (call.integer("projection_dim"),)))
