"""Convolutions, plain, depthwise, separable and transposed."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, equal, floor_div, modulo, symbol
from mlvet.frontends.keras.layers.convolution import SPACE, _around
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_items, as_size
from mlvet.frontends.python.libraries.builtins.elements import writes
from mlvet.frontends.python.libraries.keras.activations import applied
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.keras.tensor import array, floating
from mlvet.frontends.python.libraries.limits import one_of, positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

AXES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def several(value: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for all dims of space, or one each."""
    if isinstance(value, tuple | list | ListValue):
        items = as_items(value)
        if len(items) == 1:
            items = items * count
        elif len(items) == count + 2:
            items = items[1:-1]
    else:
        items = (value,) * count
    if isinstance(value, Unknown) or not all(isinstance(each, int) for each in items):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{name} is not known")
    demand(len(items) == count, f"`{name}` must be one number or {count}, but is {items}")
    return tuple(items[:count]) if len(items) >= count else (items[0],) * count


def layout(data_format: Any, space: int) -> str:
    """Where batch, channels and space are."""
    return f"NC{SPACE[space]}" if data_format == "channels_first" else f"N{SPACE[space]}C"


def spatial(x: Any, space: int, data_format: Any) -> Any:
    """A tensor with the dims that a layer over space needs; one of another rank is a mistake."""
    words = AXES[space]
    names = ("batch", "channels", *words) if data_format == "channels_first" else ("batch", *words, "channels")
    made = assumed(x, space + 2, *names)
    dims = dims_of(made)
    if dims is not None and len(dims) != space + 2:
        if len(dims) > space + 2 and "tf_keras" in machine().imported:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "several dims of batches, which Keras 2 takes")
        demand(
            False,
            f"a layer over {space} dims of space needs {space + 2} dims but gets {tensor_of(made)}",
            "rank-differs",
        )
        raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
    return made


class Spatial(Layer):
    """What layers over space share: the number of their dims, and where the channels are."""

    SPACE = 2

    @property
    def _format(self) -> Any:
        return held(self).get("data_format")

    def _prepared(self, args: list[Any]) -> list[Any]:
        return [spatial(array(args[0]), self.SPACE, self._format), *args[1:]] if args else args

    def _channels(self, input_shape: Any) -> Dim:
        """The channels of the shape that a layer is built for."""
        if isinstance(input_shape, Unknown):
            return symbol(machine().fresh("channels"))
        items = as_items(input_shape)
        if len(items) != self.SPACE + 2:
            return symbol(machine().fresh("channels"))
        return as_size(items[1 if self._format == "channels_first" else -1], "channels")

    def _padded(self, x: Any, kernel: tuple[int, ...], dilations: tuple[int, ...]) -> tuple[Any, str]:
        """The operand and the automatic padding to use; causal padding is written out."""
        padding = held(self)["padding"]
        if padding == "causal" and self.SPACE > 1:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "causal padding in several dims, which the program writes")
        if padding == "causal":
            before = dilations[0] * (kernel[0] - 1)
            pads = (0, 0, before, 0, 0, 0) if self._format == "channels_first" else (0, before, 0, 0, 0, 0)
            return emit("pad", x, pads, mode="constant"), "VALID"
        return x, "SAME_UPPER" if padding == "same" else "VALID"


def _format_of(given: Any) -> str:
    return given if isinstance(given, str) else image_data_format()


