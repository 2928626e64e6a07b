"""Activations as layers."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F, torch
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import filled, parameter


@model("torch.nn.ReLU")
class ReLU(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


@model("torch.nn.ReLU6")
class ReLU6(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)


@model("torch.nn.LeakyReLU")
class LeakyReLU(Module):
    __slots__ = ()

    def __init__(self, negative_slope: Number = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


@model("torch.nn.ELU")
class ELU(Module):
    __slots__ = ()

    def __init__(self, alpha: Number = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


@model("torch.nn.CELU")
class CELU(Module):
    __slots__ = ()

    def __init__(self, alpha: Number = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


@model("torch.nn.SELU")
class SELU(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


@model("torch.nn.GELU")
class GELU(Module):
    __slots__ = ()

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


@model("torch.nn.SiLU")
class SiLU(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


@model("torch.nn.Mish")
class Mish(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


@model("torch.nn.Hardswish")
class Hardswish(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


@model("torch.nn.Hardsigmoid")
class Hardsigmoid(Module):
    __slots__ = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


@model("torch.nn.Hardtanh")
class Hardtanh(Module):
    __slots__ = ()

    def __init__(self, min_val: Number = -1.0, max_val: Number = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


@model("torch.nn.Hardshrink")
class Hardshrink(Module):
    __slots__ = ()

    def __init__(self, lambd: Number = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


@model("torch.nn.Softshrink")
class Softshrink(Module):
    __slots__ = ()

    def __init__(self, lambd: Number = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


@model("torch.nn.Tanhshrink")
class Tanhshrink(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


@model("torch.nn.RReLU")
class RReLU(Module):
    __slots__ = ()

    def __init__(self, lower: Number = 1 / 8, upper: Number = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


@model("torch.nn.Threshold")
class Threshold(Module):
    __slots__ = ()

    def __init__(self, threshold: Number, value: Number, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


@model("torch.nn.Softplus")
class Softplus(Module):
    __slots__ = ()

    def __init__(self, beta: Number = 1.0, threshold: Number = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


@model("torch.nn.Softsign")
class Softsign(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


@model("torch.nn.LogSigmoid")
class LogSigmoid(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


@model("torch.nn.Sigmoid")
class Sigmoid(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return torch.sigmoid(input)


@model("torch.nn.Tanh")
class Tanh(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return torch.tanh(input)


@model("torch.nn.Softmax")
class Softmax(Module):
    __slots__ = ()

    def __init__(self, dim: Size | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


@model("torch.nn.LogSoftmax")
class LogSoftmax(Module):
    __slots__ = ()

    def __init__(self, dim: Size | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


@model("torch.nn.Softmin")
class Softmin(Module):
    __slots__ = ()

    def __init__(self, dim: Size | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


@model("torch.nn.Softmax2d")
class Softmax2d(Module):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, -3)


@model("torch.nn.GLU")
class GLU(Module):
    __slots__ = ()

    def __init__(self, dim: Size = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


@model("torch.nn.PReLU")
class PReLU(Module):
    __slots__ = ()

    def __init__(
        self, num_parameters: Size = 1, init: Number = 0.25, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        first = filled(init) if isinstance(init, int | float) else None
        self.weight = parameter("PReLU.weight", (num_parameters,), dtype, first)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)
