"""PyTorch."""

from __future__ import annotations

from mlvet.frontends.python.libraries.torch import activations as activations
from mlvet.frontends.python.libraries.torch import tensor as tensor
from mlvet.frontends.python.libraries.torch.nn import linear as linear
