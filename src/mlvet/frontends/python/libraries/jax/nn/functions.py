"""Activations, softmax, attention and encodings of jax.nn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.arrays.shaping import chunks, swapped
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    canonical,
    cast_to,
    inexact,
    marked,
    together,
)  # fmt: skip
from mlvet.frontends.python.libraries.limits import not_negative
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of

PLAIN = {
    "relu": "relu", "relu6": "relu6", "identity": "identity",
}  # fmt: skip
FLOATS = {
    "silu": "silu", "swish": "silu", "softplus": "softplus", "soft_sign": "softsign", "sigmoid": "sigmoid",
    "log_sigmoid": "log_sigmoid", "selu": "selu", "hard_sigmoid": "hard_sigmoid", "hard_silu": "hard_swish",
    "hard_swish": "hard_swish", "tanh": "tanh", "mish": "mish",
}  # fmt: skip


def _plain(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike) -> Tensor:
        return marked(emit(op, x), x)

    return function


def _floats(op: str) -> Callable[..., Any]:
    def function(x: ArrayLike) -> Tensor:
        known = dtype_of(x)
        if op in ("sigmoid", "silu"):
            demand(known is None or known.is_float, f"{op} takes floats, not {known}", "dtype-differs")
        return marked(emit(op, inexact(x)), x)

    return function


for _name, _op in PLAIN.items():
    model(f"jax.nn.{_name}")(_plain(_op))
for _name, _op in FLOATS.items():
    model(f"jax.nn.{_name}")(_floats(_op))


@model("jax.nn.hard_tanh")
def hard_tanh(x: ArrayLike) -> Tensor:
    return emit("clip", x, cast_to(as_jax(-1), dtype_of(x)), cast_to(as_jax(1), dtype_of(x)))


@model("jax.nn.gelu")
def gelu(x: ArrayLike, approximate: bool = True) -> Tensor:
    return emit("gelu", inexact(x), approximate="tanh" if approximate else "none")


@model("jax.nn.leaky_relu")
def leaky_relu(x: ArrayLike, negative_slope: Any = 1e-2) -> Tensor:
    slope = negative_slope if isinstance(negative_slope, int | float) else 0.01
    return emit("leaky_relu", inexact(x), alpha=float(slope))


@model("jax.nn.elu")
def elu(x: ArrayLike, alpha: Any = 1.0) -> Tensor:
    return emit("elu", inexact(x), alpha=float(alpha) if isinstance(alpha, int | float) else 1.0)


@model("jax.nn.celu")
def celu(x: ArrayLike, alpha: Any = 1.0) -> Tensor:
    return emit("celu", inexact(x), alpha=float(alpha) if isinstance(alpha, int | float) else 1.0)


@model("jax.nn.squareplus", "jax.nn.sparse_plus", "jax.nn.sparse_sigmoid", "jax.nn.log1mexp")
def squareplus(x: ArrayLike, b: Any = 4) -> Tensor:
    return opaque("squareplus", [x], tensor_of(inexact(x)).without_value(), Array)


@model("jax.nn.glu")
def glu(x: ArrayLike, axis: int = -1) -> Tensor:
    """One half times the sigmoid of the other."""
    dims = dims_of(x)
    if dims is not None and -len(dims) <= axis < len(dims) and isinstance(dims[axis], int):
        demand(dims[axis] % 2 == 0, f"glu halves dim {axis} of {tensor_of(x)}", "not-divisible")
    left, right = chunks(inexact(x), 2, axis)
    return emit("mul", left, emit("sigmoid", right))


def _along(op: str, x: Any, axis: Any) -> Any:
    """Softmax along one axis, or along several at once."""
    named = axes_named(axis)
    if named is not None and len(named) == 1:
        return emit(op, inexact(x), axis=named[0])
    x = inexact(x)
    top = reduced("reduce_log_sum_exp", x, named, True)
    shifted = emit("sub", x, top)
    return shifted if op == "log_softmax" else emit("exp", shifted)


@model("jax.nn.softmax")
def softmax(x: ArrayLike, axis: Any = -1, where: Any = None, initial: Any = None) -> Tensor:
    return _along("softmax", x, axis)


@model("jax.nn.log_softmax")
def log_softmax(x: ArrayLike, axis: Any = -1, where: Any = None, initial: Any = None) -> Tensor:
    return _along("log_softmax", x, axis)


@model("jax.nn.logmeanexp")
def logmeanexp(x: ArrayLike, axis: Any = None, where: Any = None, keepdims: bool = False) -> Tensor:
    total = reduced("reduce_log_sum_exp", inexact(x), axes_named(axis), keepdims)
    return opaque("logmeanexp", [x], tensor_of(total).without_value(), Array)


@model("jax.nn.standardize", "jax.nn.normalize", "flax.linen.normalize")
def standardize(
    x: ArrayLike,
    axis: Any = -1,
    mean: Any = None,
    variance: Any = None,
    epsilon: Number = 1e-5,
    where: Any = None,
    **_: Any,
) -> Tensor:
    x = inexact(x)
    named = axes_named(axis)
    middle = as_jax(mean) if mean is not None else reduced("reduce_mean", x, named, True)
    spread = as_jax(variance) if variance is not None else reduced("reduce_variance", x, named, True)
    tiny = cast_to(as_jax(epsilon), dtype_of(spread))
    return emit("mul", emit("sub", x, middle), emit("rsqrt", emit("add", spread, tiny)))


@model("jax.nn.one_hot")
def one_hot(x: Any, num_classes: Size, *, dtype: DType | None = None, axis: Any = -1) -> Tensor:
    x = as_jax(x)
    to = canonical(dtype) or dtypes.f32
    dims = dims_of(x)
    not_negative("num_classes", num_classes)
    if dims is not None and isinstance(axis, int):
        at = axis % (len(dims) + 1)
        return opaque("one_hot", [x], Known(to, (*dims[:at], num_classes, *dims[at:])), Array)
    values = emit("cast", (0, 1), to=to, kind=Array)
    return emit("one_hot", x, num_classes, values, axis=axis)


@model("jax.nn.dot_product_attention")
def dot_product_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, bias: Any = None, mask: Any = None, *, scale: Any = None,
    is_causal: bool = False, query_seq_lengths: Any = None, key_value_seq_lengths: Any = None,
    local_window_size: Any = None, implementation: Any = None, return_residual: bool = False,
) -> Tensor:  # fmt: skip
    """[batch, length, heads, size] attends; key heads may be fewer, each shared by a group of query heads."""
    q, k, v = together(query, key, value)
    heads, shared = dims_of(q), dims_of(k)
    if heads is not None and shared is not None and len(heads) == len(shared) >= 3 and heads[-2] != shared[-2]:
        times = floor_div(heads[-2], shared[-2])
        k, v = (emit("repeat_interleave", each, (times,), axis=len(shared) - 2) for each in (k, v))
    turned = [swapped(each, -3, -2) for each in (q, k, v)]
    made = emit("scaled_dot_product_attention", *turned, None, is_causal=is_causal)
    return swapped(made, -3, -2)
