"""JAX."""

from __future__ import annotations

from mlvet.frontends.python.libraries.jax import array as array
from mlvet.frontends.python.libraries.jax import devices as devices
from mlvet.frontends.python.libraries.jax import example_libraries as example_libraries
from mlvet.frontends.python.libraries.jax import lax as lax
from mlvet.frontends.python.libraries.jax import nn as nn
from mlvet.frontends.python.libraries.jax import numpy as numpy
from mlvet.frontends.python.libraries.jax import random as random
from mlvet.frontends.python.libraries.jax import science as science
from mlvet.frontends.python.libraries.jax import transformations as transformations
from mlvet.frontends.python.libraries.jax import trees as trees
from mlvet.frontends.python.libraries.jax import updates as updates

# The methods are those of the functions above.
from mlvet.frontends.python.libraries.jax import methods as methods  # isort: skip
