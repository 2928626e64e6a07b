"""Functions of JAX, traced to jaxprs."""

from __future__ import annotations

from mlvet.frontends.jaxpr.live import from_jax

__all__ = ["from_jax"]
