"""A training step is run operator by operator."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class EagerTrainStep(Rule):
    """A training step is run operator by operator.

    ## What it does
    Suggests `tf.function` or `jax.jit` for functions that compute gradients and are called in a loop without it, for
    statements with a `GradientTape` in the body of a loop, and for gradients made by `jax.grad` that a loop calls.

    ## Why it matters
    Python starts each operator, forwards and backwards, which takes longer than many operators themselves. A compiled
    step is started once.

    ## Example
        import jax
        import jax.numpy as jnp


        def loss(w, x):
            return jnp.mean((x @ w) ** 2)


        def update(w, x):
            return w - 0.1 * jax.grad(loss)(w, x)


        w = jnp.ones((4, 2))
        for _ in range(100):
            w = update(w, jnp.ones((8, 4)))

    ## Use instead
        import jax
        import jax.numpy as jnp


        def loss(w, x):
            return jnp.mean((x @ w) ** 2)


        @jax.jit
        def update(w, x):
            return w - 0.1 * jax.grad(loss)(w, x)


        w = jnp.ones((4, 2))
        for _ in range(100):
            w = update(w, jnp.ones((8, 4)))

    ## How sure
    Likely. Steps that read values on the host, that are told to run eagerly, or that somebody else may compile are not
    reported.
    """

    code = "EFF176"
    severity = Severity.SUGGESTION
