"""Activation functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW, Outside
from mlvet.ops.derivative import Partials
from mlvet.ops.index_map import Elementwise
from mlvet.ops.numeric import NONNEGATIVE, ByMode, Composite, Monotone, Numeric, Piecewise, Range
from mlvet.ops.op import pure
from mlvet.ops.pointwise import Array, keeping_dtype, pointwise
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, Tensors
from mlvet.ops.special import erf_array, erfc_array

UNIT = Range(0, 1)
PROBABILITY = Range(0, 1, open_low=True, open_high=True)
LEAST_GELU = -0.7517915246935645
LEAST_GELU_TANH = -0.7524614220710163
LEAST_SILU = -1.2784645427610741
LEAST_MISH = -1.1924312145154954


def logistic(x: Array) -> Any:
    """1 / (1 + exp(-x)) without a large exponential, so that small results have as many digits as large ones."""
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1) / (1 + power)


def logistic_slope(x: Array) -> Any:
    return logistic(x) * logistic(-x)


def softplus_of(x: Array) -> Any:
    return np.logaddexp(x, np.zeros_like(x))


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of floats computed in float64, so that it is rounded once."""
    return lambda x, **attributes: function(x.astype(np.float64) if x.dtype.kind == "f" else x, **attributes)


def _with(low: float, high: float, *names: str) -> Any:
    """Samples of one operand with float attributes between low and high."""

    def samples(draw: Draw) -> Sample:
        x = draw.array(draw.shape())
        values = {name: float(draw.array((), low=low, high=high)) for name in names}
        return Sample((x,), values if draw.integer(0, 1) else {})

    return samples


def _constant_like(build: Any, number: float, x: Any) -> Any:
    return build.add("cast_like", build.constant("number", float(number)), x)


sigmoid = pointwise(
    "sigmoid", in_double(logistic), Monotone(image=UNIT), derivative=Partials(lambda x: (logistic_slope(x),))
)
log_sigmoid = pointwise(
    "log_sigmoid",
    lambda x: -softplus_of(-x),
    Monotone(image=Range(high=0)),
    derivative=Partials(lambda x: (logistic(-x),)),
)
hard_sigmoid = pointwise(
    "hard_sigmoid",
    in_double(lambda x, alpha=0.2, beta=0.5: np.clip(alpha * x + beta, 0, 1)),
    ByMode(lambda beta=0.5, **_: Piecewise((), image=UNIT, absolute=2 + 2 * abs(beta))),
    derivative=Partials(
        lambda x, alpha=0.2, beta=0.5: (alpha * ((alpha * x + beta > 0) & (alpha * x + beta < 1)).astype(x.dtype),)
    ),
    samples=_with(-0.5, 0.5, "alpha", "beta"),
)
relu = pointwise(
    "relu",
    lambda x: np.maximum(x, x.dtype.type(0)),
    Monotone(image=NONNEGATIVE),
    derivative=Partials(lambda x: ((x > 0).astype(x.dtype),)),
)
relu6 = pointwise(
    "relu6",
    lambda x: np.clip(x, 0, 6),
    Monotone(image=Range(0, 6)),
    derivative=Partials(lambda x: (((x > 0) & (x < 6)).astype(x.dtype),)),
    samples=Tensors(low=-3, high=9),
)
leaky_relu = pointwise(
    "leaky_relu",
    lambda x, alpha=0.01: np.where(x < 0, alpha * x, x),
    Piecewise((0.0,)),
    derivative=Partials(lambda x, alpha=0.01: (np.where(x < 0, alpha, 1.0),)),
    samples=_with(-1, 1, "alpha"),
)
elu = pointwise(
    "elu",
    lambda x, alpha=1.0: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x),
    Piecewise((0.0,)),
    derivative=Partials(lambda x, alpha=1.0: (np.where(x < 0, alpha * np.exp(np.minimum(x, 0)), 1.0),)),
    samples=_with(-2, 2, "alpha"),
)
celu = pointwise(
    "celu",
    lambda x, alpha=1.0: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    Monotone(),
    derivative=Partials(lambda x, alpha=1.0: (np.where(x < 0, np.exp(np.minimum(x, 0) / alpha), 1.0),)),
    samples=_with(0.2, 2, "alpha"),
)
SELU_ALPHA = 1.6732632423543772
SELU_GAMMA = 1.0507009873554805
selu = pointwise(
    "selu",
    lambda x, alpha=SELU_ALPHA, gamma=SELU_GAMMA: gamma * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    Piecewise((0.0,)),
    danger=[OVERFLOW],
    derivative=Partials(
        lambda x, alpha=SELU_ALPHA, gamma=SELU_GAMMA: (gamma * np.where(x > 0, 1.0, alpha * np.exp(np.minimum(x, 0))),)
    ),
    samples=_with(0.2, 2, "alpha", "gamma"),
)
softplus = pointwise(
    "softplus", softplus_of, Monotone(image=NONNEGATIVE), derivative=Partials(lambda x: (logistic(x),))
)
softsign = pointwise(
    "softsign",
    lambda x: x / (1 + np.abs(x)),
    Monotone(image=Range(-1, 1)),
    derivative=Partials(lambda x: (1 / (1 + np.abs(x)) ** 2,)),
)


