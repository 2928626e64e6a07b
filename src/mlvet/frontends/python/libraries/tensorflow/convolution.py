"""Convolutions, pools and normalisation of tf.nn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit_all
from mlvet.frontends.python.libraries.binding import ArrayLike, as_items
from mlvet.frontends.python.libraries.limits import one_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import chosen, sizes_of
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, alongside, convert, matched, op_of, quotient
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_NAMES = {1: ("batch", "steps", "channels"), 2: ("batch", "height", "width", "channels")}


def spatial(value: Any, dims: int, data_format: str) -> tuple[int, ...]:
    """One number per dim of space, of one number, of one per dim of space, or of one per dim."""
    if value is None:
        return (1,) * dims
    numbers = as_items(value) if isinstance(value, tuple | list | ListValue) else (value,)
    if not all(isinstance(number, int) for number in numbers):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "strides that are not known")
    if len(numbers) == 1:
        return tuple(numbers) * dims
    if len(numbers) == dims:
        return tuple(numbers)
    if len(numbers) != dims + 2:
        demand(False, f"{len(numbers)} numbers are given, 1, {dims} or {dims + 2} are wanted", "illegal-argument")
        raise Undecided(Reason.EXCEPTION, "strides")
    return tuple(number for number, letter in zip(numbers, data_format, strict=True) if letter not in "NC")


def padding_of(padding: Any, data_format: str) -> dict[str, Any]:
    """SAME, VALID, or pairs of widths for all dims."""
    if isinstance(padding, str):
        demand(padding.upper() in ("SAME", "VALID"), f"padding is SAME or VALID, not {padding}", "illegal-argument")
        return {"auto_pad": "SAME_UPPER" if padding.upper() == "SAME" else "VALID"}
    pairs = [sizes_of(pair) for pair in as_items(padding)]
    if len(pairs) != len(data_format) or any(len(pair) != 2 for pair in pairs):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "padding")
    inner = [pair for pair, letter in zip(pairs, data_format, strict=True) if letter not in "NC"]
    return {"pads": (*(pair[0] for pair in inner), *(pair[1] for pair in inner))}


def images(x: Any, dims: int, data_format: str) -> Tensor:
    """A batch of signals, images or volumes."""
    made = convert(x)
    names = _NAMES.get(dims, ("batch", "depth", "height", "width", "channels"))
    if data_format.startswith("NC"):
        names = (names[0], names[-1], *names[1:-1])
    demand(rank_of(made) in (dims + 2, None), f"{dims + 2} dims are wanted, not {rank_of(made)}", "rank-differs")
    found: Tensor = assumed(made, dims + 2, *names)
    return found


def convolved(
    x: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, dims: int, **rest: Any
) -> Tensor:
    last = _FORMATS[dims]
    layout = data_format if isinstance(data_format, str) else last
    layout = {"NHWC": "NWC", "NCHW": "NCW"}.get(layout, layout) if dims == 1 else layout
    one_of("data_format", layout, (last, f"NC{last[1:-1]}"))
    signal, kernel = matched(x, filters)
    return op_of(
        "conv", images(signal, dims, layout), kernel, strides=spatial(strides, dims, layout),
        dilations=spatial(dilations, dims, layout), data_format=layout,
        **{"kernel_format": _FORMATS[dims].strip("NC") + "IO", "group": 0, **rest}, **padding_of(padding, layout),
    )  # fmt: skip


@model("tensorflow.nn.conv2d")
def conv2d(
    input: Any,
    filters: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: Any = None,
    filter: Any = None,
    use_cudnn_on_gpu: Any = None,
) -> Tensor:
    del name, use_cudnn_on_gpu
    return convolved(input, chosen(filters, filter), strides, padding, data_format, dilations, 2)


@model("tensorflow.nn.conv1d")
def conv1d(
    input: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: Any = None,
    value: Any = None,
    use_cudnn_on_gpu: Any = None,
) -> Tensor:
    del name, use_cudnn_on_gpu
    return convolved(chosen(input, value), filters, stride, padding, data_format, dilations, 1)


@model("tensorflow.nn.conv3d")
def conv3d(
    input: Any,
    filters: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: Any = None,
    filter: Any = None,
) -> Tensor:
    del name
    return convolved(input, chosen(filters, filter), strides, padding, data_format, dilations, 3)


@model("tensorflow.nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
    **old: Any,
) -> Tensor:
    del name
    x = convert(input)
    dims = (rank_of(x) or 4) - 2
    rates = chosen(dilations, old.get("dilation_rate"))
    return convolved(x, filters, strides, padding, data_format, rates, dims)


@model("tensorflow.nn.depthwise_conv2d", "tensorflow.compat.v1.nn.depthwise_conv2d_native")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: Any = None,
    rate: Any = None,
) -> Tensor:
    del name
    rates = chosen(dilations, rate)
    return convolved(input, filter, strides, padding, data_format, rates, 2, kernel_format="HWCM", group=1)


@model("tensorflow.nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: Any = None,
    rate: Any = None,
) -> Tensor:
    del name
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations, None, rate)
    return convolved(deep, pointwise_filter, 1, "VALID", data_format, None, 2)


@model("tensorflow.nn.atrous_conv2d")
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: Any = None) -> Tensor:
    del name
    return convolved(value, filters, 1, padding, "NHWC", rate, 2)


def _transposed(dims: int) -> Callable[..., Any]:
    def function(
        input: Any = None,
        filters: Any = None,
        output_shape: Any = None,
        strides: Any = None,
        padding: Any = "SAME",
        data_format: Any = _FORMATS[dims],
        dilations: Any = None,
        name: Any = None,
        value: Any = None,
        filter: Any = None,
    ) -> Tensor:
        del name
        x, kernel = matched(chosen(input, value), chosen(filters, filter))
        layout = data_format if isinstance(data_format, str) else _FORMATS[dims]
        return op_of(
            "conv_transpose_to", images(x, dims, layout), kernel, sizes_of(output_shape),
            strides=spatial(strides, dims, layout), dilations=spatial(dilations, dims, layout), data_format=layout,
            kernel_format=_FORMATS[dims].strip("NC") + "OI", **padding_of(padding, layout),
        )  # fmt: skip

    return function


model("tensorflow.nn.conv2d_transpose")(_transposed(2))
model("tensorflow.nn.conv3d_transpose")(_transposed(3))
model("tensorflow.nn.conv1d_transpose")(_transposed(1))


def pooled(op: str, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, dims: int) -> Tensor:
    layout = data_format if isinstance(data_format, str) else _FORMATS[dims]
    if layout == "NCHW_VECT_C":
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, layout)
    made: Tensor = emit_all(
        op, images(x, dims, layout), count=1, kind=Tensor, kernel_shape=spatial(ksize, dims, layout),
        strides=spatial(strides, dims, layout), data_format=layout, **padding_of(padding, layout),
    )[0]  # fmt: skip
    return made


def _pool(op: str, dims: int) -> Callable[..., Any]:
    def function(
        input: Any = None,
        ksize: Any = None,
        strides: Any = None,
        padding: Any = None,
        data_format: Any = None,
        name: Any = None,
        value: Any = None,
    ) -> Tensor:
        del name
        return pooled(op, chosen(input, value), ksize, strides, padding, data_format, dims)

    return function


for _dims in (1, 2, 3):
    model(f"tensorflow.nn.max_pool{_dims}d")(_pool("max_pool", _dims))
    model(f"tensorflow.nn.avg_pool{_dims}d")(_pool("average_pool", _dims))


def _pool_any(op: str) -> Callable[..., Any]:
    def function(
        input: Any = None,
        ksize: Any = None,
        strides: Any = None,
        padding: Any = None,
        data_format: Any = None,
        name: Any = None,
        value: Any = None,
    ) -> Tensor:
        del name
        x = convert(chosen(input, value))
        return pooled(op, x, ksize, strides, padding, data_format, (rank_of(x) or 4) - 2)

    return function


model("tensorflow.nn.max_pool")(_pool_any("max_pool"))
model("tensorflow.nn.avg_pool")(_pool_any("average_pool"))


@model("tensorflow.nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> Tensor:
    del dilations, name
    x = convert(input)
    op = "max_pool" if pooling_type == "MAX" else "average_pool"
    return pooled(op, x, window_shape, strides, padding, data_format, (rank_of(x) or 4) - 2)


@model("tensorflow.nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> Tensor:
    del name
    x, add = matched(value, bias)
    demand(rank_of(add) in (1, None), "the bias has one dim", "rank-differs")
    rank = rank_of(x)
    if isinstance(data_format, str) and data_format.startswith("NC") and rank is not None:
        return op_of("add", x, op_of("reshape", add, (-1, *(1 for _ in range(rank - 2)))))
    sizes, own = dims_of(add), dims_of(x)
    if sizes and own and isinstance(sizes[0], int) and isinstance(own[-1], int):
        demand(sizes[0] == own[-1], f"a bias of {sizes[0]} for {own[-1]} channels", "dims-differ")
    return op_of("add", x, add)


@model("tensorflow.nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: Any = None
) -> Tensor:
    del name
    made = convert(x)
    inverse = op_of("rsqrt", op_of("add", *matched(alongside(variance, made), variance_epsilon)))
    if scale is not None:
        inverse = op_of("mul", inverse, alongside(scale, made))
    normal = op_of("mul", op_of("sub", made, alongside(mean, made)), inverse)
    return normal if offset is None else op_of("add", normal, alongside(offset, made))


@model("tensorflow.compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: Any = 0.001,
    data_format: Any = "NHWC", is_training: Any = True, name: Any = None, exponential_avg_factor: Any = 1.0,
) -> Any:  # fmt: skip
    del epsilon, name, exponential_avg_factor, is_training
    made, gain, shift = matched(x, scale, offset)
    first = chosen(mean, None)
    known = op_of("zeros_like", gain) if first is None else convert(first)
    spread = op_of("ones_like", gain) if variance is None else convert(variance)
    normal = op_of("batch_normalization", made, gain, shift, known, spread, data_format=data_format)
    return normal, known, spread


@model("tensorflow.nn.local_response_normalization", "tensorflow.nn.lrn")
def local_response_normalization(
    input: ArrayLike, depth_radius: Any = 5, bias: Any = 1, alpha: Any = 1, beta: Any = 0.5, name: Any = None
) -> Tensor:
    del name
    size = 2 * (depth_radius if isinstance(depth_radius, int) else 5) + 1
    forward = op_of("transpose", images(input, 2, "NHWC"), perm=(0, 3, 1, 2))
    figures = {key: float(each) for key, each in (("bias", bias), ("beta", beta)) if isinstance(each, int | float)}
    scale = float(alpha) * size if isinstance(alpha, int | float) else 1.0
    return op_of("transpose", op_of("lrn", forward, size=size, alpha=scale, **figures), perm=(0, 2, 3, 1))


@model("tensorflow.nn.dropout")
def dropout(
    x: Any, rate: Any = None, noise_shape: Any = None, seed: Any = None, name: Any = None, keep_prob: Any = None
) -> Tensor:
    """Older programs give the probability to keep an element; shapes do not care."""
    del noise_shape, seed, name
    if rate is None and _is_number(keep_prob):
        rate = 1.0 - keep_prob if isinstance(keep_prob, float | int) else op_of("sub", 1.0, keep_prob)
    ratio = (float(rate) if isinstance(rate, float | int) else rate) if _is_number(rate) else 0.5
    made: Tensor = emit_all("dropout", convert(x), ratio, True, count=1, kind=Tensor)[0]
    return made


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int) or (isinstance(value, TensorValue) and dims_of(value) in ((), None))


@model("tensorflow.nn.normalize_moments")
def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any = None, name: Any = None) -> Any:
    del shift, name
    return quotient(mean_ss, counts), quotient(variance_ss, counts)


@model("tensorflow.compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: Any = None) -> Tensor:
    del name
    left, right, bias = matched(x, weights, biases)
    return op_of("add", op_of("matmul", left, right), bias)


@model("tensorflow.compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: Any = None) -> Tensor:
    return op_of("relu", xw_plus_b(x, weights, biases, name))
