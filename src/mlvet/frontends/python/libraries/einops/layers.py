"""Rearrange, Reduce and EinMix as layers of PyTorch and Keras."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import store
from mlvet.frontends.python.libraries.einops.rearranging import rearrange, reduce
from mlvet.frontends.python.libraries.registry import load, model

load("torch")

from mlvet.frontends.python.libraries.torch.nn.module import Module  # noqa: E402


@model("einops.layers.torch.Rearrange")
class Rearrange(Module):
    """`rearrange` with a fixed pattern."""

    __slots__ = ()

    def __init__(self, pattern: Any, **axes_lengths: Any) -> None:
        super().__init__()
        store(self.cells, "pattern", pattern)
        store(self.cells, "axes_lengths", axes_lengths)

    def forward(self, input: Any) -> Any:
        return rearrange(input, self.pattern, **self.axes_lengths)


@model("einops.layers.torch.Reduce")
class Reduce(Module):
    """`reduce` with a fixed pattern."""

    __slots__ = ()

    def __init__(self, pattern: Any, reduction: Any, **axes_lengths: Any) -> None:
        super().__init__()
        store(self.cells, "pattern", pattern)
        store(self.cells, "reduction", reduction)
        store(self.cells, "axes_lengths", axes_lengths)

    def forward(self, input: Any) -> Any:
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)