def _mish_slope(x: Array) -> Any:
    gate = np.tanh(softplus_of(x))
    return gate + x * (1 - gate * gate) * logistic(x)


mish = pointwise(
    "mish",
    in_double(lambda x: x * np.tanh(softplus_of(x))),
    Piecewise((LEAST_MISH,), image=Range(low=-0.30884342), absolute=1),
    derivative=Partials(lambda x: (_mish_slope(x),)),
)
silu = pointwise(
    "silu",
    in_double(lambda x: x * logistic(x)),
    Piecewise((LEAST_SILU,), image=Range(low=-0.27846455), absolute=1),
    derivative=Partials(lambda x: (logistic(x) + x * logistic_slope(x),)),
)


def kind_of_swish(alpha: float = 1.0) -> Numeric:
    """silu(alpha * x) / alpha; what rounding alpha changes is small besides 1 / alpha."""
    if alpha == 0:
        return Monotone()
    least = -0.27846455 / alpha
    image = Range(low=least) if alpha > 0 else Range(high=least)
    return Piecewise((LEAST_SILU / alpha,), image=image, absolute=1 + 2 / abs(alpha))


swish = pointwise(
    "swish",
    in_double(lambda x, alpha=1.0: x * logistic(alpha * x)),
    ByMode(kind_of_swish),
    derivative=Partials(lambda x, alpha=1.0: (logistic(alpha * x) + alpha * x * logistic_slope(alpha * x),)),
    samples=_with(-2, 2, "alpha"),
)
hard_swish = pointwise(
    "hard_swish",
    in_double(lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    Piecewise((-3.0, -1.5), image=Range(low=-0.375), absolute=4),
    derivative=Partials(lambda x: (np.where(x <= -3, 0.0, np.where(x >= 3, 1.0, x / 3 + 0.5)),)),
    samples=Tensors(low=-5, high=5),
)


def _gelu(x: Array, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return x * logistic(2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    return 0.5 * x * erfc_array(-x / np.sqrt(2.0))


def _gelu_slope(x: Array, approximate: str = "none") -> Any:
    if approximate == "tanh":
        inner = 2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
        return logistic(inner) + x * logistic_slope(inner) * 2 * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x * x)
    return 0.5 * (1 + erf_array(x / np.sqrt(2.0))) + x * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


gelu = pointwise(
    "gelu",
    in_double(_gelu),
    Piecewise((LEAST_GELU_TANH, LEAST_GELU), image=Range(low=-0.1700408), absolute=4),
    derivative=Partials(lambda x, approximate="none": (_gelu_slope(x, approximate),)),
    samples=lambda draw: Sample((draw.array(draw.shape()),), {"approximate": draw.choice(["none", "tanh"])}),
)


def _logit(x: Array, eps: float | None = None) -> Any:
    x = x if eps is None else np.clip(x, eps, 1 - eps)
    near = np.abs(x - 0.5) < 0.25
    return np.where(near, np.log1p(np.where(near, (2 * x - 1) / (1 - x), 0)), np.log(x / (1 - x)))


logit = pointwise(
    "logit",
    in_double(_logit),
    Monotone(domain=PROBABILITY, absolute=4),
    danger=[Outside(PROBABILITY, rule="log-of-nonpositive")],
    derivative=Partials(lambda x, eps=None: (np.where((x > (eps or 0)) & (x < 1 - (eps or 0)), 1 / (x * (1 - x)), 0),)),
    samples=lambda draw: Sample(
        (draw.array(draw.shape(), low=0.05, high=0.95),), {"eps": 0.1} if draw.integer(0, 1) else {}
    ),
)


def _decompose_shrink(build: Any, x: Any, bias: float = 0.0, lambd: float = 0.5) -> Any:
    edge, shift = _constant_like(build, lambd, x), _constant_like(build, bias, x)
    above = build.add("where", build.add("greater", x, edge), build.add("sub", x, shift), _constant_like(build, 0, x))
    below = build.add("less", x, build.add("neg", edge))
    return build.add("where", below, build.add("add", x, shift), above)


shrink = pointwise(
    "shrink",
    lambda x, bias=0.0, lambd=0.5: np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)),
    Composite(_decompose_shrink),
    derivative=Partials(lambda x, lambd=0.5, **_: ((np.abs(x) > lambd).astype(x.dtype),)),
    samples=_with(0.1, 2, "bias", "lambd"),
)
thresholded_relu = pointwise(
    "thresholded_relu",
    lambda x, alpha=1.0: np.where(x > alpha, x, 0),
    Composite(
        lambda build, x, alpha=1.0: build.add(
            "where", build.add("greater", x, _constant_like(build, alpha, x)), x, _constant_like(build, 0, x)
        )
    ),
    derivative=Partials(lambda x, alpha=1.0: ((x > alpha).astype(x.dtype),)),
    samples=_with(-1, 2, "alpha"),
)


