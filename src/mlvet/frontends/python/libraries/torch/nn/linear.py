"""Layers that multiply by a matrix, and layers that only rearrange."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.frontends.python.libraries.binding import Items, Size, Tensor, as_sizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F, torch
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import fan_in_uniform, parameter
from mlvet.frontends.python.values.tensors import dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.nn.Identity")
class Identity(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


@model("torch.nn.Linear", "torch.nn.modules.linear.NonDynamicallyQuantizableLinear")
class Linear(Module):
    __slots__ = ()

    def __init__(
        self, in_features: Size, out_features: Size, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        drawn = fan_in_uniform([in_features])
        self.weight = parameter("Linear.weight", (out_features, in_features), dtype, drawn)
        self.bias = parameter("Linear.bias", (out_features,), dtype, drawn) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def reset_parameters(self) -> None:
        pass


@model("torch.nn.LazyLinear")
class LazyLinear(Linear):
    """A linear layer that takes as many features as it is given first."""

    __slots__ = ()

    def __init__(self, out_features: Size, bias: bool = True, device: Any = None, dtype: DType | None = None) -> None:
        Module.__init__(self)
        self.out_features = out_features
        self.dtype, self.has_bias = dtype, bias

    def forward(self, input: Tensor) -> Tensor:
        if "weight" not in self.cells:
            features = tensor_of(input).dim(-1) if dims_of(input) != () else 0
            Linear.__init__(self, features, self.out_features, self.has_bias, None, self.dtype)
        return super().forward(input)


@model("torch.nn.Bilinear")
class Bilinear(Module):
    __slots__ = ()

    def __init__(
        self, in1_features: Size, in2_features: Size, out_features: Size, bias: bool = True, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        drawn = fan_in_uniform([in1_features])
        self.weight = parameter("Bilinear.weight", (out_features, in1_features, in2_features), dtype, drawn)
        self.bias = parameter("Bilinear.bias", (out_features,), dtype, drawn) if bias else None

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)


@model("torch.nn.Flatten")
class Flatten(Module):
    __slots__ = ()

    def __init__(self, start_dim: Size = 1, end_dim: Size = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return torch.flatten(input, self.start_dim, self.end_dim)


@model("torch.nn.Unflatten")
class Unflatten(Module):
    __slots__ = ()

    def __init__(self, dim: Any, unflattened_size: Items) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a dim by name")
        self.dim, self.unflattened_size = dim, as_sizes(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        return torch.unflatten(input, self.dim, self.unflattened_size)


@model("torch.nn.Upsample")
class Upsample(Module):
    __slots__ = ()

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None,
        recompute_scale_factor: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)


@model("torch.nn.UpsamplingNearest2d")
class UpsamplingNearest2d(Upsample):
    __slots__ = ()

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


@model("torch.nn.UpsamplingBilinear2d")
class UpsamplingBilinear2d(Upsample):
    __slots__ = ()

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)
