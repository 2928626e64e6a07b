"""Convolutions and their transposes as layers, and windows as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import store
from mlvet.frontends.python.emission import demand, demand_divisible
from mlvet.frontends.python.libraries.binding import Size, SizeOrSizes, Sizes, Tensor, as_size, as_sizes
from mlvet.frontends.python.libraries.limits import one_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.expectations import expected
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import fan_in_uniform, parameter
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of

SPACE = ("depth", "height", "width")
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


@model("torch.nn.modules.conv._ConvNd")
class Convolution(Module):
    """What all convolutions share; `space` is the number of dims that the kernel slides along."""

    __slots__ = ()
    space: ClassVar[int] = 2
    transposed: ClassVar[bool] = False

    def _prepare(
        self, in_channels: Dim, out_channels: Dim, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        groups: Dim, bias: bool, padding_mode: str, dtype: DType | None,
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels, self.groups, self.padding_mode = (
            in_channels,
            out_channels,
            groups,
            padding_mode,
        )
        self.kernel_size, self.stride = self._spread(kernel_size), self._spread(stride)
        self.padding: Any = padding if isinstance(padding, str) else self._spread(padding)
        self.dilation = self._spread(dilation)
        one_of("padding", padding, ("same", "valid"))
        one_of("padding_mode", padding_mode, ("zeros",) if self.transposed else _PADDING_MODES)
        demand(
            padding != "same" or all(step == 1 or not isinstance(step, int) for step in self.stride),
            f"padding 'same' takes no strides, but they are {list(self.stride)}",
        )
        if isinstance(groups, int):
            demand(groups > 0, "groups must be positive")
        ins, outs = (out_channels, in_channels) if self.transposed else (in_channels, out_channels)
        sizes = (outs, floor_div(ins, groups) if groups != 0 else ins, *self.kernel_size)
        drawn = fan_in_uniform(sizes[1:])
        name = type(self).__name__
        self.weight = parameter(f"{name}.weight", sizes, dtype, drawn)
        self.bias = parameter(f"{name}.bias", (out_channels,), dtype, drawn) if bias else None
        for what, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if isinstance(channels, int) and isinstance(groups, int) and groups > 0:
                demand_divisible(channels, groups, f"{what} must be divisible by groups", of=[self.weight])

    def _spread(self, value: Any) -> tuple[Dim, ...]:
        """One size for each dim that the kernel slides along."""
        if isinstance(value, tuple):
            return value * self.space if len(value) == 1 else value
        return (value,) * self.space

    def _ranked(self, input: Tensor) -> Tensor:
        return expected(input, "batch", self.cells.get("in_channels", "channels"), *SPACE[-self.space :])

    def reset_parameters(self) -> None:
        pass


class Forward(Convolution):
    """A convolution from input to output."""

    __slots__ = ()

    def __init__(
        self, in_channels: Size, out_channels: Size, kernel_size: SizeOrSizes, stride: SizeOrSizes = 1,
        padding: Any = 0, dilation: SizeOrSizes = 1, groups: Size = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._prepare(
            in_channels, out_channels, kernel_size, stride, _padding(padding), dilation, groups, bias, padding_mode,
            dtype,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        input = self._ranked(input)
        padding = self.padding
        if self.padding_mode != "zeros" and padding != "valid":
            input = F.pad(input, self._borders(), self.padding_mode)
            padding = (0,) * self.space
        convolve = getattr(F, f"conv{self.space}d")
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _borders(self) -> tuple[Dim, ...]:
        """What is put before and after each dim, the last dim first."""
        borders: list[Dim] = []
        for place in reversed(range(self.space)):
            if self.padding == "same":
                whole = self.dilation[place] * (self.kernel_size[place] - 1)
                borders += [floor_div(whole, 2), whole - floor_div(whole, 2)]
            else:
                borders += [self.padding[place]] * 2
        return tuple(borders)


@model("torch.nn.modules.conv._ConvTransposeNd")
class Transposed(Convolution):
    """A convolution from output to input."""

    __slots__ = ()
    transposed: ClassVar[bool] = True

    def __init__(
        self, in_channels: Size, out_channels: Size, kernel_size: SizeOrSizes, stride: SizeOrSizes = 1,
        padding: SizeOrSizes = 0, output_padding: SizeOrSizes = 0, groups: Size = 1, bias: bool = True,
        dilation: SizeOrSizes = 1, padding_mode: str = "zeros", device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_padding = self._spread(output_padding)
        demand(padding_mode == "zeros", "a transposed convolution pads with zeros only")
        self._prepare(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype
        )

    def forward(self, input: Tensor, output_size: Sizes | None = None) -> Tensor:
        input = self._ranked(input)
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        convolve = getattr(F, f"conv_transpose{self.space}d")
        return convolve(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)

    def _extra(self, input: Tensor, output_size: Sequence[Dim]) -> tuple[Dim, ...]:
        """The output padding that makes the result of a given size."""
        given = dims_of(input) or ()
        wanted = output_size[-self.space :]
        extra: list[Dim] = []
        for place in range(self.space):
            least = (
                (given[place - self.space] - 1) * self.stride[place] - 2 * self.padding[place]
                + self.dilation[place] * (self.kernel_size[place] - 1) + 1
            )  # fmt: skip
            extra.append(wanted[place] - least)
        return tuple(extra)


@model("torch.nn.Conv1d")
class Conv1d(Forward):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.Conv2d")
class Conv2d(Forward):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.Conv3d")
class Conv3d(Forward):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.ConvTranspose1d")
class ConvTranspose1d(Transposed):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.ConvTranspose2d")
class ConvTranspose2d(Transposed):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.ConvTranspose3d")
class ConvTranspose3d(Transposed):
    __slots__ = ()
    space: ClassVar[int] = 3


class Lazy(Forward):
    """A convolution that takes as many channels as it is given first."""

    __slots__ = ()

    def __init__(
        self, out_channels: Size, kernel_size: SizeOrSizes, stride: SizeOrSizes = 1, padding: Any = 0,
        dilation: SizeOrSizes = 1, groups: Size = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        settings = (out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype)
        store(self.cells, "@settings", settings)

    def forward(self, input: Tensor) -> Tensor:
        input = self._ranked(input)
        given = dims_of(input) or ()
        if "weight" not in self.cells and len(given) > self.space:
            Forward.__init__(self, given[-self.space - 1], *self.cells["@settings"])
        return super().forward(input)


@model("torch.nn.LazyConv1d")
class LazyConv1d(Lazy):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.LazyConv2d")
class LazyConv2d(Lazy):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.LazyConv3d")
class LazyConv3d(Lazy):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.Unfold")
class Unfold(Module):
    __slots__ = ()

    def __init__(
        self, kernel_size: SizeOrSizes, dilation: SizeOrSizes = 1, padding: SizeOrSizes = 0, stride: SizeOrSizes = 1
    ) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


@model("torch.nn.Fold")
class Fold(Module):
    __slots__ = ()

    def __init__(
        self, output_size: SizeOrSizes, kernel_size: SizeOrSizes, dilation: SizeOrSizes = 1, padding: SizeOrSizes = 0,
        stride: SizeOrSizes = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


@model("torch.nn.PixelShuffle")
class PixelShuffle(Module):
    __slots__ = ()

    def __init__(self, upscale_factor: Size) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)


@model("torch.nn.PixelUnshuffle")
class PixelUnshuffle(Module):
    __slots__ = ()

    def __init__(self, downscale_factor: Size) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)


@model("torch.nn.ChannelShuffle")
class ChannelShuffle(Module):
    __slots__ = ()

    def __init__(self, groups: Size) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)


def _padding(padding: Any) -> Any:
    if isinstance(padding, str):
        return padding
    return as_sizes(padding) if isinstance(padding, tuple | list | ListValue) else as_size(padding, "padding")
