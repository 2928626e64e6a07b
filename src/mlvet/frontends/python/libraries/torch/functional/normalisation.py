"""Normalisation of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, modulo
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, emit_all
from mlvet.frontends.python.libraries.binding import Number, Size, Sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import axis_of, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import wants_floats
from mlvet.frontends.python.libraries.torch.reductions import length
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _share(value: Any, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default


def _filled(given: Any, number: float, like: TensorValue, sizes: Sizes) -> Any:
    """A scale or offset; a missing one is 1 or 0 everywhere."""
    return given if given is not None else full(sizes, number, dtype_of(like) or dtypes.f32, Tensor)


def _channels(x: TensorValue, what: str) -> Dim:
    dims = ranked_dims(x)
    demand(len(dims) >= 2, f"{what} needs a tensor of at least 2 dims, but gets {len(dims)}", "rank-differs")
    if len(dims) < 2:
        raise Undecided(Reason.EXCEPTION, what)
    return dims[1]


@model("torch.nn.functional.batch_norm")
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: Number = 0.1, eps: Number = 1e-05,
) -> Tensor:  # fmt: skip
    """Torch's momentum is the share of the new statistics, the operator's that of the old."""
    wants_floats(input, "batch_norm")
    sizes = (_channels(input, "batch_norm"),)
    demand(training or running_mean is not None, "batch_norm needs running statistics unless it trains")
    scale, offset = _filled(weight, 1, input, sizes), _filled(bias, 0, input, sizes)
    mean, variance = _filled(running_mean, 0, input, sizes), _filled(running_var, 1, input, sizes)
    figures = {"epsilon": _share(eps, 1e-5), "momentum": 1 - _share(momentum, 0.1)}
    if not training:
        return made("batch_normalization", input, scale, offset, mean, variance, **figures)
    found = emit_all("batch_normalization", input, scale, offset, mean, variance, count=3, training_mode=1, kind=Tensor,
        **figures)  # fmt: skip
    for old, new in ((running_mean, found[1]), (running_var, found[2])):
        if old is not None:
            become(old, new)
    result: Tensor = found[0]
    return result


@model("torch.nn.functional.instance_norm")
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
    bias: Tensor | None = None, use_input_stats: bool = True, momentum: Number = 0.1, eps: Number = 1e-05,
) -> Tensor:  # fmt: skip
    wants_floats(input, "instance_norm")
    sizes = (_channels(input, "instance_norm"),)
    scale, offset = _filled(weight, 1, input, sizes), _filled(bias, 0, input, sizes)
    return made("instance_normalization", input, scale, offset, epsilon=_share(eps, 1e-5))


@model("torch.nn.functional.layer_norm", "torch.layer_norm")
def layer_norm(
    input: Tensor,
    normalized_shape: Sizes,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: Number = 1e-05,
) -> Tensor:
    wants_floats(input, "layer_norm")
    _ends_with(input, normalized_shape, weight, bias)
    scale = _filled(weight, 1, input, normalized_shape)
    return made("layer_normalization", input, scale, bias, axis=-len(normalized_shape), epsilon=_share(eps, 1e-5))


@model("torch.nn.functional.rms_norm", "torch.rms_norm")
def rms_norm(input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, eps: Number | None = None) -> Tensor:
    wants_floats(input, "rms_norm")
    _ends_with(input, normalized_shape, weight)
    known = dtype_of(input)
    epsilon = _share(eps, known.epsilon if known is not None and known.is_float else 1.2e-7)
    scale = _filled(weight, 1, input, normalized_shape)
    return made("rms_normalization", input, scale, axis=-len(normalized_shape), epsilon=epsilon)


def _ends_with(x: TensorValue, sizes: Sizes, *parameters: TensorValue | None) -> None:
    """The last dims of the operand must be the sizes that are normalised, and so must scale and offset be."""
    dims = dims_of(x)
    demand(len(sizes) > 0, "at least one size must be normalised")
    ends = dims[-len(sizes) :] if dims is not None and sizes else dims
    tails = [ends, *(None if parameter is None else dims_of(parameter) for parameter in parameters)]
    for tail in tails:
        if tail is not None:
            fits = len(tail) == len(sizes) and not any(equal(a, b) is False for a, b in zip(tail, sizes, strict=True))
            demand(fits, f"sizes {sizes} are normalised, but the operand ends with {tail}", "dims-differ")


@model("torch.nn.functional.group_norm", "torch.group_norm")
def group_norm(
    input: Tensor, num_groups: Size, weight: Tensor | None = None, bias: Tensor | None = None, eps: Number = 1e-05,
    cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    wants_floats(input, "group_norm")
    sizes = (_channels(input, "group_norm"),)
    demand(equal(modulo(sizes[0], num_groups), 0), f"{sizes[0]} channels are not divisible into {num_groups} groups",
        "not-divisible")  # fmt: skip
    scale, offset = _filled(weight, 1, input, sizes), _filled(bias, 0, input, sizes)
    if not isinstance(num_groups, int):
        num_groups = 1
    return made("group_normalization", input, scale, offset, num_groups=num_groups, epsilon=_share(eps, 1e-5))


@model("torch.nn.functional.local_response_norm")
def local_response_norm(
    input: Tensor, size: Size, alpha: Number = 1e-4, beta: Number = 0.75, k: Number = 1.0
) -> Tensor:
    count = rank_of(input)
    demand(count is None or count >= 3, f"local_response_norm needs at least 3 dims, but gets {count}", "rank-differs")
    figures = {"alpha": _share(alpha, 1e-4), "beta": _share(beta, 0.75), "bias": _share(k, 1.0)}
    return made("lrn", input, size=size if isinstance(size, int) else 1, **figures)


@model("torch.nn.functional.normalize")
def normalize(input: Tensor, p: Number = 2.0, dim: Any = 1, eps: Number = 1e-12, out: Any = None) -> Tensor:
    norm = length(input, p, dim, True)
    return combined("div", input, combined("max", norm, _share(eps, 1e-12)))


@model("torch.nn.functional.cosine_similarity", "torch.cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: Any = 1, eps: Number = 1e-8) -> Tensor:
    """The sum of products over the product of norms, each of which is at least eps."""
    wants_floats(x1, "cosine_similarity")
    product = combined("mul", normalize(x1, 2.0, dim, eps), normalize(x2, 2.0, dim, eps))
    return made("reduce_sum", product, (axis_of(dim),), keepdims=0)


@model("torch.nn.functional.pairwise_distance", "torch.pairwise_distance")
def pairwise_distance(x1: Tensor, x2: Tensor, p: Number = 2.0, eps: Number = 1e-6, keepdim: bool = False) -> Tensor:
    gap = combined("add", combined("sub", x1, x2), _share(eps, 1e-6))
    return length(gap, p, -1, keepdim)


@model("torch.nn.functional.pdist", "torch.pdist")
def pdist(input: Tensor, p: Number = 2.0) -> Tensor:
    from mlvet.domains.tensors import Tensor as Type
    from mlvet.frontends.python.emission import opaque

    dims = ranked_dims(input)
    demand(len(dims) == 2, "pdist needs a tensor of 2 dims", "rank-differs")
    return opaque("pdist", [input], Type(dtype_of(input), (dims[0] * (dims[0] - 1) // 2,)), Tensor)
