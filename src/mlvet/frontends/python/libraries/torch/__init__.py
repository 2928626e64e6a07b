"""PyTorch."""

from __future__ import annotations

from mlvet.frontends.python.libraries.torch import arithmetic as arithmetic
from mlvet.frontends.python.libraries.torch import conversions as conversions
from mlvet.frontends.python.libraries.torch import creation as creation
from mlvet.frontends.python.libraries.torch import data as data
from mlvet.frontends.python.libraries.torch import devices as devices
from mlvet.frontends.python.libraries.torch import distributed as distributed
from mlvet.frontends.python.libraries.torch import distributions as distributions
from mlvet.frontends.python.libraries.torch import element_types as element_types
from mlvet.frontends.python.libraries.torch import elementwise as elementwise
from mlvet.frontends.python.libraries.torch import functional as functional
from mlvet.frontends.python.libraries.torch import gradients as gradients
from mlvet.frontends.python.libraries.torch import indexing as indexing
from mlvet.frontends.python.libraries.torch import joining as joining
from mlvet.frontends.python.libraries.torch import linear_algebra as linear_algebra
from mlvet.frontends.python.libraries.torch import nn as nn
from mlvet.frontends.python.libraries.torch import optim as optim
from mlvet.frontends.python.libraries.torch import ordering as ordering
from mlvet.frontends.python.libraries.torch import products as products
from mlvet.frontends.python.libraries.torch import randomness as randomness
from mlvet.frontends.python.libraries.torch import reductions as reductions
from mlvet.frontends.python.libraries.torch import services as services
from mlvet.frontends.python.libraries.torch import shaping as shaping
from mlvet.frontends.python.libraries.torch import signals as signals
from mlvet.frontends.python.libraries.torch import storage as storage
from mlvet.frontends.python.libraries.torch import tensor as tensor
from mlvet.frontends.python.libraries.torch import tracing as tracing
