"""torch.nn.functional."""

from __future__ import annotations

from mlvet.frontends.python.libraries.torch.functional import activations as activations
from mlvet.frontends.python.libraries.torch.functional import attention as attention
from mlvet.frontends.python.libraries.torch.functional import convolutions as convolutions
from mlvet.frontends.python.libraries.torch.functional import losses as losses
from mlvet.frontends.python.libraries.torch.functional import normalisation as normalisation
from mlvet.frontends.python.libraries.torch.functional import pooling as pooling
from mlvet.frontends.python.libraries.torch.functional import sampling as sampling