class Conv(Spatial):
    """A convolution."""

    TRANSPOSED = False

    def __init__(
        self, filters: Size, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, groups: Any = 1, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        positive("filters", filters)
        self.filters = filters
        self.kernel_size = several(kernel_size, self.SPACE, "kernel_size")
        self.strides = several(strides, self.SPACE, "strides")
        self.padding = padding.lower()
        causal = ("causal",) if self.SPACE == 1 and not self.TRANSPOSED else ()
        if not writes(self, "_validate_init"):
            one_of("padding", self.padding, ("valid", "same", *causal))
        one_of("data_format", data_format, ("channels_last", "channels_first"))
        positive("kernel_size", *self.kernel_size)
        positive("strides", *self.strides)
        if isinstance(groups, int) and isinstance(filters, int):
            demand(groups > 0 and filters % groups == 0, f"{groups} groups do not divide {filters} filters")
        self.data_format = _format_of(data_format)
        self.dilation_rate = several(dilation_rate, self.SPACE, "dilation_rate")
        wide = [
            any(isinstance(each, int) and each > 1 for each in rates) for rates in (self.strides, self.dilation_rate)
        ]
        demand(
            self.TRANSPOSED or not all(wide),
            f"strides {self.strides} and dilation_rate {self.dilation_rate} exclude one another",
        )
        self.groups = groups
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        channels, groups = self._channels(input_shape), cells["groups"]
        if isinstance(groups, int) and groups > 1:
            good = (
                equal(modulo(channels, groups), 0) is not False
                and equal(modulo(cells["filters"], groups), 0) is not False
            )
            demand(
                good,
                f"{groups} groups do not divide {channels} channels and {cells['filters']} filters of `{label(self)}`",
            )
            channels = floor_div(channels, groups)
        self._weight("kernel", (*cells["kernel_size"], channels, cells["filters"]), cells["kernel_initializer"])
        if cells["use_bias"]:
            self._weight("bias", (cells["filters"],), cells["bias_initializer"])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells, space = held(self), self.SPACE
        x = spatial(floating(inputs, self._compute), space, self._format)
        x, auto_pad = self._padded(x, cells["kernel_size"], cells["dilation_rate"])
        made = emit(
            "conv", x, self._read("kernel"), self._read("bias") if cells["use_bias"] else None,
            kernel_shape=cells["kernel_size"], strides=cells["strides"], dilations=cells["dilation_rate"],
            group=cells["groups"] if isinstance(cells["groups"], int) else 1, auto_pad=auto_pad,
            data_format=layout(self._format, space), kernel_format=f"{SPACE[space]}IO",
        )  # fmt: skip
        return applied(cells["activation"], made)


@model("keras.layers.Conv1D", "keras.layers.Convolution1D")
class Conv1D(Conv):
    SPACE = 1


@model("keras.layers.Conv2D", "keras.layers.Convolution2D")
class Conv2D(Conv):
    SPACE = 2


@model("keras.layers.Conv3D", "keras.layers.Convolution3D")
class Conv3D(Conv):
    SPACE = 3


class ConvTranspose(Conv):
    """A transposed convolution."""

    def __init__(
        self, filters: Size, kernel_size: Any, strides: Any = 1, padding: str = "valid", output_padding: Any = None,
        data_format: Any = None, dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
        bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias,
            kernel_initializer, bias_initializer, activity_regularizer=activity_regularizer, **kwargs,
        )  # fmt: skip
        self.output_padding = None if output_padding is None else several(output_padding, self.SPACE, "output_padding")

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        shape = (*cells["kernel_size"], cells["filters"], self._channels(input_shape))
        self._weight("kernel", shape, cells["kernel_initializer"])
        if cells["use_bias"]:
            self._weight("bias", (cells["filters"],), cells["bias_initializer"])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells, space = held(self), self.SPACE
        x = spatial(floating(inputs, self._compute), space, self._format)
        kernel, strides, dilations = cells["kernel_size"], cells["strides"], cells["dilation_rate"]
        spans = [dilation * (size - 1) + 1 for size, dilation in zip(kernel, dilations, strict=True)]
        same = cells["padding"] == "same"
        attributes: dict[str, Any] = {}
        if cells["output_padding"] is not None:
            around = [_around(span, extra, same) for span, extra in zip(spans, cells["output_padding"], strict=True)]
            before, after = zip(*around, strict=True)
            attributes["pads"] = (*before, *(max(pad, 0) for pad in after))
            attributes["output_padding"] = tuple(max(-pad, 0) for pad in after)
        elif same:
            attributes["auto_pad"] = "SAME_UPPER"
        else:
            attributes["output_padding"] = tuple(
                max(stride - span, 0) for stride, span in zip(strides, spans, strict=True)
            )
        made = emit(
            "conv_transpose", x, self._read("kernel"), self._read("bias") if cells["use_bias"] else None,
            kernel_shape=kernel, strides=strides, dilations=dilations, group=1, data_format=layout(self._format, space),
            kernel_format=f"{SPACE[space]}OI", **attributes,
        )  # fmt: skip
        return applied(cells["activation"], made)


@model("keras.layers.Conv1DTranspose", "keras.layers.Convolution1DTranspose")
class Conv1DTranspose(ConvTranspose):
    SPACE = 1


@model("keras.layers.Conv2DTranspose", "keras.layers.Convolution2DTranspose")
class Conv2DTranspose(ConvTranspose):
    SPACE = 2


@model("keras.layers.Conv3DTranspose", "keras.layers.Convolution3DTranspose")
class Conv3DTranspose(ConvTranspose):
    SPACE = 3


class DepthwiseConv(Spatial):
    """A convolution of each channel by itself."""

    def __init__(
        self, kernel_size: Any, strides: Any = 1, padding: str = "valid", depth_multiplier: Any = 1,
        data_format: Any = None, dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        depthwise_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del depthwise_regularizer, bias_regularizer, depthwise_constraint, bias_constraint
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.kernel_size = several(kernel_size, self.SPACE, "kernel_size")
        self.strides = several(strides, self.SPACE, "strides")
        self.padding = padding.lower()
        if not writes(self, "_validate_init"):
            one_of("padding", self.padding, ("valid", "same"))
        positive("kernel_size", *self.kernel_size)
        positive("strides", *self.strides)
        self.depth_multiplier = depth_multiplier
        self.data_format = _format_of(data_format)
        self.dilation_rate = several(dilation_rate, self.SPACE, "dilation_rate")
        self.activation = activation
        self.use_bias = use_bias
        self.depthwise_initializer = depthwise_initializer
        self.bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        channels = self._channels(input_shape)
        many = as_size(cells["depth_multiplier"])
        self._weight("kernel", (*cells["kernel_size"], channels, many), cells["depthwise_initializer"])
        if cells["use_bias"]:
            self._weight("bias", (channels * many,), cells["bias_initializer"])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        bias = self._read("bias") if held(self)["use_bias"] else None
        return applied(held(self)["activation"], depthwise(self, inputs, "kernel", bias))


def depthwise(layer: Spatial, inputs: Any, kernel: str, bias: Any) -> Any:
    """The convolution of each channel by the kernel of that name."""
    cells, space = held(layer), layer.SPACE
    x = spatial(floating(inputs, layer._compute), space, layer._format)
    x, auto_pad = layer._padded(x, cells["kernel_size"], cells["dilation_rate"])
    return emit(
        "conv", x, layer._read(kernel), bias, kernel_shape=cells["kernel_size"], strides=cells["strides"],
        dilations=cells["dilation_rate"], auto_pad=auto_pad, data_format=layout(layer._format, space),
        kernel_format=f"{SPACE[space]}CM",
    )  # fmt: skip


@model("keras.layers.DepthwiseConv1D")
class DepthwiseConv1D(DepthwiseConv):
    SPACE = 1


@model("keras.layers.DepthwiseConv2D")
class DepthwiseConv2D(DepthwiseConv):
    SPACE = 2


class SeparableConv(Spatial):
    """A convolution of each channel by itself, then one that mixes channels."""

    def __init__(
        self, filters: Size, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: Any = None,
        dilation_rate: Any = 1, depth_multiplier: Any = 1, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform", pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", **kwargs: Any,
    ) -> None:  # fmt: skip
        for each in ("depthwise", "pointwise", "bias", "activity"):
            kwargs.pop(f"{each}_regularizer", None)
            kwargs.pop(f"{each}_constraint", None)
        super().__init__(**kwargs)
        self.filters = filters
        self.kernel_size = several(kernel_size, self.SPACE, "kernel_size")
        self.strides = several(strides, self.SPACE, "strides")
        self.padding = padding.lower()
        self.data_format = _format_of(data_format)
        self.dilation_rate = several(dilation_rate, self.SPACE, "dilation_rate")
        self.depth_multiplier = depth_multiplier
        self.activation = activation
        self.use_bias = use_bias
        self.initializers = (depthwise_initializer, pointwise_initializer, bias_initializer)

    def build(self, input_shape: Any) -> None:
        cells, space = held(self), self.SPACE
        channels, many = self._channels(input_shape), as_size(cells["depth_multiplier"])
        deep, point, bias = cells["initializers"]
        self._weight("depthwise_kernel", (*cells["kernel_size"], channels, many), deep)
        self._weight("pointwise_kernel", (*(1,) * space, channels * many, cells["filters"]), point)
        if cells["use_bias"]:
            self._weight("bias", (cells["filters"],), bias)
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells, space = held(self), self.SPACE
        deep = depthwise(self, inputs, "depthwise_kernel", None)
        made = emit(
            "conv", deep, self._read("pointwise_kernel"), self._read("bias") if cells["use_bias"] else None,
            kernel_shape=(1,) * space, strides=(1,) * space, dilations=(1,) * space, group=1, auto_pad="VALID",
            data_format=layout(self._format, space), kernel_format=f"{SPACE[space]}IO",
        )  # fmt: skip
        return applied(cells["activation"], made)


@model("keras.layers.SeparableConv1D", "keras.layers.SeparableConvolution1D")
class SeparableConv1D(SeparableConv):
    SPACE = 1


@model("keras.layers.SeparableConv2D", "keras.layers.SeparableConvolution2D")
class SeparableConv2D(SeparableConv):
    SPACE = 2
