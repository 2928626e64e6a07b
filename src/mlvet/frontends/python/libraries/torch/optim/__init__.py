"""torch.optim: optimisers and schedules of learning rates."""

from __future__ import annotations

from mlvet.frontends.python.libraries.torch.optim import averaging as averaging
from mlvet.frontends.python.libraries.torch.optim import optimisers as optimisers
from mlvet.frontends.python.libraries.torch.optim import schedulers as schedulers