def infer_prelu(x: Tensor, slope: Tensor, *, require: Require) -> Tensor:
    """The result is like x; the slope broadcasts to it."""
    dtype = require.same_dtype(x, slope)
    if x.ranked and slope.ranked:
        for mine, other in zip(reversed(x.dims), reversed(slope.dims), strict=False):
            if other != 1:
                require.broadcast((mine,), (other,))
        require.holds(slope.rank <= x.rank, f"slope {slope} must broadcast to {x}", rule="broadcast-mismatch")
    return Tensor(dtype, x.shape)


prelu = pure(
    "prelu",
    infer_prelu,
    keeping_dtype(lambda x, slope: np.where(x < 0, x * slope, x)),
    lambda draw: Sample((draw.array(shape := draw.shape()), draw.array(draw.broadcastable(shape)))),
    family="pointwise",
    numeric=Composite(
        lambda build, x, slope: build.add(
            "where", build.add("less", x, _constant_like(build, 0, x)), build.add("mul", x, slope), x
        )
    ),
    index_map=Elementwise(),
    danger=(OVERFLOW,),
    derivative=Partials(lambda x, slope: (np.where(x < 0, slope, 1.0), np.where(x < 0, x, 0.0))),
)


def infer_swiglu(gate: Tensor, x: Tensor, *, require: Require, alpha: float = 1.0) -> Tensor:
    """Gate and data have one shape, which is the result's."""
    del alpha
    dtype = require.same_dtype(gate, x)
    if not x.ranked or not gate.ranked:
        return Tensor(dtype, gate.shape if gate.ranked else x.shape)
    if require.rank(x, gate.rank, "data"):
        for mine, other in zip(gate.dims, x.dims, strict=True):
            require.equal(other, mine, "gate and data have one shape")
    return Tensor(dtype, gate.shape)


def _gated(gate: Array, x: Array, alpha: float = 1.0) -> Any:
    return gate * logistic(alpha * gate) * x


def _gated_partials(gate: Array, x: Array, alpha: float = 1.0) -> tuple[Any, Any]:
    slope = logistic(alpha * gate) + alpha * gate * logistic_slope(alpha * gate)
    return slope * x, gate * logistic(alpha * gate)


swiglu = pure(
    "swiglu",
    infer_swiglu,
    keeping_dtype(_gated),
    lambda draw: Sample(
        (draw.array(shape := draw.shape()), draw.array(shape)), {"alpha": draw.choice([1.0, 0.5, 1.702])}
    ),
    family="pointwise",
    numeric=Composite(lambda build, gate, x, alpha=1.0: build.add("mul", build.add("swish", gate, alpha=alpha), x)),
    index_map=Elementwise(),
    danger=(OVERFLOW,),
    derivative=Partials(_gated_partials),
)
