"""torch.utils.data: data sets, samplers and loaders."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.torch.data import collation as collation
from mlvet.frontends.python.libraries.torch.data import datasets as datasets
from mlvet.frontends.python.libraries.torch.data import loaders as loaders
from mlvet.frontends.python.libraries.torch.data import samplers as samplers

for part in ("dataset", "dataloader", "sampler", "distributed"):
    alias(f"torch.utils.data.{part}", "torch.utils.data")
