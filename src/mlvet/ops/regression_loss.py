"""Losses that compare a prediction with a target element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.activations import logistic, softplus_of
from mlvet.ops.danger import OVERFLOW, Danger, Outside, Overflow
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_losses import BINARY, BINARY_OF_LOGITS, DIVERGENCE, HUBER, SMOOTH
from mlvet.ops.numeric import Composite, Numeric, Range
from mlvet.ops.op import Op, pure
from mlvet.ops.pointwise import Array, is_narrow
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

WAYS = ("none", "mean", "sum")


def reduced(loss: Any, reduction: str) -> Any:
    """All elements, or one number for them; `batchmean` divides their sum by the first dim."""
    match reduction:
        case "mean":
            return np.mean(loss)
        case "sum":
            return np.sum(loss)
        case "batchmean":
            return np.sum(loss) / (loss.shape[0] if np.ndim(loss) else 1)
        case _:
            return loss


def infer_loss(
    prediction: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    require: Require,
    reduction: str = "mean",
    **_: Any,
) -> Tensor:
    """The operands broadcast; the result has their shape, or none after a reduction."""
    dtype = require.same_dtype(prediction, target)
    given = [operand for operand in (prediction, target, weight) if operand is not None]
    shape = require.broadcast_tensors(*given)
    return Tensor(dtype, shape if reduction == "none" else ())


def _decomposed(of: Callable[..., Any]) -> Composite:
    """A decomposition from that of the elements."""

    def decompose(build: Any, prediction: Any, target: Any, reduction: str = "mean", **options: Any) -> Any:
        elements = of(build, prediction, target, **options)
        if reduction == "none":
            return elements
        return build.add(f"reduce_{reduction}", elements, None, keepdims=False)

    return Composite(decompose)


def loss(
    name: str,
    elements: Callable[..., Any],
    partials: Callable[..., Any],
    numeric: Numeric,
    samples: Callable[[Draw], tuple[tuple[Any, ...], dict[str, Any]]],
    *danger: Danger,
    ways: Sequence[str] = WAYS,
) -> Op:
    """A loss from its elements and their partial derivatives by prediction and target; a weight may scale them."""

    def reference(
        prediction: Array, target: Array, weight: Array | None = None, reduction: str = "mean", **options: Any
    ) -> Array:
        operands = [a.astype(np.float32) if is_narrow(a) else a for a in (prediction, target)]
        with np.errstate(all="ignore"):
            found = elements(*operands, **options)
            found = found if weight is None else found * weight
            return np.asarray(reduced(found, reduction)).astype(prediction.dtype)

    def jvp(operands: Sequence[Any], directions: Sequence[Any], reduction: str = "mean", **options: Any) -> Any:
        slopes = partials(*operands[:2], **options)
        weight = operands[2] if len(operands) > 2 and operands[2] is not None else 1.0
        changes = [
            slope * along * weight for slope, along in zip(slopes, directions, strict=False) if along is not None
        ]
        if len(directions) > 2 and directions[2] is not None:
            changes.append(elements(*operands[:2], **options) * directions[2])
        return reduced(np.asarray(sum(changes)), reduction)

    def drawn(draw: Draw) -> Sample:
        operands, attributes = samples(draw)
        return Sample(operands, {"reduction": draw.choice(list(ways)), **attributes})

    return pure(name, infer_loss, reference, drawn, family="loss", numeric=numeric, danger=danger, derivative=Jvp(jvp))


def _pair(low: float = -4, high: float = 4, target_low: float = -4, target_high: float = 4) -> Any:
    def samples(draw: Draw) -> tuple[tuple[Any, ...], dict[str, Any]]:
        shape = draw.shape()
        return (draw.array(shape, low=low, high=high), draw.array(shape, low=target_low, high=target_high)), {}

    return samples


def _weighted(low: float, high: float) -> Any:
    def samples(draw: Draw) -> tuple[tuple[Any, ...], dict[str, Any]]:
        shape = draw.shape()
        prediction, target = draw.array(shape, low=low, high=high), draw.array(shape, low=0, high=1)
        weight = draw.array(draw.broadcastable(shape), low=0.5, high=2) if draw.integer(0, 1) else None
        return (prediction, target, weight), {}

    return samples


def _mse_partials(a: Array, b: Array) -> tuple[Any, Any]:
    return 2 * (a - b), 2 * (b - a)


mse_loss = loss(
    "mse_loss",
    lambda a, b: (a - b) ** 2,
    _mse_partials,
    _decomposed(lambda build, a, b: build.add("squared_difference", a, b)),
    _pair(),
    OVERFLOW,
)
l1_loss = loss(
    "l1_loss",
    lambda a, b: np.abs(a - b),
    lambda a, b: (np.sign(a - b), np.sign(b - a)),
    _decomposed(lambda build, a, b: build.add("abs", build.add("sub", a, b))),
    _pair(),
    OVERFLOW,
)


def _huber(a: Array, b: Array, delta: float = 1.0) -> Any:
    far = np.abs(a - b)
    return np.where(far < delta, 0.5 * far * far, delta * (far - 0.5 * delta))


def _huber_partials(a: Array, b: Array, delta: float = 1.0) -> tuple[Any, Any]:
    slope = np.clip(a - b, -delta, delta)
    return slope, -slope


huber_loss = loss("huber_loss", _huber, _huber_partials, HUBER, _pair(), OVERFLOW)


def _smooth_l1(a: Array, b: Array, beta: float = 1.0) -> Any:
    return np.abs(a - b) if beta == 0 else _huber(a, b, beta) / beta


def _smooth_l1_partials(a: Array, b: Array, beta: float = 1.0) -> tuple[Any, Any]:
    slope = np.sign(a - b) if beta == 0 else np.clip(a - b, -beta, beta) / beta
    return slope, -slope


smooth_l1_loss = loss("smooth_l1_loss", _smooth_l1, _smooth_l1_partials, SMOOTH, _pair(), OVERFLOW)


def _binary_cross_entropy(p: Array, y: Array) -> Any:
    """Logarithms are kept above -100, as torch does, so that a certain but wrong prediction costs much, not all."""
    return -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100))


def _binary_partials(p: Array, y: Array) -> tuple[Any, Any]:
    """The slope has a divisor of at least 1e-12, as in torch."""
    return (p - y) / np.maximum(p * (1 - p), 1e-12), np.log1p(-p) - np.log(p)


binary_cross_entropy = loss(
    "binary_cross_entropy",
    _binary_cross_entropy,
    _binary_partials,
    BINARY,
    _weighted(0.05, 0.95),
    Outside(Range(0, 1), rule="log-of-nonpositive"),
    OVERFLOW,
)


def _logit_partials(x: Array, y: Array) -> tuple[Any, Any]:
    return logistic(x) - y, -x


binary_cross_entropy_with_logits = loss(
    "binary_cross_entropy_with_logits",
    lambda x, y: softplus_of(x) - x * y,
    _logit_partials,
    BINARY_OF_LOGITS,
    _weighted(-4, 4),
    OVERFLOW,
)


def _kl_div(log_p: Array, q: Array, log_target: bool = False) -> Any:
    if log_target:
        return np.exp(q) * (q - log_p)
    return np.where(q > 0, q * np.log(np.where(q > 0, q, 1)), 0) - q * log_p


def _kl_partials(log_p: Array, q: Array, log_target: bool = False) -> tuple[Any, Any]:
    if log_target:
        return -np.exp(q), np.exp(q) * (q - log_p + 1)
    return -q, np.log(q) + 1 - log_p


KL_OVERFLOW = Overflow("exp-overflow", operand=1, beyond_log_max=True)


def _kl_samples(draw: Draw) -> tuple[tuple[Any, ...], dict[str, Any]]:
    shape, log_target = draw.shape(1), bool(draw.integer(0, 1))
    bounds = (-4, 0) if log_target else (0.1, 1)
    target = draw.array(shape, low=bounds[0], high=bounds[1])
    return (draw.array(shape, low=-4, high=0), target), {"log_target": log_target}


kl_div = loss(
    "kl_div", _kl_div, _kl_partials, DIVERGENCE, _kl_samples, KL_OVERFLOW, OVERFLOW, ways=(*WAYS, "batchmean")
)
