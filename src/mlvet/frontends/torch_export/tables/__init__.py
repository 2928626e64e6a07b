"""How operators of aten become canonical ones, a file per family."""

from __future__ import annotations

from mlvet.frontends.torch_export.tables import activations as activations
from mlvet.frontends.torch_export.tables import arithmetic as arithmetic
from mlvet.frontends.torch_export.tables import attention as attention
from mlvet.frontends.torch_export.tables import control as control
from mlvet.frontends.torch_export.tables import convolutions as convolutions
from mlvet.frontends.torch_export.tables import creation as creation
from mlvet.frontends.torch_export.tables import indexing as indexing
from mlvet.frontends.torch_export.tables import layout as layout
from mlvet.frontends.torch_export.tables import losses as losses
from mlvet.frontends.torch_export.tables import normalisation as normalisation
from mlvet.frontends.torch_export.tables import pooling as pooling
from mlvet.frontends.torch_export.tables import products as products
from mlvet.frontends.torch_export.tables import randomness as randomness
from mlvet.frontends.torch_export.tables import recurrent as recurrent
from mlvet.frontends.torch_export.tables import reductions as reductions
from mlvet.frontends.torch_export.tables import resampling as resampling
from mlvet.frontends.torch_export.tables import sizes as sizes
