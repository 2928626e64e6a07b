"""Layers that drop elements or channels while training."""

from __future__ import annotations

from mlvet.frontends.python.libraries.binding import Number, Tensor
from mlvet.frontends.python.libraries.limits import fraction
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module


@model("torch.nn.modules.dropout._DropoutNd")
class AnyDropout(Module):
    """What all dropouts are."""

    __slots__ = ()

    def changes_in_training(self) -> bool:
        p = self.cells.get("p")
        return isinstance(p, int | float) and p > 0


@model("torch.nn.Dropout")
class Dropout(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


@model("torch.nn.Dropout1d")
class Dropout1d(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


@model("torch.nn.Dropout2d")
class Dropout2d(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


@model("torch.nn.Dropout3d")
class Dropout3d(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


@model("torch.nn.AlphaDropout")
class AlphaDropout(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


@model("torch.nn.FeatureAlphaDropout")
class FeatureAlphaDropout(AnyDropout):
    __slots__ = ()

    def __init__(self, p: Number = 0.5, inplace: bool = False) -> None:
        super().__init__()
        fraction("p", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
