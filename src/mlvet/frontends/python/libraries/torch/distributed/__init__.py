"""torch.distributed and torch.multiprocessing: what other processes run is run here, once."""

from __future__ import annotations

from mlvet.frontends.python.libraries.torch.distributed import collectives as collectives
from mlvet.frontends.python.libraries.torch.distributed import processes as processes
from mlvet.frontends.python.libraries.torch.distributed import remote as remote
from mlvet.frontends.python.libraries.torch.distributed import sharding as sharding
