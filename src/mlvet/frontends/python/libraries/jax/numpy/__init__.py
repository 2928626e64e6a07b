"""jax.numpy."""

from __future__ import annotations

from mlvet.frontends.python.libraries.jax.numpy import creation as creation
from mlvet.frontends.python.libraries.jax.numpy import elementwise as elementwise
from mlvet.frontends.python.libraries.jax.numpy import products as products
from mlvet.frontends.python.libraries.jax.numpy import reductions as reductions
from mlvet.frontends.python.libraries.jax.numpy import searching as searching
from mlvet.frontends.python.libraries.jax.numpy import shaping as shaping
