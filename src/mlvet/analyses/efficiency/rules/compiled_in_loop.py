"""A function is compiled anew in every iteration of a loop."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class CompiledInLoop(Rule):
    """A function is compiled anew in every iteration of a loop.

    ## What it does
    Suggests to make `tf.function`, `jax.jit`, `torch.jit.script`, `torch.jit.trace`, `torch.compile` and `numba.jit` of
    a function before the loop that calls it.

    ## Why it matters
    A new wrapper has an empty cache: the function is traced and compiled again, which takes far longer than to run it.
    JAX and TorchScript know a named function again, so that only functions made in the loop count for them.

    ## Example
        import jax
        import jax.numpy as jnp

        x = jnp.ones(8)
        for _ in range(100):
            step = jax.jit(lambda v: v * 0.9 + 1.0)
            x = step(x)

    ## Use instead
        import jax
        import jax.numpy as jnp

        x = jnp.ones(8)
        step = jax.jit(lambda v: v * 0.9 + 1.0)
        for _ in range(100):
            x = step(x)

    ## How sure
    Likely, under the assumptions that the finding lists. A function that has to differ from one iteration to the next,
    such as one of another model, is not reported.
    """

    code = "EFF102"
    severity = Severity.SUGGESTION
