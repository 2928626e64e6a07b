"""torch.Tensor: attributes and methods."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains.promotion import Framework
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.arrays.shaping import reshape
from mlvet.frontends.python.libraries.binding import TENSORS, Size, as_spread
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of


@model("torch.Tensor")
class Tensor(ArrayValue):
    """A tensor of PyTorch."""

    framework: ClassVar[Framework] = Framework.TORCH

    @property
    def shape(self) -> Any:
        return dims_of(self)

    def view(self, *shape: Any) -> Any:
        return reshape(self, as_spread(shape))

    def size(self, dim: Size | None = None) -> Any:
        dims = dims_of(self)
        return dims if dim is None or dims is None else dims[dim]  # type: ignore[index]


TENSORS["torch"] = Tensor
