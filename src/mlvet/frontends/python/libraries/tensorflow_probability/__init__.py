"""tensorflow_probability: distributions, whose samples and densities have known shapes, and layers of them."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.tensorflow_probability import distributions as distributions
from mlvet.frontends.python.libraries.tensorflow_probability import layers as layers

alias("tensorflow_probability.substrates.jax", "tensorflow_probability")
alias("tensorflow_probability.substrates.numpy", "tensorflow_probability")
