"""tf.layers: functions that make the variables of a layer and apply it."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, product
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit_all
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axes_of, dims_or_undecided
from mlvet.frontends.python.libraries.tensorflow.convolution import bias_add, convolved, images, pooled, spatial
from mlvet.frontends.python.libraries.tensorflow.static import is_left_open
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, Variable, convert, op_of
from mlvet.frontends.python.libraries.tensorflow.v1.variables import full_name, new_variable, unique
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dtype_of, rank_of

_LAYOUTS = {
    ("channels_last", 1): "NWC", ("channels_last", 2): "NHWC", ("channels_last", 3): "NDHWC",
    ("channels_first", 1): "NCW", ("channels_first", 2): "NCHW", ("channels_first", 3): "NCDHW",
}  # fmt: skip


def layout_of(data_format: Any, dims: int) -> str:
    """The letters of a layout, from either way to name it."""
    if isinstance(data_format, str) and data_format.startswith("N"):
        return data_format
    return _LAYOUTS[("channels_first" if data_format == "channels_first" else "channels_last", dims)]


def weight(
    layer: str, name: str, sizes: tuple[Dim, ...], dtype: DType | None = dtypes.f32, train: Any = True
) -> Variable:
    shape = f"[{', '.join(map(str, sizes))}]"
    because = f"`{name}` of `{layer}` would be {shape}, but a placeholder leaves sizes of it open"
    demand(not any(map(is_left_open, sizes)), because, "shape-not-static")
    return new_variable(full_name(f"{layer}/{name}"), sizes, dtype or dtypes.f32, train)


def label_of(name: Any, default: str) -> str:
    return name if isinstance(name, str) else unique(default)


def activated(x: Tensor, activation: Any) -> Any:
    return x if activation is None else machine().call(activation, x)


def window_of(value: Any, dims: int) -> tuple[Dim, ...]:
    """One size per dim of space."""
    sizes = as_items(value) if isinstance(value, tuple | list | ListValue) else (value,) * dims
    return tuple(as_size(each, "kernel") for each in sizes)


@model("tensorflow.compat.v1.layers.dense")
def dense(
    inputs: Any,
    units: Any,
    activation: Any = None,
    use_bias: bool = True,
    *rest: Any,
    name: Any = None,
    **keywords: Any,
) -> Tensor:
    del rest, keywords
    x: Tensor = assumed(convert(inputs), 2, "batch", "features")
    size, layer = as_size(units, "units"), label_of(name, "dense")
    kernel = weight(layer, "kernel", (dims_or_undecided(x)[-1], size), dtype_of(x))
    made = op_of("matmul", x, kernel)
    if use_bias:
        made = op_of("add", made, weight(layer, "bias", (size,), dtype_of(x)))
    found: Tensor = activated(made, activation)
    return found


def convolution_layer(
    dims: int, inputs: Any, filters: Any, kernel_size: Any, strides: Any, padding: Any, data_format: Any, dilation: Any,
    activation: Any, use_bias: bool, name: Any,
) -> Tensor:  # fmt: skip
    layout = layout_of(data_format, dims)
    x = images(inputs, dims, layout)
    channels = dims_or_undecided(x)[layout.index("C")]
    count, layer = as_size(filters, "filters"), label_of(name, f"conv{dims}d")
    kernel = weight(layer, "kernel", (*window_of(kernel_size, dims), channels, count), dtype_of(x))
    made = convolved(x, kernel, strides, padding, layout, dilation, dims)
    if use_bias:
        made = bias_add(made, weight(layer, "bias", (count,), dtype_of(x)), layout)
    found: Tensor = activated(made, activation)
    return found


def _convolution(dims: int) -> Any:
    def function(
        inputs: Any, filters: Any, kernel_size: Any, strides: Any = 1, padding: Any = "valid",
        data_format: Any = "channels_last", dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
        *rest: Any, name: Any = None, **keywords: Any,
    ) -> Tensor:  # fmt: skip
        del rest, keywords
        return convolution_layer(
            dims, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, name
        )

    return function


for _dims in (1, 2, 3):
    model(f"tensorflow.compat.v1.layers.conv{_dims}d")(_convolution(_dims))


def transposed_layer(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any, padding: Any, data_format: Any, activation: Any,
    use_bias: bool, name: Any, dims: int = 2,
) -> Tensor:  # fmt: skip
    layout = layout_of(data_format, dims)
    x = images(inputs, dims, layout)
    sizes = list(dims_or_undecided(x))
    window, steps = window_of(kernel_size, dims), spatial(strides, dims, layout)
    count, layer = as_size(filters, "filters"), label_of(name, f"conv{dims}d_transpose")
    kernel = weight(layer, "kernel", (*window, count, sizes[layout.index("C")]), dtype_of(x))
    same = isinstance(padding, str) and padding.upper() == "SAME"
    whole = [*sizes]
    for place, letter in enumerate(layout):
        if letter == "C":
            whole[place] = count
        elif letter != "N":
            n = len([each for each in layout[:place] if each not in "NC"])
            grown = sizes[place] * steps[n]
            extra = window[n] - steps[n]
            more = max(extra, 0) if isinstance(extra, int) else extra
            whole[place] = grown if same else grown + more
    made = op_of(
        "conv_transpose_to", x, kernel, tuple(whole), strides=steps, data_format=layout,
        auto_pad="SAME_UPPER" if same else "VALID", kernel_format=layout_of(None, dims).strip("NC") + "OI",
    )  # fmt: skip
    if use_bias:
        made = bias_add(made, weight(layer, "bias", (count,), dtype_of(x)), layout)
    found: Tensor = activated(made, activation)
    return found


@model("tensorflow.compat.v1.layers.conv2d_transpose")
def conv2d_transpose(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid",
    data_format: Any = "channels_last", activation: Any = None, use_bias: bool = True, *rest: Any, name: Any = None,
    **keywords: Any,
) -> Tensor:  # fmt: skip
    del rest, keywords
    return transposed_layer(inputs, filters, kernel_size, strides, padding, data_format, activation, use_bias, name)


@model("tensorflow.compat.v1.layers.separable_conv2d")
def separable_conv2d(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any = (1, 1), padding: Any = "valid",
    data_format: Any = "channels_last", dilation_rate: Any = (1, 1), depth_multiplier: Any = 1, activation: Any = None,
    use_bias: bool = True, *rest: Any, name: Any = None, **keywords: Any,
) -> Tensor:  # fmt: skip
    del rest, keywords
    return separable_layer(
        inputs,
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        dilation_rate,
        depth_multiplier,
        activation,
        use_bias,
        name,
    )


def separable_layer(
    inputs: Any, filters: Any, kernel_size: Any, strides: Any, padding: Any, data_format: Any, rate: Any,
    multiplier: Any, activation: Any, use_bias: bool, name: Any,
) -> Tensor:  # fmt: skip
    """Each channel by itself, then, if there are filters, all of them at each place."""
    layout = layout_of(data_format, 2)
    x = images(inputs, 2, layout)
    channels = dims_or_undecided(x)[layout.index("C")]
    layer, times = label_of(name, "separable_conv2d"), as_size(multiplier, "multiplier")
    deep = weight(layer, "depthwise_kernel", (*window_of(kernel_size, 2), channels, times), dtype_of(x))
    made = convolved(x, deep, strides, padding, layout, rate, 2, kernel_format="HWCM", group=1)
    count = channels * times
    if filters is not None:
        count = as_size(filters, "filters")
        made = convolved(
            made,
            weight(layer, "pointwise_kernel", (1, 1, channels * times, count), dtype_of(x)),
            1,
            "VALID",
            layout,
            None,
            2,
        )
    if use_bias:
        made = bias_add(made, weight(layer, "bias", (count,), dtype_of(x)), layout)
    found: Tensor = activated(made, activation)
    return found


def _pooling(op: str, dims: int) -> Any:
    def function(
        inputs: Any,
        pool_size: Any,
        strides: Any,
        padding: Any = "valid",
        data_format: Any = "channels_last",
        name: Any = None,
    ) -> Tensor:
        del name
        return pooled(op, inputs, pool_size, strides, padding, layout_of(data_format, dims), dims)

    return function


for _dims in (1, 2, 3):
    model(f"tensorflow.compat.v1.layers.max_pooling{_dims}d")(_pooling("max_pool", _dims))
    model(f"tensorflow.compat.v1.layers.average_pooling{_dims}d")(_pooling("average_pool", _dims))


@model("tensorflow.compat.v1.layers.flatten")
def flatten(inputs: Any, name: Any = None, data_format: Any = "channels_last") -> Tensor:
    del name, data_format
    x = convert(inputs)
    dims = dims_or_undecided(x)
    return op_of("reshape", x, (dims[0], product(dims[1:])))


@model("tensorflow.compat.v1.layers.dropout")
def dropout(
    inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: Any = None, training: Any = False, name: Any = None
) -> Tensor:
    del noise_shape, seed, name, training
    ratio = rate if isinstance(rate, float) else 0.5
    made: Tensor = emit_all("dropout", convert(inputs), ratio, True, count=1, kind=Tensor)[0]
    return made


@model("tensorflow.compat.v1.layers.batch_normalization")
def batch_normalization(
    inputs: Any, axis: Any = -1, momentum: Any = 0.99, epsilon: Any = 0.001, center: bool = True, scale: bool = True,
    *rest: Any, name: Any = None, **keywords: Any,
) -> Tensor:  # fmt: skip
    del momentum, rest, keywords
    return normalized(convert(inputs), axis, center, scale, epsilon, label_of(name, "batch_normalization"))


def normalized(x: Tensor, axis: Any, center: Any, scale: Any, epsilon: Any, layer: str) -> Tensor:
    """Each channel by statistics of its own, then scaled and shifted by variables."""
    rank = rank_of(x)
    if rank is None:
        return x
    where = (axes_of(axis) or (-1,))[0] % rank
    dims = dims_or_undecided(x)
    row = tuple(dims[where] if n == where else 1 for n in range(rank))
    mean, variance = (
        op_of("reshape", weight(layer, each, (dims[where],), dtype_of(x), False), row)
        for each in ("moving_mean", "moving_variance")
    )
    small = op_of("cast", epsilon if isinstance(epsilon, float) else 0.001, to=dtype_of(x) or dtypes.f32)
    made = op_of("mul", op_of("sub", x, mean), op_of("rsqrt", op_of("add", variance, small)))
    if scale is not False:
        made = op_of("mul", made, op_of("reshape", weight(layer, "gamma", (dims[where],), dtype_of(x)), row))
    if center is not False:
        made = op_of("add", made, op_of("reshape", weight(layer, "beta", (dims[where],), dtype_of(x)), row))
    return made
