"""A compiled function is traced again for each value that it is called with."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class Retracing(Rule):
    """A compiled function is traced again for each value that it is called with.

    ## What it does
    Suggests to pass tensors where a `tf.function` is given a Python number, or a `jax.jit` function a static argument,
    that differs in every iteration of a loop; and one size, or a function traced for sizes of any kind, where the
    size of what is passed differs: slices with one bound that moves, tensors made with another size each time, items
    of a list that differ in size, the words or characters of texts, and tensors that grow.

    ## Why it matters
    Python numbers, static arguments and shapes are part of what a function is compiled for. Each new one is traced and
    compiled again, which takes far longer than the call, and all the results are kept.

    ## Example
        import tensorflow as tf


        @tf.function
        def scaled(x, factor):
            return x * factor


        x = tf.ones(8)
        for step in range(100):
            x = scaled(x, step / 100)

    ## Use instead
        import tensorflow as tf


        @tf.function
        def scaled(x, factor):
            return x * factor


        x = tf.ones(8)
        for step in range(100):
            x = scaled(x, tf.constant(step / 100))

    ## How sure
    Likely. Functions with an input signature are not reported, nor those of `torch.compile`, which sees by itself that
    sizes differ, unless `dynamic=False` forbids it. A loop over listed sizes, or one that looks at the clock, means it.
    """

    code = "EFF103"
    severity = Severity.SUGGESTION
