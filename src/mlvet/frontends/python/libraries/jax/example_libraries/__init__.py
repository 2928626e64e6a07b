"""jax.example_libraries: the small networks and optimizers that JAX's own examples use."""

from __future__ import annotations

from mlvet.frontends.python.libraries.jax.example_libraries import optimizers as optimizers
from mlvet.frontends.python.libraries.jax.example_libraries import stax as stax
