"""Pooling layers."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Number, SizeOrSizes, Tensor, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.convolutions import SPACE
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


class Pool(Module):
    """What all pools share; `space` is the number of dims pooled."""

    __slots__ = ()
    space: ClassVar[int] = 2

    def _ranked(self, input: Tensor) -> Tensor:
        return assumed(input, self.space + 2, "batch", "channels", *SPACE[-self.space :])

    def _function(self, name: str) -> Any:
        return getattr(F, f"{name}{self.space}d")


class MaxPool(Pool):
    __slots__ = ()

    def __init__(
        self, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, padding: SizeOrSizes = 0,
        dilation: SizeOrSizes = 1, return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        return self._function("max_pool")(
            self._ranked(input), self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip


class AvgPool(Pool):
    __slots__ = ()

    def __init__(
        self, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, padding: SizeOrSizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        rest = () if self.space == 1 else (self.divisor_override,)
        return self._function("avg_pool")(
            self._ranked(input), self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            *rest,
        )  # fmt: skip


class LPPool(Pool):
    __slots__ = ()

    def __init__(
        self, norm_type: Number, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return self._function("lp_pool")(
            self._ranked(input), self.norm_type, self.kernel_size, self.stride, self.ceil_mode
        )


class MaxUnpool(Pool):
    __slots__ = ()

    def __init__(self, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, padding: SizeOrSizes = 0) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return self._function("max_unpool")(
            self._ranked(input), indices, self.kernel_size, self.stride, self.padding, output_size
        )


class AdaptiveAvgPool(Pool):
    __slots__ = ()

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = _sizes(output_size)

    def forward(self, input: Tensor) -> Tensor:
        return self._function("adaptive_avg_pool")(self._ranked(input), self.output_size)


class AdaptiveMaxPool(Pool):
    __slots__ = ()

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = _sizes(output_size), return_indices

    def forward(self, input: Tensor) -> Any:
        return self._function("adaptive_max_pool")(self._ranked(input), self.output_size, self.return_indices)


class FractionalMaxPool(Pool):
    __slots__ = ()

    def __init__(
        self, kernel_size: SizeOrSizes, output_size: SizeOrSizes | None = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        input = self._ranked(input)
        dims = dims_of(input) or ()
        if self.output_size is not None:
            size = self.output_size if isinstance(self.output_size, tuple) else (self.output_size,) * self.space
        else:
            size = tuple(symbol(machine().fresh(name)) for name in SPACE[-self.space :])
        shape = (*dims[: -self.space], *size)
        found = opaque("fractional_max_pool", [input], Type(dtype_of(input), shape), TorchTensor)
        if not self.return_indices:
            return found
        return found, opaque("fractional_max_pool", [input], Type(dtypes.i64, shape), TorchTensor)


def _sizes(output_size: Any) -> Any:
    """A size, or a size or None for each dim."""
    if isinstance(output_size, ListValue) and isinstance(output_size.items, tuple):
        output_size = output_size.items
    if isinstance(output_size, tuple):
        return tuple(None if size is None else as_size(size, "size") for size in output_size)
    return None if output_size is None else as_size(output_size, "size")


@model("torch.nn.MaxPool1d")
class MaxPool1d(MaxPool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.MaxPool2d")
class MaxPool2d(MaxPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.MaxPool3d")
class MaxPool3d(MaxPool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.AvgPool1d")
class AvgPool1d(AvgPool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.AvgPool2d")
class AvgPool2d(AvgPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.AvgPool3d")
class AvgPool3d(AvgPool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.LPPool1d")
class LPPool1d(LPPool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.LPPool2d")
class LPPool2d(LPPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.LPPool3d")
class LPPool3d(LPPool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.MaxUnpool1d")
class MaxUnpool1d(MaxUnpool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.MaxUnpool2d")
class MaxUnpool2d(MaxUnpool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.MaxUnpool3d")
class MaxUnpool3d(MaxUnpool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.AdaptiveAvgPool1d")
class AdaptiveAvgPool1d(AdaptiveAvgPool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.AdaptiveAvgPool2d")
class AdaptiveAvgPool2d(AdaptiveAvgPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.AdaptiveAvgPool3d")
class AdaptiveAvgPool3d(AdaptiveAvgPool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.AdaptiveMaxPool1d")
class AdaptiveMaxPool1d(AdaptiveMaxPool):
    __slots__ = ()
    space: ClassVar[int] = 1


@model("torch.nn.AdaptiveMaxPool2d")
class AdaptiveMaxPool2d(AdaptiveMaxPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.AdaptiveMaxPool3d")
class AdaptiveMaxPool3d(AdaptiveMaxPool):
    __slots__ = ()
    space: ClassVar[int] = 3


@model("torch.nn.FractionalMaxPool2d")
class FractionalMaxPool2d(FractionalMaxPool):
    __slots__ = ()
    space: ClassVar[int] = 2


@model("torch.nn.FractionalMaxPool3d")
class FractionalMaxPool3d(FractionalMaxPool):
    __slots__ = ()
    space: ClassVar[int] = 3
