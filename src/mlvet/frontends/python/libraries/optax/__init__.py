"""Optax."""

from __future__ import annotations

from mlvet.frontends.python.libraries import jax as jax
from mlvet.frontends.python.libraries.optax import losses as losses
from mlvet.frontends.python.libraries.optax import optimizers as optimizers
from mlvet.frontends.python.libraries.optax import schedules as schedules
from mlvet.frontends.python.libraries.registry import alias

alias("optax.losses", "optax")
alias("optax.schedules", "optax")
alias("optax.transforms", "optax")
