"""Normalisation over trailing axes, over neighbouring channels, and by a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, AllAt
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_normalising import LAYER, LOCAL, LP, MEAN_VARIANCE, RMS
from mlvet.ops.index_map import AlongAxis
from mlvet.ops.normalisation import (
    FLAT,
    STASH,
    normalisation,
    scaled_jvp,
    standardised,
    standardised_jvp,
    wide,
)
from mlvet.ops.op import pure
from mlvet.ops.pointwise import Array
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample


def infer_layer_normalization(
    x: Tensor,
    scale: Tensor,
    b: Tensor | None = None,
    *,
    require: Require,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """The result is like x, then mean and inverse deviation, with 1 for the axes that they were taken over."""
    del epsilon
    at = require.axis(axis, x.rank)
    _require_fits(x, at, {"scale": scale, "shift": b}, require)
    statistic = Tensor(STASH.get(stash_type), x.dims[:at] + (1,) * (x.rank - at))
    return x.without_value(), statistic, statistic


def _require_fits(x: Tensor, at: int, parameters: dict[str, Tensor | None], require: Require) -> None:
    """Each parameter broadcasts to x."""
    for what, parameter in parameters.items():
        if parameter is None or not parameter.ranked:
            continue
        fits = require.holds(parameter.rank <= x.rank, f"{what} {parameter} must broadcast to {x}", rule="rank-differs")
        for mine, other in zip(reversed(x.dims), reversed(parameter.dims), strict=False):
            if fits and other != 1:
                because = f"{what} broadcasts to the dims from {at} on"
                require.equal(other, mine, because, rule="dims-differ")


def _layer_normalization(
    x: Array, scale: Array, b: Array | None = None, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[Array, Array, Array]:
    axes = tuple(range(axis % x.ndim, x.ndim))
    normal, mean, inverse = standardised(wide(x), axes, epsilon)
    y = normal * wide(scale) if b is None else normal * wide(scale) + wide(b)
    stash = STASH[stash_type].numpy
    return np.asarray(y).astype(x.dtype), mean.astype(stash), inverse.astype(stash)


def _layer_jvp(
    operands: Sequence[Any], directions: Sequence[Any], axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    del stash_type
    x, scale = operands[:2]
    axes = tuple(range(axis % x.ndim, x.ndim))
    normal, change = standardised(x, axes, epsilon)[0], standardised_jvp(x, directions[0], axes, epsilon)
    return scaled_jvp(normal, change, scale, directions[1], directions[2] if len(directions) > 2 else None)


def _layer_samples(draw: Draw) -> Sample:
    shape = draw.shape(1)
    axis = draw.integer(-len(shape), len(shape) - 1)
    inner = shape[axis % len(shape) :]
    shift = draw.array(inner) if draw.integer(0, 1) else None
    return Sample((draw.array(shape), draw.array(inner), shift), {"axis": axis, "epsilon": 1e-2})


layer_normalization = normalisation(
    "layer_normalization",
    infer_layer_normalization,
    _layer_normalization,
    _layer_jvp,
    _layer_samples,
    LAYER,
    FLAT,
    OVERFLOW,
)


def infer_rms_normalization(
    x: Tensor, scale: Tensor, *, require: Require, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    """The result is like x."""
    del epsilon, stash_type
    at = require.axis(axis, x.rank)
    _require_fits(x, at, {"scale": scale}, require)
    return x.without_value()


def _root_mean_square(x: Array, axis: int, epsilon: float) -> Any:
    axes = tuple(range(axis % x.ndim, x.ndim))
    return np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + x.dtype.type(epsilon))


def _rms_normalization(x: Array, scale: Array, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1) -> Array:
    del stash_type
    data = wide(x)
    return np.asarray(data / _root_mean_square(data, axis, epsilon) * wide(scale)).astype(x.dtype)


def _rms_jvp(
    operands: Sequence[Any], directions: Sequence[Any], axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    del stash_type
    x, scale = operands
    root = _root_mean_square(x, axis, epsilon)
    along = np.zeros_like(x) if directions[0] is None else directions[0]
    axes = tuple(range(axis % x.ndim, x.ndim))
    change = along / root - x * np.mean(x * along, axis=axes, keepdims=True) / root**3
    return scaled_jvp(x / root, change, scale, directions[1], None)


def _rms_samples(draw: Draw) -> Sample:
    sample = _layer_samples(draw)
    return Sample(sample.operands[:2], sample.attributes)


rms_normalization = normalisation(
    "rms_normalization", infer_rms_normalization, _rms_normalization, _rms_jvp, _rms_samples, RMS, FLAT, OVERFLOW
)


def infer_lrn(x: Tensor, *, require: Require, size: int, **_: Any) -> Tensor:
    """The result is like x."""
    require.holds(size > 0, f"the size {size} must be positive")
    if x.ranked:
        require.rank_at_least(x, 2, "data")
    return x.without_value()


def _neighbours(x: Array, size: int) -> Any:
    """The sum of each channel and its neighbours, `size` of them."""
    before, channels = (size - 1) // 2, x.shape[1]
    spans = [(max(0, c - before), min(channels, c - before + size)) for c in range(channels)]
    return np.stack([np.sum(x[:, low:high], axis=1) for low, high in spans], axis=1)


def _lrn(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> Array:
    data = wide(x)
    return np.asarray(data / (bias + alpha / size * _neighbours(data * data, size)) ** beta).astype(x.dtype)


def _lrn_jvp(
    operands: Sequence[Any],
    directions: Sequence[Any],
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    bias: float = 1.0,
) -> Any:
    x, along = operands[0], directions[0]
    base = bias + alpha / size * _neighbours(x * x, size)
    change = alpha / size * _neighbours(2 * x * along, size)
    return along / base**beta - beta * x * change / base ** (beta + 1)


lrn = normalisation(
    "lrn",
    infer_lrn,
    _lrn,
    _lrn_jvp,
    lambda draw: Sample((draw.array(draw.shape(2)),), {"size": draw.integer(1, 5), "alpha": 0.3}),
    LOCAL,
    OVERFLOW,
)


def infer_lp_normalization(x: Tensor, *, require: Require, axis: int = -1, p: int = 2) -> Tensor:
    """The result is like x."""
    require.holds(p in (1, 2), f"p is {p} but must be 1 or 2")
    if x.ranked:
        require.axis(axis, x.rank)
    return x.without_value()


def _norm(x: Array, axis: int, p: int) -> Any:
    return np.sum(np.abs(x), axis=axis, keepdims=True) if p == 1 else np.sqrt(np.sum(x * x, axis=axis, keepdims=True))


def _lp_normalization(x: Array, axis: int = -1, p: int = 2) -> Array:
    """A row whose norm is 0 stays 0."""
    data = wide(x)
    norm = _norm(data, axis, p)
    return np.where(norm == 0, 0, data / np.where(norm == 0, 1, norm)).astype(x.dtype)


def _lp_jvp(operands: Sequence[Any], directions: Sequence[Any], axis: int = -1, p: int = 2) -> Any:
    x, along = operands[0], directions[0]
    norm = _norm(x, axis, p)
    weights = np.sign(x) if p == 1 else x / norm
    return along / norm - x * np.sum(weights * along, axis=axis, keepdims=True) / (norm * norm)


def _lp_samples(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1), low=0.5)
    return Sample((x,), {"axis": draw.integer(-x.ndim, x.ndim - 1), "p": draw.integer(1, 2)})


lp_normalization = pure(
    "lp_normalization",
    infer_lp_normalization,
    _lp_normalization,
    _lp_samples,
    family="normalisation",
    numeric=LP,
    index_map=AlongAxis(),
    danger=(OVERFLOW, AllAt(0, rule="infinite-gradient", gradient=True)),
    derivative=Jvp(_lp_jvp),
)


def infer_mean_variance_normalization(x: Tensor, *, require: Require, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    """The result is like x, also where x lacks some of the axes: onnxruntime then goes by the channels."""
    return x.without_value()


TINY = 1e-9


def _mean_variance(x: Array, axes: Sequence[int]) -> tuple[Any, Any]:
    mean = np.mean(x, axis=tuple(axes), keepdims=True)
    return x - mean, np.sqrt(np.mean((x - mean) ** 2, axis=tuple(axes), keepdims=True))


def _mean_variance_normalization(x: Array, axes: Sequence[int] = (0, 2, 3)) -> Array:
    spread, deviation = _mean_variance(wide(x), axes)
    return np.asarray(spread / (deviation + TINY)).astype(x.dtype)


def _mean_variance_jvp(operands: Sequence[Any], directions: Sequence[Any], axes: Sequence[int] = (0, 2, 3)) -> Any:
    x, along = operands[0], directions[0]
    spread, deviation = _mean_variance(x, axes)
    centred = along - np.mean(along, axis=tuple(axes), keepdims=True)
    steepness = np.mean(spread * along, axis=tuple(axes), keepdims=True) / np.where(deviation == 0, 1, deviation)
    return centred / (deviation + TINY) - spread * steepness / (deviation + TINY) ** 2


mean_variance_normalization = normalisation(
    "mean_variance_normalization",
    infer_mean_variance_normalization,
    _mean_variance_normalization,
    _mean_variance_jvp,
    lambda draw: Sample((draw.array(draw.shape(4, 4, 2), distinct=True),)),
    MEAN_VARIANCE,
    OVERFLOW,
)
