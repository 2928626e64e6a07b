"""flax.nnx."""

from __future__ import annotations

from mlvet.frontends.python.libraries.flax.nnx import functions as functions
from mlvet.frontends.python.libraries.flax.nnx import layers as layers
from mlvet.frontends.python.libraries.flax.nnx import recurrent as recurrent
from mlvet.frontends.python.libraries.flax.nnx import training as training
from mlvet.frontends.python.libraries.flax.nnx import variables as variables
