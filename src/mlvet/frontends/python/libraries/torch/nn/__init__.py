"""torch.nn: layers, losses and what goes with them."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.torch.nn import activations as activations
from mlvet.frontends.python.libraries.torch.nn import attention as attention
from mlvet.frontends.python.libraries.torch.nn import cells as cells
from mlvet.frontends.python.libraries.torch.nn import clipping as clipping
from mlvet.frontends.python.libraries.torch.nn import containers as containers
from mlvet.frontends.python.libraries.torch.nn import convolutions as convolutions
from mlvet.frontends.python.libraries.torch.nn import dropouts as dropouts
from mlvet.frontends.python.libraries.torch.nn import embedding as embedding
from mlvet.frontends.python.libraries.torch.nn import initialisation as initialisation
from mlvet.frontends.python.libraries.torch.nn import linear as linear
from mlvet.frontends.python.libraries.torch.nn import losses as losses
from mlvet.frontends.python.libraries.torch.nn import module as module
from mlvet.frontends.python.libraries.torch.nn import normalisation as normalisation
from mlvet.frontends.python.libraries.torch.nn import padding as padding
from mlvet.frontends.python.libraries.torch.nn import parallel as parallel
from mlvet.frontends.python.libraries.torch.nn import parameter as parameter
from mlvet.frontends.python.libraries.torch.nn import pooling as pooling
from mlvet.frontends.python.libraries.torch.nn import recurrent as recurrent
from mlvet.frontends.python.libraries.torch.nn import sequences as sequences
from mlvet.frontends.python.libraries.torch.nn import transformer as transformer

for part in (
    "activation", "batchnorm", "container", "conv", "distance", "dropout", "flatten", "fold", "instancenorm", "linear",
    "loss", "module", "normalization", "padding", "pixelshuffle", "pooling", "rnn", "sparse", "transformer",
    "upsampling", "utils",
):  # fmt: skip
    alias(f"torch.nn.modules.{part}", "torch.nn")
alias("torch.nn.modules", "torch.nn")
