"""keras.ops.nn: convolutions, pooling, normalisation, attention, losses and CTC."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.keras.layers.convolution import SPACE
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.cross_entropy import binary_entropy, categorical_entropy, sparse_entropy
from mlvet.frontends.python.libraries.keras.layers.convolution import layout, several
from mlvet.frontends.python.libraries.keras.layers.normalization import places, small, trailing
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.promotion import alike_typed
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.keras.tensor import array, combined, floating
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _names(name: str) -> tuple[str, str]:
    return f"keras.ops.{name}", f"keras.ops.nn.{name}"


def _space(x: Any) -> int:
    rank = rank_of(x)
    if rank is None or rank - 2 not in SPACE:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return rank - 2


def _format(given: Any) -> Any:
    return given if isinstance(given, str) else image_data_format()


def _padding(padding: Any) -> str:
    return "SAME_UPPER" if isinstance(padding, str) and padding.lower() == "same" else "VALID"


def _pool(op: str, inputs: Any, pool_size: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    x = array(inputs)
    space = _space(x)
    window = several(pool_size, space, "pool_size")
    return emit(
        op, x, kernel_shape=window, strides=window if strides is None else several(strides, space, "strides"),
        auto_pad=_padding(padding), data_format=layout(_format(data_format), space),
    )  # fmt: skip


@model(*_names("max_pool"))
def max_pool(
    inputs: ArrayLike, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: Any = None
) -> Tensor:
    return _pool("max_pool", inputs, pool_size, strides, padding, data_format)


@model(*_names("average_pool"))
def average_pool(
    inputs: ArrayLike, pool_size: Any, strides: Any = None, padding: Any = "valid", data_format: Any = None
) -> Tensor:
    return _pool("average_pool", floating(array(inputs)), pool_size, strides, padding, data_format)


@model(*_names("adaptive_max_pool"), *_names("adaptive_average_pool"))
def adaptive_pool(inputs: ArrayLike, output_size: Any, data_format: Any = None) -> Tensor:
    x = array(inputs)
    space = _space(x)
    dims, sizes = ranked_dims(x), several(output_size, space, "output_size")
    made = (*dims[:2], *sizes) if _format(data_format) == "channels_first" else (dims[0], *sizes, dims[-1])
    return opaque("ops.adaptive_pool", [x], Known(dtype_of(x), made), type(x))


@model(*_names("conv"))
def conv(
    inputs: ArrayLike, kernel: ArrayLike, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
    dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    x, weight = alike_typed((inputs, kernel))
    space = _space(x)
    return emit(
        "conv", x, weight, None, strides=several(strides, space, "strides"),
        dilations=several(dilation_rate, space, "dilation_rate"), auto_pad=_padding(padding), group=0,
        data_format=layout(_format(data_format), space), kernel_format=f"{SPACE[space]}IO",
    )  # fmt: skip


@model(*_names("depthwise_conv"))
def depthwise_conv(
    inputs: ArrayLike, kernel: ArrayLike, strides: Any = 1, padding: Any = "valid", data_format: Any = None,
    dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    x, weight = alike_typed((inputs, kernel))
    space = _space(x)
    return emit(
        "conv", x, weight, None, strides=several(strides, space, "strides"),
        dilations=several(dilation_rate, space, "dilation_rate"), auto_pad=_padding(padding),
        data_format=layout(_format(data_format), space), kernel_format=f"{SPACE[space]}CM",
    )  # fmt: skip


@model(*_names("separable_conv"))
def separable_conv(
    inputs: ArrayLike, depthwise_kernel: ArrayLike, pointwise_kernel: ArrayLike, strides: Any = 1,
    padding: Any = "valid", data_format: Any = None, dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    deep = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(deep, pointwise_kernel, 1, "valid", data_format)


@model(*_names("conv_transpose"))
def conv_transpose(
    inputs: ArrayLike, kernel: ArrayLike, strides: Any = 1, padding: Any = "valid", output_padding: Any = None,
    data_format: Any = None, dilation_rate: Any = 1,
) -> Tensor:  # fmt: skip
    x, weight = alike_typed((inputs, kernel))
    space = _space(x)
    if output_padding is not None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "output_padding")
    steps, dilations = several(strides, space, "strides"), several(dilation_rate, space, "dilation_rate")
    attributes: dict[str, Any] = {"auto_pad": "SAME_UPPER"}
    if _padding(padding) == "VALID":
        sizes = ranked_dims(weight)[:space]
        if not all(isinstance(size, int) for size in sizes):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a kernel of unknown size")
        spans = [dilation * (size - 1) + 1 for size, dilation in zip(sizes, dilations, strict=True)]
        attributes = {"output_padding": tuple(max(step - span, 0) for step, span in zip(steps, spans, strict=True))}
    return emit(
        "conv_transpose", x, weight, None, strides=steps, dilations=dilations, group=1,
        data_format=layout(_format(data_format), space), kernel_format=f"{SPACE[space]}OI", **attributes,
    )  # fmt: skip


@model(*_names("batch_normalization"))
def batch_normalization(
    x: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    axis: Any,
    offset: Any = None,
    scale: Any = None,
    epsilon: Any = 1e-3,
) -> Tensor:
    return alike("ops.batch_normalization", floating(array(x)))


@model(*_names("layer_normalization"))
def layer_normalization(
    x: ArrayLike, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: Any = None, **kwargs: Any
) -> Tensor:
    made = floating(array(x))
    first = trailing(places(axis), rank_of(made))
    if first is None or gamma is None:
        return alike("ops.layer_normalization", made)
    shift = None if beta is None else cast(array(beta), dtype_of(made))
    return emit(
        "layer_normalization", made, cast(array(gamma), dtype_of(made)), shift, axis=first, epsilon=small(epsilon, 1e-7)
    )


@model(*_names("rms_normalization"))
def rms_normalization(x: ArrayLike, scale: Any = None, axis: Any = -1, epsilon: Any = None) -> Tensor:
    made = floating(array(x))
    first = trailing(places(axis), rank_of(made))
    if first is None or scale is None:
        return alike("ops.rms_normalization", made)
    return emit("rms_normalization", made, cast(array(scale), dtype_of(made)), axis=first, epsilon=small(epsilon, 1e-7))


@model(*_names("binary_crossentropy"))
def binary_crossentropy(target: ArrayLike, output: ArrayLike, from_logits: bool = False) -> Tensor:
    predicted = floating(array(output))
    return binary_entropy(cast(array(target), dtype_of(predicted)), predicted, from_logits)


@model(*_names("categorical_crossentropy"))
def categorical_crossentropy(target: ArrayLike, output: ArrayLike, from_logits: bool = False, axis: Any = -1) -> Tensor:
    predicted = floating(array(output))
    return categorical_entropy(cast(array(target), dtype_of(predicted)), predicted, from_logits, axis)


@model(*_names("sparse_categorical_crossentropy"))
def sparse_categorical_crossentropy(
    target: ArrayLike, output: ArrayLike, from_logits: bool = False, axis: Any = -1
) -> Tensor:
    return sparse_entropy(array(target), floating(array(output)), from_logits, axis)


@model(*_names("dot_product_attention"))
def dot_product_attention(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, bias: Any = None, mask: Any = None, scale: Any = None,
    is_causal: bool = False, flash_attention: Any = None, attn_logits_soft_cap: Any = None,
) -> Tensor:  # fmt: skip
    q, k, v = (floating(each) for each in alike_typed((query, key, value)))
    scores = emit("einsum", q, k, equation="btnh,bsnh->bnts")
    if isinstance(bias, TensorValue):
        scores = combined("add", scores, bias)
    weights = emit("softmax", scores, axis=-1)
    return emit("einsum", weights, v, equation="bnts,bsnh->btnh")


@model(*_names("ctc_loss"))
def ctc_loss(
    target: ArrayLike, output: ArrayLike, target_length: ArrayLike, output_length: ArrayLike, mask_index: Any = 0
) -> Tensor:
    made = floating(array(output))
    return opaque("ops.ctc_loss", [array(target), made], Known(dtype_of(made), ranked_dims(made)[:1]), type(made))


@model(*_names("ctc_decode"))
def ctc_decode(
    inputs: ArrayLike, sequence_lengths: ArrayLike, strategy: Any = "greedy", beam_width: Any = 100,
    top_paths: Any = 1, merge_repeated: Any = True, mask_index: Any = 0,
) -> Any:  # fmt: skip
    made = floating(array(inputs))
    dims = ranked_dims(made)
    paths = top_paths if isinstance(top_paths, int) else symbol(machine().fresh("paths"))
    decoded = opaque("ops.ctc_decode", [made], Known(dtypes.i32, (paths, dims[0], dims[1])), type(made))
    return decoded, opaque("ops.ctc_decode", [made], Known(dtype_of(made), (dims[0], paths)), type(made))


@model(*_names("depth_to_space"))
def depth_to_space(x: ArrayLike, block_size: Any, data_format: Any = "channels_last") -> Tensor:
    form = "NCHW" if data_format == "channels_first" else "NHWC"
    return emit("depth_to_space", array(x), blocksize=block_size, data_format=form)


@model(*_names("space_to_depth"))
def space_to_depth(x: ArrayLike, block_size: Any, data_format: Any = "channels_last") -> Tensor:
    form = "NCHW" if data_format == "channels_first" else "NHWC"
    return emit("space_to_depth", array(x), blocksize=block_size, data_format=form)


@model(*_names("unfold"))
def unfold(x: ArrayLike, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    made = array(x)
    dims = ranked_dims(made)
    kernel, dilations, pads, strides = (several(each, 2, "size") for each in (kernel_size, dilation, padding, stride))
    places_: Any = 1
    for size, k, d, p, s in zip(dims[2:], kernel, dilations, pads, strides, strict=True):
        places_ = places_ * ((size + 2 * p - d * (k - 1) - 1) // s + 1)
    return opaque(
        "ops.unfold", [made], Known(dtype_of(made), (dims[0], dims[1] * kernel[0] * kernel[1], places_)), type(made)
    )


@model(*_names("fold"))
def fold(
    x: ArrayLike, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    made = array(x)
    dims = ranked_dims(made)
    kernel, sizes = several(kernel_size, 2, "kernel_size"), several(output_size, 2, "output_size")
    return opaque(
        "ops.fold", [made], Known(dtype_of(made), (dims[0], dims[1] // (kernel[0] * kernel[1]), *sizes)), type(made)
    )
