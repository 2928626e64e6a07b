"""Flax: linen, nnx and what training programs use besides."""

from __future__ import annotations

from mlvet.frontends.python.libraries import jax as jax
from mlvet.frontends.python.libraries.flax import linen as linen
from mlvet.frontends.python.libraries.flax import nnx as nnx
from mlvet.frontends.python.libraries.flax import structures as structures
from mlvet.frontends.python.libraries.flax import training as training
