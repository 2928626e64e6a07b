"""jax.lax."""

from __future__ import annotations

from mlvet.frontends.python.libraries.jax.lax import control as control
from mlvet.frontends.python.libraries.jax.lax import elementwise as elementwise
from mlvet.frontends.python.libraries.jax.lax import parallel as parallel
from mlvet.frontends.python.libraries.jax.lax import slicing as slicing
from mlvet.frontends.python.libraries.jax.lax import windows as windows
