"""jax.nn."""

from __future__ import annotations

from mlvet.frontends.python.libraries.jax.nn import functions as functions
from mlvet.frontends.python.libraries.jax.nn import initializers as initializers
