"""flax.linen."""

from __future__ import annotations

from mlvet.frontends.python.libraries.flax.linen import attention as attention
from mlvet.frontends.python.libraries.flax.linen import decorators as decorators
from mlvet.frontends.python.libraries.flax.linen import dense as dense
from mlvet.frontends.python.libraries.flax.linen import module as module
from mlvet.frontends.python.libraries.flax.linen import normalization as normalization
from mlvet.frontends.python.libraries.flax.linen import pooling as pooling
from mlvet.frontends.python.libraries.registry import alias

for _name in (
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu", "log_sigmoid",
    "log_softmax", "logsumexp", "one_hot", "relu", "relu6", "selu", "sigmoid", "silu", "soft_sign",
    "softmax", "softplus", "standardize", "swish", "tanh",
):  # fmt: skip
    alias(f"flax.linen.{_name}", f"jax.nn.{_name}")
    alias(f"flax.nnx.{_name}", f"jax.nn.{_name}")
for _module in ("flax.linen.initializers", "flax.nnx.initializers"):
    alias(_module, "jax.nn.initializers")
alias("flax.linen.activation", "jax.nn")
alias("flax.linen.zeros_init", "flax.linen.initializers.zeros_init")
alias("flax.linen.ones_init", "flax.linen.initializers.ones_init")
