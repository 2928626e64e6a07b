"""Programs of `torch.export`, from `.pt2` archives (without torch) or live modules."""

from __future__ import annotations

from mlvet.frontends.torch_export.archive import read_pt2
from mlvet.frontends.torch_export.live import from_calls, from_torch

__all__ = ["from_calls", "from_torch", "read_pt2"]
